"""Code of typed users, with the keys and arguments that type checkers must accept or find."""

RIGHT = """
from bleu_metric import BleuMetric, Comparison, Finding, Pair, Result, SystemScores, TokenizerName

bleu = BleuMetric("nltk", lowercase=True, num_process=1)
result: Result = bleu.compute(predictions=["a"], references=["a"], tokenize="zh", segments=True)
score: float = result["score"]
scores: list[float] = result["segment_bleu"]
best: str = bleu.rank({"A": ["a"], "B": ["b"]}, ["a"], confidence=None)["signature"]
bleu.compute(statistics=[1, 1, 1, 1], weights=(1.0,), n_resamples=10)
callback = bleu.compute_metrics(object(), max_order=2)
text: str = result.report()
name = TokenizerName("moses-de")  # known when the program runs
bleu.compute(predictions=["a"], references=["a"], tokenize=name)
bleu.compute(predictions=["a"], references=["a"], tokenize=str.split)
bleu.compute(predictions=["a"], references=["a"], by=["x"], tokenize={"x": "zh"})
comparison: Comparison = bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])
systems: dict[str, SystemScores] = comparison["systems"]
delta: float | None = systems["B"].get("delta")
for key, value in systems.items():
    points: float = value["score"]
    if "delta" in value:
        points += value["delta"]
findings: list[Finding] = bleu.check(["a"], ["a"])["findings"]
tokens: list[str] = bleu.explain("a", ["a"])["prediction"]["tokens"]
diversity: float = bleu.self_bleu(["a", "b"])["self_bleu"]
kinds: list[str] = [finding["kind"] for finding in findings]
compared = systems["B"]
numbers: list[float] = [compared["p_value"], compared["detectable_delta"], *compared["delta_interval"]]
pair: Pair = bleu.rank({"A": ["a"], "B": ["b"]}, ["a"])["pairs"][0]
numbers += [pair["p_value"], pair["p_adjusted"], pair["delta"]]
signature: str = result["groups"]["x"]["signature"]
delta = bleu.diff({"A": ["a"], "B": ["b"]}, ["a"])["systems"]["B"]["delta"]
copied = {**result, "step": 1}
steps = bleu.reconcile(["a"], ["a"])["nltk"]["steps"]
matches = bleu.reconcile(["a"], ["a"], "27.3", decimals=1)["matches"]
plain = dict(result)
table = bleu.total(bleu.statistics(predictions=[text], references=["a"]) for text in ["a", "b"])
print(bleu.restore({"a": 1}).to_latex(), bleu.compute(statistics=table)["score"])
"""
# Before the lines below. Results are dicts with values of any type: an annotation says the keys of a part.
HEAD = """
from bleu_metric import BleuMetric, CorpusScores, RankedSystem, SegmentDifference, SystemScores

bleu = BleuMetric()
systems: dict[str, SystemScores] = bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])["systems"]
ranking: list[RankedSystem] = bleu.rank({"A": ["a"], "B": ["b"]}, ["a"])["ranking"]
groups: dict[str, CorpusScores] = bleu.compute(predictions=["a"], references=["a"], by=["x"])["groups"]
"""
# Each line is an error, of the kind that mypy names.
WRONG = {
    'bleu.compute(predictions=["a"], references=["a"], tokenise="zh")': "call-arg",
    'bleu.compute(predictions=["a"], references=["a"], lowercase="yes")': "arg-type",
    'bleu.compare({"A": ["a"]}, ["a"], segments=True)': "call-arg",
    'bleu.explain("a", ["a"], confidence=0.95)': "call-arg",
    "BleuMetric(max_orders=3)": "call-arg",
    'bleu.compute(["a"], ["a"])': "call-arg",
    'BleuMetric("sacreblue")': "arg-type",
    "bleu.compuet()": "attr-defined",
    'bleu.compute(predictions=["a"], references=["a"], tokenize="13b")': "arg-type",
    'bleu.compute(predictions=["a"], references=["a"], smooth_method="method1")': "arg-type",
    'bleu.compute(predictions=["a"], references=["a"], reference_length="average")': "arg-type",
    'bleu.compare({"A": ["a"]}, ["a"], test="t-test")': "arg-type",
    'systems["A"]["p"]': "typeddict-item",
    'segment: SegmentDifference = {"segment": 0}': "typeddict-item",
}
# What pyright finds besides: a key that needs an argument.
MISSING = """
systems["B"]["p_value_sacrebleu"]
systems["B"]["macro_delta"]
ranking[0]["degrees_of_freedom"]
groups["x"]["segment_bleu"]
"""
