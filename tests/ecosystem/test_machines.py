"""More than one process: torchrun, Ray, Spark and Dask run the scripts of examples/machines."""

import os
import shutil
import subprocess
import sys

import cloudpickle
import pandas as pd
import pytest
from helpers import ROOT, random_rows
from recipes import example

pytestmark = pytest.mark.filterwarnings("ignore")

PREDICTIONS, REFERENCES = random_rows(seed=20, count=500)


DOCUMENTS = [f"document {i % 37:02}" for i in range(len(PREDICTIONS))]
OUTPUTS = pd.DataFrame({"after": PREDICTIONS, "reference": REFERENCES, "document": DOCUMENTS})


@pytest.fixture(autouse=True, scope="module")
def without_transformers():
    """Hide transformers from processes that only score: evaluate would import it, and torch, in each."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", str(ROOT / "tests" / "without_transformers"))
    yield
    patch.undo()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write `outputs.parquet`, which the recipes read, and return its folder."""
    OUTPUTS.to_parquet(tmp_path / "outputs.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def expected(bleu):
    """Return the result that each recipe has: of all segments, with the full signature."""
    return bleu.compute(predictions=PREDICTIONS, references=REFERENCES)


def test_torchrun_with_gloo(folder, expected):
    pytest.importorskip("torch")
    (folder / "score.py").write_text(example("machines/torchrun_gloo.py"))
    arguments = ["--nproc_per_node=2", "score.py"]
    output = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *arguments],
        capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    assert output.returncode == 0, output.stderr
    assert output.stdout.strip() == f"{expected['score']} {expected['signature']}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from this checkout, as the recipes for other machines do."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(folder), str(ROOT)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def ray(wheel, tmp_path_factory):
    """Start a cluster whose workers never loaded the metric, and get the package as a runtime environment.

    Workers take the folder and the path of this process, in which the files of the checkout would hide the package.
    """
    library = pytest.importorskip("ray")
    no_modules = str(tmp_path_factory.mktemp("no_modules"))
    folder = tmp_path_factory.mktemp("outputs")
    OUTPUTS.to_parquet(folder / "outputs.parquet")
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    patch.setenv(
        "PIP_NO_DEPS", "1"
    )  # pip would install all libraries a second time for the workers
    patch.setattr(sys, "path", [path for path in sys.path if path not in ("", str(ROOT))])
    library.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        logging_level="ERROR",
        runtime_env={
            "py_modules": [str(wheel)],
            "env_vars": {"HF_MODULES_CACHE": no_modules},
        },
    )
    yield library
    library.shutdown()
    patch.undo()


def test_ray_data_with_two_workers(ray, bleu):
    """One sum per document leads to the score and the interval of all segments."""
    code = example("machines/on_ray.py")
    result = bleu.compute(
        predictions=PREDICTIONS, references=REFERENCES, documents=DOCUMENTS, confidence=0.95
    )
    namespace: dict = {}
    exec(compile(code, "examples/machines", "exec"), namespace)
    assert namespace["scored"] == result


@pytest.mark.slow
def test_ray_data_without_documents(ray, bleu):
    """As the sentence below the recipe says."""
    code = example("machines/on_ray.py")
    for left_out in (
        '            documents=batch["document"],\n',
        '.sort_by("document")',
        ', documents="document", confidence=0.95',
        ', scored["documents"]',
    ):
        assert left_out in code
        code = code.replace(left_out, "")
    namespace: dict = {}
    exec(compile(code, "examples/machines", "exec"), namespace)
    assert namespace["scored"] == bleu.compute(predictions=PREDICTIONS, references=REFERENCES)


def test_a_ray_task_takes_the_object_and_returns_it(ray, bleu):
    """The worker has the installed class, in a process that never called `evaluate.load`."""

    @ray.remote
    def use(metric, method):
        metric.add(prediction="a b c d e", reference="a b c d e")
        return metric, method.__self__, type(metric).__module__, metric.Warning("text")

    metric, other, module, warning = ray.get(use.remote(bleu, bleu.compare))
    assert module == "bleu_metric.bleu_metric"
    # Ray pickles each argument by itself: the bound method has an object of its own.
    assert (len(metric), len(other), len(bleu)) == (1, 0, 0)
    assert metric.compute()["score"] == 100
    assert isinstance(warning, bleu.Warning)


@pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")
def test_spark_with_two_partitions(folder, expected):
    """In a process of its own: Java stays in it after `stop()`, and would look for later files in this folder."""
    pytest.importorskip("pyspark")
    split_into_two_files(folder)
    code = example("machines/on_spark.py")
    start = """
from pyspark.sql import SparkSession

SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
"""
    script = f"{start}\n{code}\nprint(scored == {expected!r})\nspark.stop()\n"
    (folder / "score.py").write_text(script, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "score.py"],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [f"{round(expected['score'], 2)}", "True"]


def test_dask_with_two_partitions(folder, expected):
    pytest.importorskip("dask.dataframe")
    split_into_two_files(folder)
    code = example("machines/on_dask.py")
    exec(compile(code, "examples/machines", "exec"), namespace := {})
    assert namespace["scored"] == expected


def test_dask_and_spark_pickle_functions_that_use_the_object(bleu, wheel, tmp_path, expected):
    """Both pickle functions with cloudpickle. Spark's workers import the wheel as a ZIP file."""

    def count(predictions, references):
        rows = bleu.statistics(predictions=predictions, references=references)
        return type(bleu).__module__, rows.to_pandas().sum().tolist()

    package = tmp_path / "bleu_metric.zip"
    shutil.copy(wheel, package)
    path = tmp_path / "count.pickle"
    path.write_bytes(cloudpickle.dumps((count, PREDICTIONS, REFERENCES)))
    code = f"import pickle; count, *columns = pickle.load(open({str(path)!r}, 'rb')); print(count(*columns))"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(package), os.environ["PYTHONPATH"]]),
        "HF_MODULES_CACHE": str(tmp_path / "no_modules"),
    }
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    module, total = eval(ran.stdout)
    assert module == "bleu_metric.bleu_metric"
    like = bleu.statistics(predictions=PREDICTIONS, references=REFERENCES)
    assert bleu.compute(statistics=total, like=like) == expected


def split_into_two_files(folder):
    """Replace `outputs.parquet` by a folder of this name with two files: two partitions."""
    data = pd.read_parquet(folder / "outputs.parquet")
    (folder / "outputs.parquet").unlink()
    (folder / "outputs.parquet").mkdir()
    for number, rows in enumerate((data[:200], data[200:])):
        rows.to_parquet(folder / "outputs.parquet" / f"{number}.parquet", index=False)


ROWS = (
    ["the cat sat on the mat", "a dog ran to the house", "it is big and old"],
    [["the cat sat on a mat"], ["the dog ran to a house", "a dog ran home"], ["it is big and red"]],
)


@pytest.mark.parametrize(
    ("rows", "processes"), [pytest.param(3, 4, marks=pytest.mark.slow), (1, 2)]
)
def test_torchrun_with_more_processes_than_rows(bleu, tmp_path, rows, processes):
    """The recipe as it stands: a process without rows does not change the sum."""
    pytest.importorskip("torch")
    predictions, references = (column[:rows] for column in ROWS)
    pd.DataFrame({"after": predictions, "reference": references}).to_parquet(
        tmp_path / "outputs.parquet"
    )
    (tmp_path / "score.py").write_text(example("machines/torchrun_gloo.py"))
    arguments = [f"--nproc_per_node={processes}", "score.py"]
    output = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", *arguments],
        capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert output.returncode == 0, output.stderr[-2000:]
    expected = bleu.compute(predictions=predictions, references=references)
    score, signature = output.stdout.split()[-2:]
    assert float(score) == expected["score"]
    assert signature.replace("nrefs:1", "nrefs:var") == expected["signature"].replace(
        "nrefs:1", "nrefs:var"
    )
