"""What results are: plain dicts for programs, with a face for people."""

import copy
import json
import multiprocessing
import pickle

import evaluate
import pytest
from bleu.bleu_report import Report, format_latex, format_markdown, shorten
from datasets import Dataset
from helpers import ROOT, run_python

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PREDICTIONS = ["The cat sat on the mat.", "a dog", "It rains."]
REFERENCES = [["The cat sat on a mat."], ["a cat"], ["It is raining."]]
OTHERS = ["The cat sat on a mat.", "a dog", "It is."]

MAKE = {
    "compute": lambda bleu: bleu.compute(predictions=PREDICTIONS, references=REFERENCES, segments=True, confidence=0.9),
    "score": lambda bleu: bleu.score(bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)),
    "compare": lambda bleu: bleu.compare({"A": PREDICTIONS, "B": OTHERS}, REFERENCES, n_resamples=10),
    "diff": lambda bleu: bleu.diff(PREDICTIONS, OTHERS, REFERENCES, by=["cats", "dogs", "rain"]),
    "explain": lambda bleu: bleu.explain(PREDICTIONS[0], REFERENCES[0]),
    "conventions": lambda bleu: bleu.conventions(PREDICTIONS, REFERENCES),
    "reconcile": lambda bleu: bleu.reconcile(PREDICTIONS, REFERENCES, 99.5),
    "self_bleu": lambda bleu: bleu.self_bleu(PREDICTIONS),
}
COLUMNS = {
    "compute": ["order", "matches", "total", "precision", "bleu"],
    "score": ["order", "matches", "total", "precision", "bleu"],
    "compare": ["system", "bleu", "score", "confidence_interval_low", "confidence_interval_high", "bootstrap_mean", "delta", "p_value", "wins", "ties", "losses", "delta_interval_low", "delta_interval_high", "detectable_delta"],
    "diff": ["group", "from", "to", "segments", "first", "second", "delta", "label"],
    "explain": ["order", "total", "unclipped_matches", "matches", "precision"],
    "conventions": ["convention", "bleu", "score", "difference", "signature"],
    "reconcile": ["settings", "bleu", "score", "difference", "signature"],
    "self_bleu": ["text", "bleu"],
}  # fmt: skip


@pytest.fixture(params=MAKE)
def name(request):
    return request.param


@pytest.fixture
def result(name, bleu):
    return MAKE[name](bleu)


def plain(value):
    """The value with every dict and list rebuilt; fails where a value is of another class than Python's own."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    assert value is None or type(value) in (bool, int, float, str), type(value)
    return value


class TestDict:
    def test_plain_python_values(self, result):
        assert result == plain(result)
        assert json.loads(json.dumps(result)) == result
        assert {**result} == dict(result) == result

    def test_pickled_it_is_a_dict(self, result):
        restored = pickle.loads(pickle.dumps(result))
        assert type(restored) is dict
        assert restored == result

    @pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, Report.copy], ids=["copy", "deepcopy", "method"])
    def test_a_copy_keeps_the_face(self, result, duplicate):
        again = duplicate(result)
        assert type(again) is type(result)
        assert again == result
        assert again is not result

    def test_a_deep_copy_shares_nothing(self, bleu):
        result = MAKE["compute"](bleu)
        copy.deepcopy(result)["precisions"].clear()
        assert result["precisions"]


def test_in_a_process_that_never_loaded_the_metric(bleu, tmp_path):
    path = tmp_path / "result.pickle"
    path.write_bytes(pickle.dumps([make(bleu) for make in MAKE.values()]))
    code = "import json, pickle, sys; print(json.dumps([type(one).__name__ for one in pickle.load(open(sys.argv[1], 'rb'))]))"
    assert run_python(code, path) == ["dict"] * len(MAKE)


def _score(text):
    return evaluate.load(str(ROOT / "bleu_metric.py")).compute(predictions=[text], references=[text])


def test_across_multiprocessing():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        (result,) = pool.map_async(_score, ["a b c d"]).get(60)
    assert type(result) is dict
    assert result["score"] == 100


@pytest.mark.parametrize("processes", [None, 2])
def test_as_rows_of_datasets(bleu, processes):
    data = Dataset.from_dict({"text": ["a b c d", "a b c x"]})
    scored = data.map(lambda row: bleu.compute(predictions=[row["text"]], references=["a b c d"]), num_proc=processes)
    assert [round(score, 2) for score in scored["score"]] == [100, 59.46]


def test_combined(load):
    combined = evaluate.combine({"a": load(), "b": load(max_order=1)}, force_prefix=True)
    scores = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert (scores["a_totals"], scores["b_totals"]) == ([12, 9, 6, 4], [12])
    assert json.dumps(scores)


# A list, and what is shown of it: up to 8 values and up to 4 dicts or lists are all there.
SHORTENED = [
    ([], "[]"),
    (list(range(8)), "[0, 1, 2, 3, 4, 5, 6, 7]"),
    (list(range(9)), "[0, 1, 2, ... 6 more]"),
    ([[1]] * 4, "[[1], [1], [1], [1]]"),
    ([[1]] * 5, "[[1], [1], ... 3 more]"),
    ([{"a": 1}] * 5, "[{'a': 1}, {'a': 1}, ... 3 more]"),
    ([[0] * 9] * 2, "[[0, 0, 0, ... 6 more], [0, 0, 0, ... 6 more]]"),
    ([0] * 1234, "[0, 0, 0, ... 1,231 more]"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "shown"), SHORTENED, ids=[shown for _, shown in SHORTENED])
def test_what_is_shown_of_a_list(values, shown):
    assert repr(shorten(values)) == shown


class TestRepr:
    def test_it_fits_a_screen(self, bleu):
        explanation = bleu.explain(" ".join(map(str, range(300))), [" ".join(map(str, range(0, 300, 2)))])
        assert len(repr(explanation)) < 24 * 100
        result = bleu.compute(predictions=["a b c d"] * 1000, references=["a b c d"] * 1000, segments=True)
        assert "'segment_bleu': [1.0, 1.0, 1.0, ... 997 more]" in repr(result)
        assert len(repr(result)) < 10 * 80

    def test_short_results_are_as_a_dict_shows_them(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert repr(result) == repr(dict(result))

    def test_what_prints_as_a_table(self, bleu):
        results = {name: make(bleu) for name, make in MAKE.items()}
        as_tables = {name for name, result in results.items() if str(result) != repr(result)}
        assert as_tables == {"compare", "diff", "explain", "conventions", "reconcile"}

    def test_in_ipython(self, bleu, result, name):
        """The table where there is one to print, and IPython's own print of the dict, cut as `repr` has it."""
        shown = []

        class Printer:
            text = pretty = staticmethod(shown.append)

        result._repr_pretty_(Printer, cycle=False)
        assert str(shown[0]) == str(result)
        assert type(shown[0]) is (dict if name in ("compute", "score", "self_bleu") else str)

    def test_the_explanation_as_text(self, bleu):
        """The paper's second example, with the formula that its counts make."""
        explanation = bleu.explain("the the the the the the the", ["the cat is on the mat"], smooth_method="floor")
        assert str(explanation).splitlines() == [
            "BLEU 3.93 = 100 · 1 · (2/7 · 0.1/6 · 0.1/5 · 0.1/4)^(1/4)",
            "",
            "n-grams  total  unclipped matches  matches  precision",
            "1            7                  7        2      28.57",
            "2            6                  0        0       1.67",
            "3            5                  0        0       2.00",
            "4            4                  0        0       2.50",
            "",
            explanation["signature"],
        ]


class TestMissingKeys:
    @pytest.mark.parametrize(
        ("key", "message"),
        [
            ("bp", "There is no 'bp' here: it is 'brevity_penalty'."),
            ("sys_len", "There is no 'sys_len' here: it is 'translation_length'."),
            ("hyp_len", "There is no 'hyp_len' here: it is 'translation_length'."),
            ("prediction_length", "There is no 'prediction_length' here: it is 'translation_length'."),
            ("ref_len", "There is no 'ref_len' here: it is 'reference_length'."),
            ("ratio", "There is no 'ratio' here: it is 'length_ratio'."),
            ("sentence_bleu", "There is no 'sentence_bleu' here: ask for it by segments=True."),
            ("bootstrap_mean", "There is no 'bootstrap_mean' here: ask for it by confidence=0.95."),
            ("bleu_score", "There is no 'bleu_score' here: it is 'bleu'."),
            ("segment_bleu", "There is no 'segment_bleu' here: ask for it by segments=True."),
            ("confidence_interval", "There is no 'confidence_interval' here: ask for it by confidence=0.95."),
            ("rouge", "rouge"),
            (3, 3),
        ],
    )
    def test_a_name_that_another_tool_has(self, bleu, key, message):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES)
        with pytest.raises(KeyError) as error:
            result[key]
        assert error.value.args == (message,)
        assert result.get(key) is None
        assert key not in result

    def test_only_where_it_is_here(self, bleu):
        with pytest.raises(KeyError, match=r"^'bp'$"):
            MAKE["compare"](bleu)["bp"]
        with pytest.raises(KeyError, match=r"^'segment_bleu'$"):
            MAKE["explain"](bleu)["segment_bleu"]


class TestTables:
    def test_pandas(self, result, name):
        frame = result.to_pandas()
        assert list(frame.columns) == COLUMNS[name]
        assert len(frame) == {"self_bleu": 3, "diff": 4}.get(name, len(result.rows()) - 1)

    def test_every_format_has_every_row(self, result):
        rows = len(result.rows())
        assert result.to_markdown().count("\n|") + result.to_markdown().startswith("|") == rows + 1
        assert result.to_latex().count(r"\\") == rows
        assert result.to_html().count("<tr>") >= rows - 1

    def test_names_are_escaped(self):
        rows = [["system", "BLEU"], ["50%_a|b\n<b>*x*", "1"]]
        assert r"| 50%_a\|b \<b>\*x\* | 1 |" in format_markdown(rows)
        assert r"50\%\_a|b <b>*x* & 1 \\" in format_latex(rows)

    def test_a_report_without_a_table_of_its_own(self):
        assert Report(score=1.5, counts=list(range(9))).to_markdown().splitlines()[2:] == [
            "| score | 1.5 |",
            "| counts | \\[0, 1, 2, ... 6 more] |",
        ]
