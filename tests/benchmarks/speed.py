"""Speed of `compute` and `statistics` beside sacreBLEU, evaluate's `sacrebleu` module and bleuscore.

    python tests/benchmarks/speed.py [--budget] [--metric PATH] [--against PATH]

`--budget` prints one table instead: the speed ratios to keep. `--metric` measures the `bleu_metric.py` of another
checkout with the same script. `--against` is that of f287015: some limits are relative to it. Only ratios within one run
mean something. Lists and their strings are new in each call.
"""

import argparse
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import adversarial
import bleuscore
import evaluate
import ipadic
import look_cost
import MeCab
import methods
import pyarrow as pa
import sacrebleu
from common import (
    EVALUATES_SACREBLEU,
    METRIC,
    corpus,
    edit,
    many_references,
    median_seconds,
    outputs,
    print_table,
    renew,
)
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

SEGMENTS = 4_000  # per setting
MANY_REFERENCES = ((100, 2), (100, 30), (10, 300))  # rows, and references per row
WITHOUT_NUMBA = Path(__file__).resolve().parent.parent / "without_numba"
PEERS = ("sacreBLEU's `corpus_bleu`", "evaluate's `sacrebleu`", "bleuscore")  # as in `time_corpora`
IDS: dict[str, int] = {}


class Setting(NamedTuple):
    """A row of the table of settings."""

    name: str
    options: dict[str, Any]
    change: Callable[[str], Any] = str  # of each text
    direction: str = ""  # of the WMT21 outputs; several directions into European languages if empty


SETTINGS = [
    *(Setting(f"`{name}`", {"tokenize": name}) for name in ("13a", "none", "intl", "zh", "char")),
    Setting("lower case", {"lowercase": True}),
    Setting("lower case, a final sigma in each", {"lowercase": True}, lambda text: f"ΟΔΟΣ {text}"),
    Setting("lower case, emoji", {"lowercase": True}, lambda text: f"🙂👍🏽 {text} 🎉"),
    Setting("emoji, `intl`", {"tokenize": "intl"}, lambda text: f"🙂👍🏽 {text} 🎉"),
    Setting("lists of tokens", {}, str.split),
    Setting("lists of tokens, lower case", {"lowercase": True}, str.split),
    Setting(
        "lists of ids", {}, lambda text: [IDS.setdefault(token, len(IDS)) for token in text.split()]
    ),
    *(
        Setting(f"Japanese, `{name}`", {"tokenize": name}, direction="en-ja")
        for name in ("13a", "intl", "char")
    ),
]
CHINESE = Setting("Chinese, `zh`", {"tokenize": "zh"}, direction="en-zh")
_MECAB = MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
CALLABLES = {
    "`str.split`": str.split,
    "`re.findall`": re.compile(r"\w+|[^\w\s]").findall,
    "a function in Python": lambda text: [word.strip(".,") for word in text.split(" ")],
    "MeCab, Japanese": lambda text: _MECAB.parse(text).split(),
}


def time_corpora(bleu: evaluate.Metric, turns: int) -> dict[str, float]:
    """Return seconds per method for 40,000 segments; the first three methods are the peers."""
    predictions, references = columns = corpus(40_000)[1]
    arrow = {"predictions": pa.array(predictions), "references": pa.array(references)}
    module = evaluate.load(str(EVALUATES_SACREBLEU), cache_dir=tempfile.mkdtemp())
    calls = {
        "sacreBLEU, `corpus_bleu`": lambda p, r: sacrebleu.corpus_bleu(p, list(zip(*r))),
        "evaluate's `sacrebleu` module": lambda p, r: module.compute(predictions=p, references=r),
        "bleuscore 0.2 (Rust), called directly": lambda p, r: bleuscore.compute(r, p),
        "`compute` on Python lists": lambda p, r: bleu.compute(predictions=p, references=r),
        "`compute` on Arrow": lambda p, r: bleu.compute(**arrow),
        "`statistics` on Arrow": lambda p, r: bleu.statistics(**arrow),
    }
    return median_seconds(calls, lambda: renew(columns), turns)


ROWS_PER_LOOP = 4_000  # a loop has calls on as many rows, and at most 1,000 calls
TOKENIZER_CACHES = (
    Tokenizer13a.__call__,
    TokenizerRegexp.__call__,
)  # of texts that sacreBLEU has seen


def time_rows(bleu: evaluate.Metric, rows: int, turns: int) -> tuple[float, float, float]:
    """Return seconds of `compute`, of a reused `BLEU()` of sacreBLEU and of bleuscore, on a given number of rows.

    A loop has calls on blocks of different texts, as an evaluation, a reward or a notebook has them. Its mean contains
    all looks at texts, which take place in some of the calls. Seconds are of processor time, the median over loops.
    """
    columns, reused = corpus(40_000)[1], BLEU()
    calls = max(4, min(1_000, ROWS_PER_LOOP // rows))
    starts = itertools.cycle(range(0, len(columns[0]) - calls * rows, calls * rows))
    tools = {
        "compute": lambda p, r: bleu.compute(predictions=p, references=r),
        "sacreBLEU": reused.corpus_score,
        "bleuscore": lambda p, r: bleuscore.compute(r, p),
    }
    means: dict[str, list[float]] = {name: [] for name in tools}
    for _ in range(turns):
        for name, call in tools.items():
            first = next(starts)
            blocks = [
                renew(tuple(column[start : start + rows] for column in columns))
                for start in range(first, first + calls * rows, rows)
            ]
            if name == "sacreBLEU":
                blocks = [
                    (predictions, list(zip(*references))) for predictions, references in blocks
                ]
                for cached in TOKENIZER_CACHES:
                    cached.cache_clear()
            began = time.process_time()
            for block in blocks:
                call(*block)
            means[name].append((time.process_time() - began) / calls)
    return tuple(map(statistics.median, means.values()))


def time_first_loop(metric: str, rows: int, turns: int) -> tuple[float, float]:
    """Return seconds of `compute` and of sacreBLEU for a loop over single rows, each in a fresh process.

    The kernels are in numba's cache, but not loaded.
    """
    data = f"from common import corpus; _, columns = corpus({rows})"
    load = f"import evaluate; bleu = evaluate.load({metric!r}); {data}"
    peer = f"from sacrebleu.metrics import BLEU; bleu = BLEU(); {data}"
    loop = "for p, r in zip(*columns): bleu."
    with tempfile.TemporaryDirectory() as cache:
        seconds_in_process(load, "bleu.warm_up()", cache)
        processes = [
            (load, f"{loop}compute(predictions=[p], references=[r])", cache),
            (peer, f"{loop}corpus_score([p], [[text] for text in r])", cache),
        ]
        own, others = median_of_processes(processes, turns)
    return own, others


def setting_ratio(bleu: evaluate.Metric, setting: Setting, turns: int) -> float:
    """Return sacreBLEU's time divided by the time of `compute` under a setting.

    sacreBLEU gets a new `BLEU` per call; instead of tokens or ids it gets their texts under `none`.
    """
    texts = outputs(setting.direction, SEGMENTS) if setting.direction else corpus(SEGMENTS)[1]
    columns = edit(texts, setting.change)
    texts, options = (
        (columns, {}) if isinstance(columns[0][0], str) else (texts, {"tokenize": "none"})
    )
    options |= setting.options
    calls = {
        "sacreBLEU": lambda t, c: BLEU(**options).corpus_score(t[0], list(zip(*t[1]))),
        "compute": lambda t, c: bleu.compute(predictions=c[0], references=c[1], **setting.options),
    }
    seconds = median_seconds(calls, lambda: renew((texts, columns)), turns)
    return seconds["sacreBLEU"] / seconds["compute"]


def callable_ratio(bleu: evaluate.Metric, name: str, turns: int) -> float:
    """Return the time of `compute` with a callable tokenizer divided by the tokenizer's own time."""
    tokenize = CALLABLES[name]
    columns = outputs("en-ja", SEGMENTS) if "Japanese" in name else corpus(SEGMENTS)[1]

    def tokenize_alone(predictions: list[str], references: list[list[str]]) -> None:
        for texts in (predictions, *references):
            for text in texts:
                tokenize(text)

    calls = {
        "alone": tokenize_alone,
        "compute": lambda p, r: bleu.compute(predictions=p, references=r, tokenize=tokenize),
    }
    seconds = median_seconds(calls, lambda: renew(columns), turns)
    return seconds["compute"] / seconds["alone"]


def seconds_in_process(setup: str, statement: str, cache: str | None = None) -> float:
    """Return the seconds of a statement in a separate process, by default without compiled kernels."""
    code = [
        "import time",
        setup,
        "start = time.perf_counter()",
        statement,
        "print(time.perf_counter() - start)",
    ]
    with tempfile.TemporaryDirectory() as empty:
        environment = {"NUMBA_CACHE_DIR": cache or empty, "PYTHONPATH": str(Path(__file__).parent)}
        process = [sys.executable, "-W", "ignore", "-c", "\n".join(code)]
        return float(
            subprocess.check_output(
                process, env=os.environ | environment, stderr=subprocess.DEVNULL
            )
        )


def median_of_processes(processes: list[tuple[str, ...]], turns: int) -> list[float]:
    """Return the median seconds of each process; the processes take turns."""
    times = [[seconds_in_process(*process) for process in processes] for _ in range(turns)]
    return [statistics.median(column) for column in zip(*times)]


def first_calls(metric: str) -> Iterator[list[str]]:
    """Yield the rows of the table of first calls."""
    load = f"import evaluate; bleu = evaluate.load({metric!r})"
    compute = "bleu.compute(predictions=predictions, references=references)"
    corpus_bleu = "sacrebleu.corpus_bleu(predictions, list(zip(*references)))"
    with tempfile.TemporaryDirectory() as cache:
        seconds_in_process(load, "bleu.warm_up()", cache)
        for rows in (1, 100, 3_000, 40_000):
            data = f"; from common import corpus; _, (predictions, references) = corpus({rows})"
            sacrebleu_process = ("import sacrebleu" + data, corpus_bleu)
            ours = [(load + data, compute), (load + data, compute, cache)]
            times = median_of_processes([sacrebleu_process, *ours], 3)
            yield [f"{rows:,}", *(f"{time:.4f}" for time in times)]


def time_python(metric: str, rows: int, references: int, turns: int) -> dict[str, float]:
    """Return seconds per tool for a corpus; call it in a process without numba."""
    warnings.simplefilter("ignore")
    bleu = evaluate.load(metric)
    columns = many_references(rows, references)
    calls = {
        "sacreBLEU": lambda p, r: BLEU().corpus_score(p, list(zip(*r))),
        "compute": lambda p, r: bleu.compute(predictions=p, references=r),
    }
    return median_seconds(calls, lambda: renew(columns), turns)


def time_without_kernels(metric: str, turns: int) -> Iterator[tuple[int, int, float, float]]:
    """Yield rows, references per row, and seconds of sacreBLEU and of `compute` without numba."""
    paths = os.pathsep.join([str(WITHOUT_NUMBA), str(Path(__file__).parent)])
    for rows, references in MANY_REFERENCES:
        call = f"speed.time_python({metric!r}, {rows}, {references}, {turns})"
        printed = subprocess.check_output(
            [sys.executable, "-W", "ignore", "-c", f"import speed; print(*{call}.values())"],
            env=os.environ | {"PYTHONPATH": paths},
            text=True,
        )
        peer, own = map(float, printed.split())
        yield rows, references, peer, own


def print_tables(bleu: evaluate.Metric, metric: str) -> None:
    """Print the tables of docs/speed.md from "Corpora" to "Each setting"."""
    seconds = time_corpora(bleu, 5)
    peers = list(seconds.values())[:3]
    header = ["tool or method", "seconds", *(f"times as fast as {peer}" for peer in PEERS)]
    rows = (
        [name, f"{own:.3f}", *(f"{peer / own:.1f}x" for peer in peers)]
        for name, own in seconds.items()
    )
    print_table(header, rows)
    sizes = ((rows, *time_rows(bleu, rows, 5)) for rows in (1, 8, 64, 512, 4_096))
    rows = (
        [f"{n:,}", f"{1e6 * own:,.0f}", *(f"{peer / own:.1f}x" for peer in peers)]
        for n, own, *peers in sizes
    )
    print_table(
        ["rows", "`compute`, µs", "times as fast as sacreBLEU", "times as fast as bleuscore"], rows
    )
    header = [
        "rows",
        "sacreBLEU, seconds",
        "`compute`, not compiled yet",
        "`compute`, compiled before",
    ]
    print_table(header, first_calls(metric))
    header = [
        "rows",
        "references per row",
        "sacreBLEU, seconds",
        "`compute` without numba",
        "times as fast as sacreBLEU",
    ]
    rows = (
        [f"{n:,}", f"{references:,}", f"{peer:.4f}", f"{own:.4f}", f"{peer / own:.1f}x"]
        for n, references, peer, own in time_without_kernels(metric, 5)
    )
    print_table(header, rows)
    header = [
        f"{SEGMENTS:,} segments of {corpus(1)[0]}, 2 references",
        "times as fast as sacreBLEU",
    ]
    print_table(
        header, ([setting.name, f"{setting_ratio(bleu, setting, 5):.1f}x"] for setting in SETTINGS)
    )
    rows = ([name, f"{callable_ratio(bleu, name, 5):.2f}x"] for name in CALLABLES)
    print_table(["a function as tokenizer", "`compute` / function alone"], rows)


# Milliseconds that the look may take, by rows.
LOOKS = {1: 8.0, 64: 8.0, 3_000: 8.0, 100_000: 8.0}
LOOKS_AT_ORDINARY_ROWS = {1: 0.05, 64: 0.4, 3_000: 1.0, 100_000: 3.0}
ORDINARY = "ordinary rows"
STRANGE = (
    "a model that hasn't learned: random words",
    "a model that hasn't learned: repeated words",
    "one text in all rows",
    "`</s>` in each row",
    "JSON in each row",
)
SMALL_CALLS = {  # at least twice as fast as f287015
    "`compute(segments=True)`": (1, 8, 64),
    "`statistics`": (1, 64, 512),
    "`explain`": (1,),
    look_cost.CALLBACK: (8,),
}


def budget_of_looks(metric: str) -> Iterator[list[str]]:
    """Yield the rows of the look, for calls that are looked at by themselves, and of `check`."""
    for name in (ORDINARY, *STRANGE):
        limits = LOOKS_AT_ORDINARY_ROWS if name == ORDINARY else LOOKS
        times = look_cost.time_looks(metric, [(name, rows) for rows in limits])
        yield [
            f"the look, {' / '.join(f'{rows:,}' for rows in limits)} rows, {name}",
            " / ".join(f"{limit:g}" for limit in limits.values()) + " ms",
            " / ".join(f"{1000 * (looking - blind):.2f}" for looking, blind in times) + " ms",
        ]
    for name in (ORDINARY, STRANGE[0], STRANGE[3]):
        seconds, size = look_cost.measure_call(metric, look_cost.CHECK + name, 100_000)
        measured = f"{seconds:.1f} s, {size / 1e6:.0f} MB"
        yield [f"`check`, 100,000 rows, {name}", "4 s, 300 MB", measured]


def budget_against(metric: str, against: str) -> Iterator[list[str]]:
    """Yield the rows that are relative to f287015."""
    for name, sizes in SMALL_CALLS.items():
        times = look_cost.time_calls(metric, against, [(name, rows) for rows in sizes])
        yield [
            f"{name}, calls of {' / '.join(map(str, sizes))} rows",
            "2x f287015",
            " / ".join(f"{other / own:.1f}x ({1e6 * own:.0f} µs)" for own, other in times),
        ]
    ((own, other),) = look_cost.time_calls(metric, against, [(look_cost.CALLBACK, 4_000)])
    name = f"the callback, 4,000 x {look_cost.CALLBACK_LENGTH} ids, decoding aside"
    yield [name, "0.95x f287015", f"{other / own:.2f}x"]
    loads = [
        ("import datasets, evaluate", f"evaluate.load({path!r})") for path in (metric, against)
    ]
    own, other = median_of_processes(loads, 9)
    yield ["`evaluate.load` from a folder, once installed", "0.95x f287015", f"{other / own:.2f}x"]


def budget(bleu: evaluate.Metric, metric: str, against: str | None) -> Iterator[list[str]]:
    """Yield work, limit and measured ratios per row of the budget."""
    _, module, rust, lists, _, arrow = time_corpora(bleu, 3).values()
    work = "`compute` on lists, 40,000 segments with 2 references"
    yield [
        work,
        "65x evaluate's `sacrebleu`, 6x bleuscore",
        f"{module / lists:.0f}x, {rust / lists:.1f}x",
    ]
    yield [
        "`statistics` on Arrow, the same segments",
        "100x evaluate's `sacrebleu`",
        f"{module / arrow:.0f}x",
    ]
    times = [time_rows(bleu, rows, 5) for rows in (1, 8, 64, 512)]
    ratios = " / ".join(f"{peer / own:.1f}x" for own, peer, _ in times)
    work = "1 / 8 / 64 / 512 segments in loops over new texts, against a reused `BLEU()`"
    yield [work, "2x / 8x / 25x / 30x", ratios]
    own, peer = time_first_loop(metric, 2_000, 3)
    work = "a loop of 2,000 single segments in a fresh process, kernels in numba's cache"
    yield [work, "1x a reused `BLEU()`", f"{peer / own:.1f}x"]

    by_name = {setting.name: setting for setting in [*SETTINGS, CHINESE]}
    text = [
        "`13a`",
        "`none`",
        "`intl`",
        "emoji, `intl`",
        "lower case",
        "Chinese, `zh`",
        "Japanese, `char`",
    ]
    limits = {
        "native tokenizers on text": ("30x", [*text, "Japanese, `intl`"]),
        "Japanese under `13a`": ("20x", ["Japanese, `13a`"]),
        "token lists": ("12x", ["lists of tokens", "lists of tokens, lower case"]),
        "token ids": ("20x", ["lists of ids"]),
        "non-ASCII lower case": ("25x", ["lower case, a final sigma in each", "lower case, emoji"]),
    }
    for work, (limit, names) in limits.items():
        yield [
            work,
            limit,
            "; ".join(f"{name} {setting_ratio(bleu, by_name[name], 3):.0f}x" for name in names),
        ]
    ratios = "; ".join(f"{name} {callable_ratio(bleu, name, 3):.1f}x" for name in CALLABLES)
    yield ["a callable tokenizer", "at most 4x its own time", ratios]

    measured = time_without_kernels(metric, 3)
    ratios = " / ".join(
        f"{peer / own:.1f}x" for _, references, peer, own in measured if references > 2
    )
    yield ["without numba, 30 / 300 references per row", "1x sacreBLEU", ratios]
    worst = sorted(adversarial.compute_ratios(bleu), key=lambda row: -row[1])[:3]
    ratios = "; ".join(f"{name} {ratio:.1f}x" for name, ratio in worst)
    yield [
        "input built to be slow, the three worst",
        "at most 3x ordinary input of the same size",
        ratios,
    ]
    times = [methods.time_compare(bleu, test, 3) for test in methods.TESTS]
    ratios = " / ".join(f"{peer / own:.0f}x" for peer, own in times)
    yield ["`compare`, bootstrap / randomization, 5 systems of 3,000 segments", "40x / 50x", ratios]

    for name, limit in (("`rank`, 60 systems of", "60 s, 1,000 MB"), ("`reconcile`,", "10 s")):
        seconds, nbytes = look_cost.measure_call(metric, name, 2_000)
        yield [f"{name} 2,000 segments", limit, f"{seconds:.1f} s, {nbytes / 1e6:.0f} MB"]
    times = methods.time_documents(bleu, 3)
    ratios = " / ".join(f"{documents / segments:.2f}x" for segments, documents in times)
    yield [
        "`compare` / `rank` by document, 10 systems of 3,000 segments",
        "at most 1x the time by segment",
        ratios,
    ]
    yield from budget_of_looks(metric)
    if against is not None:
        yield from budget_against(metric, against)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print tables of docs/speed.md.")
    parser.add_argument(
        "--budget", action="store_true", help="print the table of the speed budget instead"
    )
    parser.add_argument(
        "--metric", default=METRIC, help="a bleu_metric.py (default: that of this checkout)"
    )
    parser.add_argument("--against", help="the bleu_metric.py of a checkout of f287015")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    metric = str(Path(arguments.metric).resolve())
    bleu = evaluate.load(metric)
    bleu.warm_up()
    if arguments.budget:
        print_table(
            ["work", "must stay at least", "measured"], budget(bleu, metric, arguments.against)
        )
    else:
        print_tables(bleu, metric)


if __name__ == "__main__":
    main()
