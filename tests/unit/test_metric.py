"""The metric as evaluate loads it, in threads and processes, and copied. tests/contract has its names and keys."""

import copy
import inspect
import pickle
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from unittest.mock import Mock

import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from bleu.bleu_core.options.options import DESCRIPTIONS, OPTIONS
from bleu.bleu_core.rules.counting import REFERENCE_LENGTHS
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from bleu.bleu_core.rules.tokenizers import TOKENIZERS
from bleu.bleu_metric import METHODS
from helpers import ROOT, random_rows, read_result, run_python, start_python

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PREDICTIONS, REFERENCES = random_rows(seed=8, count=300)

# One call.


def trace_texts(bleu, **columns):
    """Return the source and the name of each function, behind the class, that a call passes its texts to.

    The texts are the list of predictions, or what holds them. Methods of what holds them don't count.
    """
    joined = sys.modules[f"{type(bleu).__module__.rpartition('.')[0]}.bleu_core"].__file__
    lines = Path(joined).read_text(encoding="utf-8").splitlines()
    found = {}

    def trace(frame, event, argument):
        code = frame.f_code
        if event != "call" or code.co_filename != joined:
            return
        above = reversed(lines[: code.co_firstlineno])
        file = next(line.split()[2] for line in above if line.startswith("# === bleu_core/"))
        arguments = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
        holders = ("Call", "Corpus", "SmallCorpus", "Batch", "Array", "ChunkedArray")
        has_texts = any(
            argument is columns["predictions"] or type(argument).__name__.endswith(holders)
            for argument in arguments
        )
        if has_texts and file != "bleu_core/text/corpus.py":
            found[file, code.co_name] = None

    sys.setprofile(trace)
    try:
        bleu.compute(**columns)
    finally:
        sys.setprofile(None)
    return list(found)


def test_texts_pass_few_functions_and_one_file_after_the_other(load):
    """Reading, counting and the look follow each other, and none goes back to an earlier one."""
    bleu = load()
    bleu.warm_up()
    bleu.compute(predictions=PREDICTIONS[:20], references=REFERENCES[:20])  # is looked at
    found = trace_texts(bleu, predictions=PREDICTIONS[20:40], references=REFERENCES[20:40])
    assert len(found) <= 12, found
    files = [file for file, _ in groupby(found, key=itemgetter(0))]
    assert files == [
        "bleu_core/methods/buffer.py",
        "bleu_core/text/read.py",
        "bleu_core/text/elements.py",
        "bleu_core/rows/statistics.py",
        "bleu_core/rows/kernels.py",
        "bleu_core/check/look.py",
    ]


def test_the_tokenizer_is_chosen_once(load, monkeypatch):
    bleu = load()
    package = type(bleu).__module__.rpartition(".")[0]
    module = sys.modules[f"{package}.bleu_core"]
    chosen = Mock(wraps=module.choose_tokenizer)
    monkeypatch.setattr(module, "choose_tokenizer", chosen)
    bleu.compute(predictions=["The cat sat on a mat."], references=["The cat sat on the mat."])
    assert chosen.call_count == 1


# Loading, processes and threads.


SCORE = """
import json, sys
import evaluate, helpers
bleu = evaluate.load(sys.argv[1])
predictions, references = helpers.random_rows(seed=8, count=300)
print(json.dumps(bleu.compute(predictions=predictions, references=references)))
"""


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


def copy_metric(folder):
    folder.mkdir()
    for path in [*ROOT.glob("*.py"), ROOT / "README.md", ROOT / "requirements.txt"]:
        if path.exists():
            shutil.copy(path, folder)
    return folder


class TestLoading:
    def test_by_path_and_by_folder_of_the_same_name(self, tmp_path, expected):
        folder = copy_metric(tmp_path / "bleu_metric")
        for path in (folder, folder / "bleu_metric.py"):
            assert (
                evaluate.load(str(path)).compute(predictions=PREDICTIONS, references=REFERENCES)
                == expected
            )

    @pytest.mark.slow
    @pytest.mark.processes
    def test_without_a_network(self, expected, tmp_path):
        """Every attempt to open a connection or to look up a name is an error."""
        blocked = (
            "import socket\n"
            "def fail(*arguments, **options): raise AssertionError('the network was used')\n"
            "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = fail\n"
        )
        assert (
            run_python(blocked + SCORE, ROOT / "bleu_metric.py", HF_MODULES_CACHE=str(tmp_path))
            == expected
        )

    @pytest.mark.slow
    @pytest.mark.processes
    def test_two_processes_that_compile_at_once(self, tmp_path, expected):
        environment = {"NUMBA_CACHE_DIR": str(tmp_path), "HF_MODULES_CACHE": str(tmp_path)}
        code = SCORE.replace("print", "bleu.warm_up(); print")
        processes = [start_python(code, ROOT / "bleu_metric.py", **environment) for _ in range(2)]
        assert [read_result(process) for process in processes] == [expected] * 2

    def test_description_citation_and_features(self, bleu):
        assert (bleu.name, bleu.module_type) == ("bleu_metric", "metric")
        assert "Papineni" in bleu.citation
        assert [url.rpartition("/")[2] for url in bleu.info.reference_urls] == [
            "P02-1040",
            "W18-6319",
        ]
        assert bleu.format == "arrow"
        assert "tokenize" in bleu.inputs_description
        assert "tokenize" in bleu.compute.__doc__

    def test_the_description_names_every_choice(self, bleu):
        """The text below "Args" has one entry per option, and all names of tokenizers, methods and rules."""
        for name in OPTIONS:
            assert f"\n    {name}: " in bleu.inputs_description
        for name in (*TOKENIZERS, *SMOOTH_METHODS, *REFERENCE_LENGTHS):
            assert repr(name) in bleu.inputs_description

    def test_every_phrase_is_the_end_of_a_sentence(self):
        """`says` is not empty, has no period, and differs from the others: sentences are made of it."""
        records = [*TOKENIZERS.values(), *SMOOTH_METHODS.values(), *REFERENCE_LENGTHS.values()]
        phrases = [*DESCRIPTIONS.values(), *(record.says for record in records)]
        assert all(phrase == phrase.strip() != "" for phrase in phrases)
        assert [phrase for phrase in phrases if phrase.endswith(".")] == []
        assert len(set(phrases)) == len(phrases)


class TestThreads:
    def test_eight_threads_with_one_object(self, bleu, expected):
        with ThreadPoolExecutor(8) as pool:
            results = pool.map(
                lambda _: bleu.compute(predictions=PREDICTIONS, references=REFERENCES), range(32)
            )
            assert list(results) == [expected] * 32

    def test_all_methods_in_eight_threads(self, bleu):
        """Methods that run side by side on one object return what they return alone."""
        columns, few = (
            {"predictions": PREDICTIONS, "references": REFERENCES},
            [row[0] for row in REFERENCES[:20]],
        )
        systems = {"A": PREDICTIONS, "B": PREDICTIONS[::-1]}
        calls = [
            lambda: bleu.compute(**columns, confidence=0.9, segments=True, tokenize="zh"),
            lambda: bleu.compute(statistics=bleu.statistics(**columns), smooth_method="add-k"),
            lambda: bleu.compare(systems, REFERENCES, n_resamples=20),
            lambda: bleu.diff(systems, REFERENCES),
            lambda: bleu.explain(PREDICTIONS[0], REFERENCES[0]),
            lambda: bleu.pairwise(few).tolist(),
            lambda: bleu.self_bleu(few),
            lambda: bleu.reconcile(**columns),
            lambda: bleu.reconcile(PREDICTIONS[:20], few, 12.3, tokenize="13a"),
        ]
        alone = [call() for call in calls]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda call: call(), calls * 8)) == alone * 8

    def test_eight_threads_with_an_object_each(self, load, expected):
        def collect(bleu):
            bleu.add_batch(predictions=PREDICTIONS[:100], references=REFERENCES[:100])
            return bleu.compute(predictions=PREDICTIONS[100:], references=REFERENCES[100:])

        objects = [
            load() for _ in range(8)
        ]  # one after the other: tqdm's progress bars in evaluate.load race
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(collect, objects)) == [expected] * 8


def test_repr(load):
    bleu = load("nltk", tokenize="zh", lowercase=True)
    assert repr(bleu) == str(bleu) == "BleuMetric('nltk', tokenize='zh', lowercase=True)"
    bleu.add(prediction="a", reference="a")
    assert repr(bleu) == "BleuMetric('nltk', tokenize='zh', lowercase=True, 1 row added)"
    bleu.add_batch(predictions=["a"] * 2000, references=["a"] * 2000)
    assert repr(bleu).endswith("2,001 rows added)")
    assert repr(load(tokenize={"en-zh": "zh"})) == "BleuMetric('default', tokenize={'en-zh': 'zh'})"


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_has_methods_of_its_own(load, duplicate):
    original = load(tokenize="zh")
    again = duplicate(original)
    assert again.explain("我们", "我们")["prediction"]["tokens"] == ["我", "们"]
    again.add(prediction="a", reference="a")
    assert (len(again), len(original)) == (1, 0)
    for name in METHODS:
        assert getattr(again, name).__self__ is again
        assert inspect.signature(getattr(again, name)) == inspect.signature(getattr(original, name))


# Names that other tools use.


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("score", r"compute\(predictions=\.\.\., references=\.\.\.\), or compute\(statistics=tables\)"),
        ("corpus_score", r"compute\(predictions=\.\.\., references=\.\.\.\), "),
        ("sentence_bleu", r"explain\(prediction, references\), "),
        ("update", r"add_batch\(predictions=\.\.\., references=\.\.\.\), then compute\(\)"),  # torchmetrics
        ("forward", r"compute\(predictions=\.\.\., references=\.\.\.\)"),  # torchmetrics
        ("compute_score", r"compute\(predictions=\.\.\., references=\.\.\.\)"),  # pycocoevalcap
        ("get_signature", r"compute\(predictions=\.\.\., references=\.\.\.\)\['signature'\]"),  # sacreBLEU
    ],
)  # fmt: skip
def test_a_method_of_another_tool_names_the_call_to_write(load, name, call):
    """The arguments do not matter: the error is that of the name."""
    for bleu in (load(), load("sacrebleu"), pickle.loads(pickle.dumps(load()))):
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'\. Write {call}"):
            getattr(bleu, name)
        assert not hasattr(bleu, name)
        assert name not in dir(bleu)


def test_any_other_name_is_pythons_error(bleu):
    with pytest.raises(AttributeError, match=r"^'BleuMetric' object has no attribute 'scoer'$"):
        bleu.scoer  # noqa: B018


# Calls that Python rejects name the call to write.

P, R = ["the cat sat there", "a dog"], [["the cat sat here"], ["a dog"]]
SYSTEMS_BY_NAME = r"{0}\(\) takes systems as a dict\. Write {0}\(\{{'A': \[\.\.\.\], 'B': \[\.\.\.\]\}}, references\), "
EXPLAIN = r"explain\(\) takes 2 positional arguments: prediction, references\. Write explain\(prediction, references\)\."
FINGERPRINT = (
    r"fingerprint\(\) takes 1 positional argument: references\. Write fingerprint\(references\)\."
)


@pytest.mark.parametrize(
    ("method", "arguments", "named", "message"),
    [
        ("compare", (), {"predictions": P, "references": R}, SYSTEMS_BY_NAME.format("compare")),
        ("compare", (), {"predictions": {"A": P, "B": P}, "references": R}, SYSTEMS_BY_NAME.format("compare")),
        ("rank", (), {"hypotheses": P}, SYSTEMS_BY_NAME.format("rank")),
        ("diff", (), {"predictions": P, "references": R}, SYSTEMS_BY_NAME.format("diff")),
        ("diff", ({"A": P, "B": P}, R, 3), {}, SYSTEMS_BY_NAME.format("diff")),
        ("explain", (), {"predictions": P, "references": R}, EXPLAIN),
        ("explain", (P[0],), {"reference": R[0]}, EXPLAIN),
        ("explain", (P[0], R[0], 3), {}, EXPLAIN),
        ("fingerprint", (P, R), {}, FINGERPRINT),
        ("fingerprint", (), {"predictions": P, "references": R}, FINGERPRINT),
        ("reconcile", (), {"predictions": P}, r"reconcile\(\) takes 3 .*\. Write reconcile\(predictions, references\)\."),
        ("check", (P,), {}, r"check\(\) takes 2 .*\. Write check\(predictions, references\)\."),
        ("pairwise", (), {"hypotheses": P}, r"pairwise\(\) takes 2 .*\. Write pairwise\(predictions\)\."),
        ("self_bleu", (), {"predictions": P}, r"self_bleu\(\) takes 1 positional argument: texts\. Write self_bleu\(texts\)\."),
        ("total", (), {}, r"total\(\) takes 1 .* Write total\(tables\)\."),
        ("compute_metrics", (), {}, r"compute_metrics\(\) takes 1 .* Write compute_metrics\(tokenizer\)\."),
        ("warm_up", (1,), {}, r"warm_up\(\) takes 0 positional arguments\. Write warm_up\(\)\."),
        ("statistics", (P, R), {}, r"statistics\(\) takes its columns by name\. Write statistics\(predictions=\.\.\., references=\.\.\.\)\."),
        ("add", (P[0], R[0]), {}, r"add\(\) takes its columns by name\. Write add\(prediction=\.\.\., reference=\.\.\.\)\."),
    ],
)  # fmt: skip
def test_a_call_that_python_rejects_names_the_call_to_write(
    load, method, arguments, named, message
):
    for bleu in (load(), pickle.loads(pickle.dumps(load()))):
        with pytest.raises(TypeError, match=f"^{message}") as raised:
            getattr(bleu, method)(*arguments, **named)
        assert raised.value.__context__ is None


def test_an_error_within_a_method_is_its_own(bleu):
    """A function of the user that gets wrong arguments raises its error, too."""
    with pytest.raises(ValueError, match=r"^prediction: the tokenizer failed: TypeError"):
        bleu.explain("a b", ["a b"], tokenize=lambda: None)
    with pytest.raises(TypeError, match=r"^references\[0\]: expected a list of references"):
        bleu.explain("a b", 3)


@pytest.mark.parametrize("method", ["reconcile", "check", "pairwise"])
def test_columns_by_name_work_in_any_order(bleu, method):
    columns = {"predictions": P, "references": ["the cat sat here", "a dog"]}
    by_name = getattr(bleu, method)(**dict(reversed(columns.items())))
    assert str(by_name) == str(getattr(bleu, method)(*columns.values()))
    assert bleu.explain(references=R[0], prediction=P[0]) == bleu.explain(P[0], R[0])


@pytest.mark.parametrize("method", ["compute", "add_batch", "statistics"])
def test_systems_as_predictions_point_to_compare(bleu, method):
    message = r"^predictions: got a dict of 2 columns\. Pass one of them, predictions\['A'\]; or compare systems: compare\(predictions, references\)\.$"
    with pytest.raises(TypeError, match=message):
        getattr(bleu, method)(predictions={"A": P, "B": P[::-1]}, references=R)
    captions = {"1": ["a cat sat", "the cat sat"], "2": ["a dog", "the dog"]}
    with pytest.raises(TypeError, match=r"^predictions and references: got dicts"):
        getattr(bleu, method)(predictions=captions, references=captions)
    for others in ({"A": P}, {"A": P[:1], "B": P}, {"A": "text", "B": "text"}, {}, {1: 2, 3: 4}):
        with pytest.raises(TypeError, match=r"got dict\. For each segment, pass"):
            getattr(bleu, method)(predictions=others, references=R)


@pytest.mark.parametrize(
    ("prediction", "references"),
    [
        ([P[0]], [R[0]]),
        ((P[0],), ((R[0][0],),)),
        ([P[0]], [[R[0][0], "a cat sat"]]),
        (np.array([P[0]]), np.array([R[0]])),
        (pa.array([P[0]]), pa.array([R[0]])),
        (pd.Series([P[0]]), pd.Series([R[0]])),
        (["hello"], [["hello there"]]),
        (P, R),
        (P, [["the cat sat here", "a cat sat here"], ["a dog", "the dog"]]),
        ([P[0]], [R[0][0]]),
        ([P[0]], R[0][0]),
        (np.array(P), ["the cat sat here", "a dog"]),
    ],
    ids=str,
)
def test_a_column_is_not_explained_as_tokens_with_spaces(bleu, prediction, references):
    with pytest.raises(TypeError, match=r"write explain\(predictions\[0\], references\[0\]\)\.$"):
        bleu.explain(prediction, references)


@pytest.mark.parametrize(
    ("prediction", "references"),
    [(["the", "cat"], [["the", "cat"]]), (["hello"], [["hello"]]), (["New York", "is", "big"], [["New York", "was", "big"]])],
)  # fmt: skip
def test_tokens_are_explained(bleu, prediction, references):
    assert "tok:tokens" in bleu.explain(prediction, references)["signature"]
