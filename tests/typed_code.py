"""Code of typed users, with the keys and arguments that type checkers must accept or find."""

RIGHT = """
from bleu_metric import BleuMetric, Comparison, Finding, Result, SystemScores, TokenizerName

bleu = BleuMetric("nltk", lowercase=True, num_process=1)
result: Result = bleu.compute(predictions=["a"], references=["a"], tokenize="zh", segments=True)
score: float = result["score"]
scores: list[float] = result["segment_bleu"]
delta: float | None = bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])["systems"]["B"].get("delta")
best: str = bleu.rank({"A": ["a"], "B": ["b"]}, ["a"], confidence=None)["signature"]
bleu.compute(statistics=[1, 1, 1, 1], weights=(1.0,), n_resamples=10)
callback = bleu.compute_metrics(object(), max_order=2)
text: str = result.report()
name = TokenizerName("moses-de")  # known when the program runs
bleu.compute(predictions=["a"], references=["a"], tokenize=name)
bleu.compute(predictions=["a"], references=["a"], tokenize=str.split)
bleu.compute(predictions=["a"], references=["a"], by=["x"], tokenize={"x": "zh"})
for key, value in bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])["systems"].items():
    points: float = value["score"]
    if "delta" in value:
        points += value["delta"]
comparison: Comparison = bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])
system: SystemScores = comparison["systems"]["B"]
findings: list[Finding] = bleu.check(["a"], ["a"])["findings"]
tokens: list[str] = bleu.explain("a", ["a"])["prediction"]["tokens"]
diversity: float = bleu.self_bleu(["a", "b"])["self_bleu"]
kinds: list[str] = [finding["kind"] for finding in bleu.check(["a"], ["a"])["findings"]]
compared = bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])["systems"]["B"]
numbers: list[float] = [compared["p_value"], compared["detectable_delta"], *compared["delta_interval"]]
pair = bleu.rank({"A": ["a"], "B": ["b"]}, ["a"])["pairs"][0]
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
# Each line is an error, of the kind that mypy names.
WRONG = {
    'bleu.compute(predictions=["a"], references=["a"], tokenise="zh")': "call-arg",
    'bleu.compute(predictions=["a"], references=["a"], lowercase="yes")': "arg-type",
    'bleu.compute(predictions=["a"], references=["a"])["scores"]': "call-overload",
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
    'bleu.compare({"A": ["a"]}, ["a"])["systems"]["A"]["p"]': "typeddict-item",
    'bleu.explain("a", ["a"])["precision"]': "call-overload",
    'bleu.diff({"A": ["a"], "B": ["a"]}, ["a"])["ngram"]': "call-overload",
    'bleu.self_bleu(["a", "b"])["score"]': "call-overload",
}
# What pyright finds besides: a key that needs an argument.
MISSING = """
from bleu_metric import BleuMetric

bleu = BleuMetric()
bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])["systems"]["B"]["p_value_sacrebleu"]
bleu.compare({"A": ["a"], "B": ["b"]}, ["a"])["systems"]["B"]["macro_delta"]
bleu.rank({"A": ["a"], "B": ["b"]}, ["a"])["ranking"][0]["degrees_of_freedom"]
bleu.compute(predictions=["a"], references=["a"], by=["x"])["groups"]["x"]["segment_bleu"]
"""
