"""A script in the shape of transformers' `run_translation.py`: what it logs by evaluate's `sacrebleu`, it logs by this."""

import json
import runpy
import sys

import pytest

pytest.importorskip("transformers")
pytest.importorskip("torch")
pytest.importorskip("accelerate")

from helpers import ROOT
from tiny_t5 import SENTENCES, make_model, make_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore")

SCRIPT = (ROOT / "tests" / "ecosystem" / "run_translation.py").read_text(encoding="utf-8")
LOAD = 'evaluate.load("sacrebleu", cache_dir=model_args.cache_dir)'
OURS, EVALUATES = str(ROOT / "bleu_metric.py"), str(ROOT / "tests" / "evaluates_sacrebleu.py")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """`run(load, *arguments)`: the script with another line that loads the metric, and what it saves of an evaluation."""
    folder = tmp_path_factory.mktemp("run_translation")
    rows = [{"translation": {"en": text, "de": text.replace("the", "a")}} for text in SENTENCES]
    (folder / "data.json").write_text("\n".join(map(json.dumps, rows)))
    tokenizer = make_tokenizer()
    make_model(tokenizer).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")

    def run(load, *arguments, model=folder / "trained"):
        assert SCRIPT.count(LOAD) == 1
        (folder / "script.py").write_text(SCRIPT.replace(LOAD, load))
        common = f"""
            --model_name_or_path {model} --cache_dir {folder / "cache"} --source_lang en --target_lang de
            --train_file {folder / "data.json"} --validation_file {folder / "data.json"} --output_dir {folder / "trained"}
            --predict_with_generate --use_cpu --report_to none --disable_tqdm True
        """
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["script.py", *common.split(), *arguments])
            runpy.run_path(str(folder / "script.py"), run_name="__main__")
        return json.loads((folder / "trained" / "eval_results.json").read_text())

    training = ["--do_train", "--num_train_epochs", "6", "--learning_rate", "1e-2", "--per_device_train_batch_size", "6"]  # fmt: skip
    run(f"evaluate.load({EVALUATES!r})", "--do_eval", *training, model=folder / "model")
    return run


@pytest.mark.parametrize(
    "arguments", [["--do_eval"], ["--do_eval", "--num_beams", "3", "--max_source_length", "5"]]
)
def test_eval_bleu_is_that_of_evaluates_sacrebleu(run, arguments):
    """To the last digit that the script keeps, whether the name of evaluate's module is given or not."""
    theirs = run(f"evaluate.load({EVALUATES!r}, cache_dir=model_args.cache_dir)", *arguments)
    assert 5 < theirs["eval_bleu"] < 100
    for load in (
        f'evaluate.load({OURS!r}, "sacrebleu", cache_dir=model_args.cache_dir)',
        f"evaluate.load({OURS!r})",
    ):
        ours = run(load, *arguments)
        assert (ours["eval_bleu"], ours["eval_gen_len"]) == (
            theirs["eval_bleu"],
            theirs["eval_gen_len"],
        )
