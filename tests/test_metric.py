"""The metric as evaluate's users meet it: loading, collecting, options, several processes and threads."""

import http.server
import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import datasets
import dill
import evaluate
import numpy as np
import pyarrow as pa
import pytest
import random_text
from bleu.bleu_kernel import COMPILED
from conftest import ROOT
from processes import python, result_of

PREDICTIONS, REFERENCES = random_text.rows(seed=8, count=300)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


SCORE = """
import json, sys
import evaluate, random_text
bleu = evaluate.load(sys.argv[1])
predictions, references = random_text.rows(seed=8, count=300)
print(json.dumps(bleu.compute(predictions=predictions, references=references)))
"""


@pytest.fixture(scope="module")
def expected(load):
    return load().compute(predictions=PREDICTIONS, references=REFERENCES)


def copied(folder):
    folder.mkdir()
    for path in [*ROOT.glob("*.py"), ROOT / "README.md", ROOT / "requirements.txt"]:
        if path.exists():
            shutil.copy(path, folder)
    return folder


class TestLoading:
    def test_by_path_and_by_folder_of_the_same_name(self, tmp_path, expected):
        folder = copied(tmp_path / "bleu_metric")
        for path in (folder, folder / "bleu_metric.py"):
            assert evaluate.load(str(path)).compute(predictions=PREDICTIONS, references=REFERENCES) == expected

    def test_from_a_space_which_lives_in_a_folder_called_app(self, tmp_path, expected):
        folder = copied(tmp_path / "app")
        assert python(SCORE, folder / "bleu_metric.py") == expected

    def test_without_a_network(self, expected, tmp_path):
        """Every attempt to open a connection is an error, and so is looking a name up."""
        blocked = (
            "import socket\n"
            "def refuse(*arguments, **options): raise AssertionError('the network was asked for')\n"
            "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse\n"
        )
        assert python(blocked + SCORE, ROOT / "bleu_metric.py", HF_MODULES_CACHE=str(tmp_path)) == expected

    def test_from_the_hub(self, expected, tmp_path):
        """A server with the Hub's addresses: the file and all its siblings come from there, at `main`."""
        asked = []

        class Hub(http.server.SimpleHTTPRequestHandler):
            def translate_path(self, path):
                prefix = "/spaces/somebody/bleu_metric/resolve/main/"
                asked.append(path)
                return str(ROOT / path.removeprefix(prefix)) if path.startswith(prefix) else "/nowhere"

            def end_headers(self):
                self.send_header("ETag", f'"{abs(hash(self.path))}"')
                super().end_headers()

            def log_message(self, *arguments):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            endpoint = f"http://127.0.0.1:{server.server_port}"
            home = {name: str(tmp_path / name) for name in ("HF_HOME", "HF_EVALUATE_CACHE", "HF_MODULES_CACHE")}
            assert python(SCORE, "somebody/bleu_metric", HF_ENDPOINT=endpoint, no_proxy="127.0.0.1", **home) == expected
            server.shutdown()
        siblings = {path.name for path in ROOT.glob("bleu_*.py")}
        assert siblings <= {path.rpartition("/")[2] for path in asked}

    @pytest.mark.skipif(not COMPILED, reason="numba can't be imported")
    def test_the_second_process_compiles_nothing(self, tmp_path):
        code = SCORE + (
            "kernel = sys.modules[type(bleu).__module__.rpartition('.')[0] + '.bleu_kernel']\n"
            "stats = kernel._count_rows.stats\n"
            "print(json.dumps([sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))\n"
        )
        run = partial(python, code, ROOT / "bleu_metric.py", NUMBA_CACHE_DIR=str(tmp_path))
        assert (run(), run()) == ([0, 1], [1, 0])

    def test_two_processes_that_compile_at_once(self, tmp_path, expected):
        environment = {"NUMBA_CACHE_DIR": str(tmp_path), "HF_MODULES_CACHE": str(tmp_path)}
        processes = [python(SCORE, ROOT / "bleu_metric.py", wait=False, **environment) for _ in range(2)]
        assert [result_of(process) for process in processes] == [expected] * 2

    def test_what_evaluate_shows_of_it(self, bleu):
        assert (bleu.name, bleu.module_type) == ("bleu_metric", "metric")
        assert "Papineni" in bleu.citation
        assert "tokenize" in bleu.inputs_description
        assert "tokenize" in bleu.compute.__doc__


class TestThreads:
    def test_eight_threads_with_one_object(self, bleu, expected):
        with ThreadPoolExecutor(8) as pool:
            results = pool.map(lambda _: bleu.compute(predictions=PREDICTIONS, references=REFERENCES), range(32))
            assert list(results) == [expected] * 32

    def test_eight_threads_with_an_object_each(self, load, expected):
        def collect(bleu):
            bleu.add_batch(predictions=PREDICTIONS[:100], references=REFERENCES[:100])
            return bleu.compute(predictions=PREDICTIONS[100:], references=REFERENCES[100:])

        objects = [load() for _ in range(8)]  # one after the other: tqdm's progress bars in evaluate.load race
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(collect, objects)) == [expected] * 8


class TestCollecting:
    @pytest.mark.parametrize("keep_in_memory", [False, True])
    def test_any_mixture_of_calls_keeps_the_rows_in_order(self, load, tmp_path, keep_in_memory):
        bleu = load(keep_in_memory=keep_in_memory, cache_dir=str(tmp_path))
        for _ in range(2):  # an object can be used again
            for i in range(20):
                bleu.add(prediction=PREDICTIONS[i], reference=REFERENCES[i])
            bleu.add_batch(predictions=PREDICTIONS[20:50], references=REFERENCES[20:50])
            bleu.add_batch(predictions=pa.array(PREDICTIONS[50:90]), references=pa.array(REFERENCES[50:90]))
            for i in range(90, 95):
                bleu.add(predictions=PREDICTIONS[i], references=REFERENCES[i])
            assert len(bleu) == 95
            result = bleu.compute(predictions=PREDICTIONS[95:], references=REFERENCES[95:], segments=True)
            assert result == load().compute(predictions=PREDICTIONS, references=REFERENCES, segments=True)
            assert len(bleu) == 0
            assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    def test_a_hundred_thousand_rows_one_by_one(self, load, tmp_path):
        bleu = load(cache_dir=str(tmp_path))
        texts = [f"row {i} of é many" for i in range(100_000)]
        for i, text in enumerate(texts):
            bleu.add(prediction=text, reference=text if i % 3 else f"line {i} of é many")
        result = bleu.compute(segments=True)
        assert [score == 1 for score in result["segment_bleu"]] == [i % 3 > 0 for i in range(100_000)]

    @pytest.mark.parametrize("rows", [([["a", "b"]], [[["a", "b", "c"]]]), ([[1, 2]], [[[1, 2, 3]]])])
    def test_tokens_and_ids(self, bleu, rows):
        expected = bleu.compute(predictions=rows[0] * 2, references=rows[1] * 2)
        bleu.add(prediction=rows[0][0], reference=rows[1][0])
        bleu.add_batch(predictions=rows[0], references=rows[1])
        assert bleu.compute() == expected

    def test_nothing_added(self, bleu):
        with pytest.raises(ValueError, match="nothing to score"):
            bleu.compute()

    def test_a_failing_compute_leaves_nothing(self, load, tmp_path):
        bleu = load(cache_dir=str(tmp_path))
        bleu.add(prediction="a", reference="a")

        def broken(text):
            raise RuntimeError("no such model")

        with pytest.raises(ValueError, match="predictions, row 0: the tokenizer failed: RuntimeError: no such model"):
            bleu.compute(tokenize=broken)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
        assert bleu.compute(predictions=["a b c d"], references=["a b c d"])["bleu"] == 1

    def test_an_object_that_goes_takes_its_file_along(self, load, tmp_path):
        bleu = load(cache_dir=str(tmp_path))
        bleu.add_batch(predictions=PREDICTIONS, references=REFERENCES)
        assert [path for path in tmp_path.rglob("*.arrow") if path.is_file()] != []
        bleu.__del__()
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    def test_two_processes_that_meet_in_files(self, tmp_path, expected):
        """evaluate's own way of distributing: the first process has the score, the others have none."""
        code = """
import json, sys
import evaluate, random_text
process = int(sys.argv[2])
bleu = evaluate.load(sys.argv[1], num_process=2, process_id=process, experiment_id="meeting", cache_dir=sys.argv[3])
predictions, references = random_text.rows(seed=8, count=300)
own = slice(150 * process, 150 * (process + 1))
bleu.add_batch(predictions=predictions[own], references=references[own])
print(json.dumps(bleu.compute()))
"""
        processes = [python(code, ROOT / "bleu_metric.py", i, tmp_path, wait=False) for i in range(2)]
        assert [result_of(process) for process in processes] == [expected, None]

    def test_combine_save_and_pickle(self, bleu, load, tmp_path, expected):
        combined = evaluate.combine([bleu, load("hf")], force_prefix=True)
        result = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert result["bleu_metric_0_score"] == expected["score"]
        combined.add_batch(predictions=PREDICTIONS, references=REFERENCES)
        assert combined.compute() == result
        path = evaluate.save(tmp_path, **expected)
        assert json.loads(path.read_text())["signature"] == expected["signature"]
        again = dill.loads(dill.dumps(bleu))  # as `datasets` does for `map` with several processes
        assert again.compute(predictions=PREDICTIONS, references=REFERENCES) == expected

    def test_results_are_plain(self, bleu):
        result = bleu.compute(predictions=PREDICTIONS, references=REFERENCES, segments=True, confidence=0.9)
        assert json.loads(json.dumps(result)) == result


SIGNATURES = [
    ({}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"),
    ({"lowercase": True, "effective_order": True}, "nrefs:1|case:lc|eff:yes|tok:13a|smooth:exp|version:"),
    ({"smooth_method": "floor"}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:"),
    ({"smooth_method": "add-k", "smooth_value": 0.005}, "|smooth:add-k[0.01]|value:0.005|version:"),
    ({"confidence": 0.9, "n_resamples": 20, "seed": 0}, "nrefs:1|bs:20|seed:0|case:mixed|"),
    ({"max_order": 2, "weights": [1, 0.5]}, "|smooth:exp|order:2|weights:1/0.5|version:"),
    ({"reference_length": "longest"}, "|smooth:exp|reflen:longest|version:"),
    ({"tokenize": str.split}, "|tok:str.split|"),
]


WRONG = [
    ({"tokenizer": "13a"}, TypeError, "no option `tokenizer` here: write `tokenize`"),
    ({"smooth": True}, TypeError, "smooth_method='laplace'"),
    ({"use_effective_order": True}, TypeError, "write `effective_order`"),
    ({"max_ngram_order": 4}, TypeError, "write `max_order`"),
    ({"trg_lang": "zh"}, TypeError, "tokenize='zh'"),
    ({"force": True}, TypeError, "leave it out"),
    ({"lowercased": True}, TypeError, "Did you mean `lowercase`"),
    ({"tokenize": "13b"}, ValueError, "tokenize='13b'"),
    ({"tokenize": None}, TypeError, "tokenize=None"),
    ({"lowercase": "no"}, TypeError, "lowercase='no'"),
    ({"max_order": 0}, ValueError, "max_order=0"),
    ({"max_order": 4.0}, TypeError, "max_order=4.0"),
    ({"max_order": True}, TypeError, "max_order=True"),
    ({"weights": [1]}, ValueError, "one weight an order, 4 in all"),
    ({"weights": [1, 1, 1, float("nan")]}, ValueError, "weights: nan"),
    ({"weights": [1, 1, 1, "a"]}, TypeError, "weights: 'a'"),
    ({"weights": [0, 0, 0, 0]}, ValueError, "not all 0"),
    ({"smooth_method": "chen"}, ValueError, "'none', 'floor', 'add-k', 'exp', 'laplace'"),
    ({"smooth_value": 1}, ValueError, "smooth_method='exp' takes none"),
    ({"smooth_method": "floor", "smooth_value": -1}, ValueError, "smooth_value: -1"),
    ({"reference_length": "average"}, ValueError, "'closest', 'shortest', 'longest'"),
    ({"confidence": 95}, ValueError, "confidence: 95"),
    ({"confidence": True}, TypeError, "confidence: True"),
    ({"n_resamples": 0}, ValueError, "n_resamples=0"),
    ({"seed": -1}, ValueError, "seed=-1"),
]


class TestOptions:
    def test_at_load_they_are_the_defaults_of_every_call(self, load):
        bleu = load(tokenize="zh", lowercase=True, seed=7)
        result = bleu.compute(predictions=["我们 A 用"], references=["我们 a 用"], max_order=3)
        assert result["bleu"] == 1
        assert "|case:lc|eff:no|tok:zh|" in result["signature"]
        assert "tok:char" in bleu.compute(predictions=["我们"], references=["我们"], tokenize="char")["signature"]

    @pytest.mark.parametrize(("options", "signature"), SIGNATURES)
    def test_signature(self, bleu, options, signature):
        assert signature in bleu.compute(predictions=["a b"], references=["a b"], **options)["signature"]

    def test_signature_of_tokens_ids_and_references(self, bleu):
        assert "nrefs:var|" in bleu.compute(predictions=["a", "b"], references=[["a"], ["b", "c"]])["signature"]
        assert "|tok:tokens|" in bleu.compute(predictions=[["a"]], references=[[["a"]]])["signature"]
        assert "|tok:ids|" in bleu.compute(predictions=[[1]], references=[[[1]]])["signature"]

    @pytest.mark.parametrize(("options", "error", "message"), WRONG)
    def test_wrong_ones(self, bleu, load, options, error, message):
        with pytest.raises(error, match=message):
            bleu.compute(predictions=["a"], references=["a"], **options)
        if options != {"tokenize": "13b"}:  # a later sacreBLEU may know it: the name is looked up when it is needed
            with pytest.raises(error, match=message):
                load(**options)

    def test_unknown_convention(self, load):
        with pytest.raises(ValueError, match="'default', 'papineni', 'hf', 'nltk', 'moses'"):
            load("google")

    @pytest.mark.parametrize(
        "rows", [{"predictions": [["a"]], "references": [[["a"]]]}, {"predictions": [[1]], "references": [[[1]]]}]
    )
    def test_no_tokenizer_for_what_is_tokenised(self, bleu, load, rows):
        for call in (bleu.compute, bleu.statistics):
            with pytest.raises(ValueError, match="leave it out, or give text"):
                call(**rows, tokenize="13a")
        with pytest.raises(ValueError, match="leave it out, or give text"):
            load(tokenize="zh").compute(**rows)
        assert load("nltk").compute(**rows, max_order=1)["bleu"] == 1

    def test_no_case_for_ids(self, bleu):
        with pytest.raises(ValueError, match="lowercase=True"):
            bleu.compute(predictions=[[1]], references=[[[1]]], lowercase=True)

    def test_a_tokenizer_that_returns_something_else(self, bleu):
        for tokenize in (lambda text: text, lambda text: [1], lambda text: None):
            with pytest.raises(TypeError, match="predictions, row 0: the tokenizer must return a list of str"):
                bleu.compute(predictions=["a", "b"], references=["a", "b"], tokenize=tokenize)


NO_ROWS = [[1, 2, 3], [], [[1.5] * 10], [[5, 1, 4, 0, 1, 1]], [-1] * 10, "abc", {"a": 1}, [0] * 9, [[[0] * 10]]]


class TestStatistics:
    def test_score_of_the_table_is_compute(self, bleu, expected):
        table = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
        assert table.num_rows == 300
        assert set(table.schema.types) == {pa.int64()}
        assert bleu.score(table) == expected
        everything = {"segments": True, "confidence": 0.95, "smooth_method": "floor"}
        assert bleu.score(table, **everything) == bleu.compute(
            predictions=PREDICTIONS, references=REFERENCES, **everything
        )

    def test_parts_and_sums_merge_to_the_whole(self, bleu, expected):
        parts = [
            bleu.statistics(predictions=PREDICTIONS[i : i + 77], references=REFERENCES[i : i + 77])
            for i in range(0, 300, 77)
        ]
        assert bleu.score(parts) == expected
        rows = np.concatenate([np.stack([np.asarray(column) for column in part.columns], axis=1) for part in parts])
        for sums in (rows.sum(axis=0), rows, [*rows[:2].tolist(), rows[2:].sum(axis=0).tolist()]):
            assert bleu.score(sums) == {**expected, "signature": expected["signature"].replace("nrefs:var|", "")}

    def test_the_table_says_how_it_was_counted(self, bleu, load):
        table = load("nltk").statistics(predictions=["a b"], references=[["a b"]], lowercase=True)
        made = json.loads(table.schema.metadata[b"bleu_metric"])
        assert made == {
            "tokenize": "none", "lowercase": True, "max_order": 4, "reference_length": "closest", "minimum_total": 1, "references": "1",
        }  # fmt: skip
        assert "|case:lc|eff:no|tok:none|" in bleu.score(table)["signature"]

    def test_rows_counted_in_different_ways_dont_mix(self, bleu, load):
        count = lambda **options: bleu.statistics(predictions=["a b"], references=["a b"], **options)  # noqa: E731
        different = {
            "tokenize": ("13a", "zh"),
            "lowercase": (False, True),
            "max_order": (4, 2),
            "reference_length": ("closest", "longest"),
        }
        for name, (one, other) in different.items():
            with pytest.raises(ValueError, match=f"{name} is {one!r} in table 0 and {other!r} in table 1"):
                bleu.score([count(), count(**{name: other})])
            with pytest.raises(ValueError, match=f"counted with {name}={one!r}, not {other!r}"):
                bleu.score(count(), **{name: other})
            with pytest.raises(ValueError, match=f"counted with {name}={one!r}, not {other!r}"):
                load(**{name: other}).score(count())
        with pytest.raises(ValueError, match="tokenize='13a', not 'none'"):
            load("moses").score(count())

    @pytest.mark.parametrize("statistics", NO_ROWS, ids=str)
    def test_what_is_no_statistics(self, bleu, statistics):
        with pytest.raises(ValueError, match="no statistics rows"):
            bleu.score(statistics)

    def test_a_table_of_something_else(self, bleu):
        with pytest.raises(ValueError, match="Table 0 is no table of statistics: its columns are a"):
            bleu.score(pa.table({"a": [1]}))

    def test_a_dataset_gives_its_columns(self, bleu, expected):
        data = datasets.Dataset.from_dict({"p": PREDICTIONS, "r": REFERENCES})
        assert bleu.compute(predictions=data["p"], references=data["r"]) == expected
