"""Figures of `check`, and of the warnings that `compute` issues unasked.

    python tests/benchmarks/checks.py legitimate   # alarms in invented texts without a mistake
    python tests/benchmarks/checks.py mistakes     # mistakes put into outputs of WMT21's systems
    python tests/benchmarks/checks.py real         # findings in WMT21's outputs as they are
    python tests/benchmarks/checks.py rows         # rows dropped and doubled, and a shuffled file
    python tests/benchmarks/checks.py cost         # time and memory of the look and of `check`
    python tests/benchmarks/checks.py attacks      # texts that are slow to search, four times as long
    python tests/benchmarks/checks.py kinds        # each kind by an example

`--metric PATH` measures the `bleu_metric.py` of another checkout. `--quick` takes a part of the sets. `--list` prints
each alarm, or each mistake that is missed. WMT21's data is not part of the project; without it, `mistakes`, `real` and
`rows` print no table.
"""

import argparse
import ast
import copy
import random
import re
import sys
import time
import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import evaluate
import look_cost
from common import METRIC, median_seconds, print_table
from damage import (
    Case,
    Change,
    Pair,
    away_and_back,
    double,
    drop,
    fewer,
    interleave,
    order,
    put_all,
    repeat_first,
    shuffle,
    swap_batches,
)
from helpers import WMT21, read_published, read_system
from legitimate import Set, list_sets
from mistakes import ATTACKS, CASES

# Warnings of `compute` that don't come from a look at the texts.
OTHER_WARNINGS = (
    "zero",
    "few ",
    "small groups",
    "numba",
    "square",
    "sentences",
    "token references",
)
NO_EFFECT = 0.1  # points of BLEU, below which a mistake counts as harmless
COSTLY = 3.0  # points of BLEU, from which a mistake should be told unasked
NEAR = 0.3  # points of BLEU, within which a score counts as restored, above which as inflated
NEVER_TOLD = {"typography"}
HARM = 0.05  # points of BLEU, from which on a bare `fixed()` harms


# --- One input ------------------------------------------------------------------------------------


class Look(NamedTuple):
    """The score of an input, and what the metric says about it.

    told: the warnings of `compute`, by kind.
    result: the result of `check`.
    """

    score: float
    told: dict[str, str]
    result: Any

    @property
    def found(self) -> dict[str, dict[str, Any]]:
        """The findings of `check`, by kind."""
        return {finding["kind"]: finding for finding in self.result["findings"]}


def compute(
    bleu: Any, predictions: list[str], references: list[Any], options: Mapping[str, Any]
) -> tuple[float, dict[str, str]]:
    """Return the score, and the warnings about the texts by kind, as of the first call of an object."""
    bleu = copy.copy(bleu)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = bleu.compute(predictions=predictions, references=references, **options)
    told = {}
    for warning in caught:
        kind = getattr(warning.message, "kind", "")
        if kind and not kind.startswith(OTHER_WARNINGS):
            told[kind] = str(warning.message)
    return float(result["score"]), told


def look(
    bleu: Any, predictions: list[str], references: list[Any], options: Mapping[str, Any]
) -> Look:
    """Return the score of an input, the warnings and the result of `check`."""
    score, told = compute(bleu, predictions, references, options)
    return Look(score, told, bleu.check(predictions, references, **options))


def score_after(bleu: Any, result: Any, options: Mapping[str, Any], *kinds: str) -> float | None:
    """Return the score of the texts after `fixed(*kinds)`; None if a kind isn't fixed in texts."""
    try:
        predictions, references = result.fixed(*kinds)
    except ValueError:
        return None
    if not len(predictions):
        return None
    return compute(bleu, predictions, references, options)[0]


# --- legitimate -----------------------------------------------------------------------------------


class Alarm(NamedTuple):
    """What the metric says wrongly about a set without a mistake."""

    told: dict[str, str]
    found: dict[str, str]
    lowered: float


def find_alarms(bleu: Any, each: Set) -> Alarm:
    """Return the warnings and findings that don't hold for a set, and the points that a fix costs."""
    seen = look(bleu, each.predictions, each.references, each.options)
    told = {kind: text for kind, text in seen.told.items() if kind not in each.told}
    found = {
        kind: str(finding["says"])
        for kind, finding in seen.found.items()
        if kind not in each.true | each.told
    }
    after = score_after(bleu, seen.result, each.options)
    lowered = 0.0 if after is None else max(0.0, seen.score - after)
    return Alarm(told, found, lowered)


def check_legitimate(bleu: Any, quick: bool, listed: bool) -> None:
    """Print the alarms in texts without a mistake, by domain."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: Counter[str] = Counter()
    for each in list_sets(every=7 if quick else 1):
        alarm = find_alarms(bleu, each)
        counts[each.domain] += Counter(
            sets=1,
            told=bool(alarm.told),
            found=bool(alarm.found),
            lowered=alarm.lowered > 0.01,
        )
        kinds.update(f"{kind}, told" for kind in alarm.told)
        kinds.update(list(alarm.found))
        if listed and (alarm.told or alarm.found or alarm.lowered > 0.01):
            print(f"{each.name}: the fix costs {alarm.lowered:.2f} points")
            for name, says in (("told", alarm.told), ("found", alarm.found)):
                for kind, text in says.items():
                    print(f"    {name} {kind}: {text}")
    columns = ["sets", "told", "found", "lowered"]
    wrong = {name: row for name, row in counts.items() if row.total() > row["sets"]}
    rows = [[name, *(str(row[column]) for column in columns)] for name, row in wrong.items()]
    total = sum(counts.values(), Counter())
    rows.append([f"all {len(counts)} domains", *(f"{total[column]}" for column in columns)])
    print_table(
        ["domain with an alarm", "sets", "warned of", "with findings", "lowered by `fixed()`"], rows
    )
    print_table(["kind", "sets"], [[kind, str(count)] for kind, count in kinds.most_common()])


# --- mistakes -------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What the metric makes of a mistake.

    loss: the points that the mistake costs.
    named: the right kind is a finding.
    told: `compute` warns of the right kind.
    distance: points between the score after the best fix of the right kind and the clean one; None
        without such a fix.
    can_restore: the mistake can be undone.
    inflated: points of a bare `fixed()` above the clean score.
    harmed: points of a bare `fixed()` below the score of both the clean and the damaged texts.
    taken: words of references that a bare `fixed()` removes.
    says: the kinds found and told.
    """

    loss: float
    named: bool
    told: bool
    distance: float | None
    can_restore: bool
    inflated: float
    harmed: float
    taken: Counter[str]
    says: str


def count_words(texts: Sequence[str]) -> Counter[str]:
    """Count the words of some texts in composed form, without spaces and punctuation."""
    composed = [unicodedata.normalize("NFC", text) for text in texts]
    return Counter(word for text in composed for word in re.findall(r"\w+", text))


def list_taken(case: Case, fixed: Sequence[Any]) -> Counter[str]:
    """Return the words of clean and of damaged references that fixed ones lack, row by row."""
    taken: Counter[str] = Counter()
    for clean, damaged, after in zip(case.before.references, case.damaged.references, fixed):
        left = count_words([after] if isinstance(after, str) else after)
        taken += (count_words(clean) & count_words(damaged)) - left
    return taken


def read_option(fix: str) -> dict[str, Any]:
    """Return the option that a line to write passes, such as `tokenize='zh'`; empty for other lines."""
    match = re.fullmatch(r"(\w+)=('[\w-]+'|True)", fix)
    return {match[1]: ast.literal_eval(match[2])} if match else {}


def score_fixes(bleu: Any, case: Case, seen: Look, right: Collection[str]) -> Iterator[float]:
    """Yield the scores after the fixes of the right kinds: of texts, and of options."""
    damaged = case.damaged
    given = (damaged.predictions, damaged.references)
    for kinds in ((), *((kind,) for kind in right)):
        try:
            predictions, references = seen.result.fixed(*kinds)
        except ValueError:
            continue
        lists = [[row] if isinstance(row, str) else row for row in references]
        if predictions and (predictions, lists) != given:
            yield compute(bleu, predictions, references, damaged.options)[0]
    for finding in seen.result["findings"]:
        option = read_option(finding["fix"]) if finding["kind"] in right else {}
        if option:
            yield compute(bleu, *given, {**damaged.options, **option})[0]


def judge(bleu: Any, case: Case, score_clean: Callable[[Pair], list[float]]) -> Verdict:
    """Return what the metric makes of a mistake; `score_clean` has the scores of texts without it."""
    damaged = case.damaged
    before = score_clean(case.before)
    # `compute` looks for no other order of all rows: `unrelated` is the right warning.
    kinds_told = case.kinds | {"unrelated"} if case.family == "rows" else case.kinds
    seen = look(bleu, damaged.predictions, damaged.references, damaged.options)
    right = case.kinds & set(seen.found)
    targets = [score for pair in case.clean for score in score_clean(pair)]
    scores = score_fixes(bleu, case, seen, right)
    distances = [abs(score - target) for score in scores for target in targets]
    predictions, references = seen.result.fixed()
    after = compute(bleu, predictions, references, damaged.options)[0]
    return Verdict(
        before[0] - seen.score,
        bool(right),
        bool(kinds_told & set(seen.told)),
        min(distances, default=None),
        bool(case.clean),
        max(0.0, after - max(*before, seen.score)),
        max(0.0, min(*before, seen.score) - after),
        list_taken(case, references),
        f"found {sorted(seen.found)}, told {sorted(seen.told)}",
    )


def check_mistakes(bleu: Any, quick: bool, listed: bool) -> None:
    """Print how many mistakes are named, told unasked and undone, and what a fix breaks, by family."""
    known: dict[Any, list[float]] = {}

    def score_clean(pair: Pair) -> list[float]:
        """Return the scores of clean texts, as they are and after the fixes of what they have."""
        key = hash((pair.name, *pair.predictions, *map(tuple, pair.references), str(pair.options)))
        if key not in known:
            seen = look(bleu, pair.predictions, pair.references, pair.options)
            after = score_after(bleu, seen.result, pair.options)
            known[key] = [seen.score] if after is None else [seen.score, after]
        return known[key]

    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in put_all(rows=400, every=13 if quick else 1):
        verdict = judge(bleu, case, score_clean)
        is_harmless = abs(verdict.loss) < NO_EFFECT
        costly = abs(verdict.loss) >= COSTLY and not case.kinds <= NEVER_TOLD
        distance = verdict.distance
        is_near = distance is not None and distance <= NEAR
        marks = {
            "NOT NAMED": not is_harmless and not verdict.named,
            "NOT TOLD": costly and not verdict.told,
            "NOT RESTORED": not is_harmless and verdict.can_restore and not is_near,
            "INFLATED": verdict.inflated > NEAR,
            "HARMED": verdict.harmed > HARM,
            "WORDS TAKEN": bool(verdict.taken),
        }
        counts[case.family] += Counter(
            inflated=marks["INFLATED"], harmed=marks["HARMED"], taken=verdict.taken.total()
        )
        if not is_harmless:
            counts[case.family] += Counter(
                cases=1,
                named=verdict.named,
                costly=costly,
                told=costly and verdict.told,
                undoable=verdict.can_restore,
                restored=verdict.can_restore and is_near,
            )
        if listed and any(marks.values()):
            far = "" if distance is None else f", {distance:.1f} points away after the fix"
            taken = f", takes {dict(verdict.taken.most_common(4))}" if verdict.taken else ""
            print(
                f"{case.name}, {case.share:.0%} of {case.before.name}:"
                f" {', '.join(name for name, holds in marks.items() if holds)};"
                f" costs {verdict.loss:.1f}{far}, inflated by {verdict.inflated:.1f}, harmed by"
                f" {verdict.harmed:.1f}{taken}; asked for {'|'.join(sorted(case.kinds))},"
                f" {verdict.says}",
                flush=True,
            )
    rows = [_write_counts(name, row) for name, row in counts.items()]
    rows.append(_write_counts("all", sum(counts.values(), Counter())))
    header = ["family", "cases", "named", f"told, from {COSTLY:.0f} points on"]
    header += [f"restored within {NEAR} points", "inflated", "harmed"]
    print_table([*header, "words taken from references"], rows)


def _write_counts(name: str, row: Mapping[str, int]) -> list[str]:
    return [
        name,
        str(row["cases"]),
        f"{row['named']} ({row['named'] / max(1, row['cases']):.0%})",
        f"{row['told']} of {row['costly']} ({row['told'] / max(1, row['costly']):.0%})",
        f"{row['restored']} of {row['undoable']} ({row['restored'] / max(1, row['undoable']):.0%})",
        str(row["inflated"]),
        str(row["harmed"]),
        str(row["taken"]),
    ]


# --- real -----------------------------------------------------------------------------------------


class System(NamedTuple):
    """The output of a system of WMT21, one reference per row, and the tokenizer for it."""

    name: str
    predictions: list[str]
    references: list[str]
    tokenize: str


def read_systems() -> Iterator[System]:
    """Yield the outputs of all systems, each once per reference."""
    seen = set()
    for row in read_published():
        predictions, references, tokenize = read_system(row)
        texts = [row_references[0] for row_references in references]
        name = f"{row['pair']} {row['system']}"
        if len(references[0]) == 1 and (name, texts[0]) not in seen:
            seen.add((name, texts[0]))
            yield System(name, predictions, texts, tokenize)


def check_real(bleu: Any, quick: bool, listed: bool) -> None:
    """Print the warnings and findings in real outputs, by kind."""
    told: Counter[str] = Counter()
    found: Counter[str] = Counter()
    systems = list(read_systems())[:: 20 if quick else 1]
    for system in systems:
        seen = look(bleu, system.predictions, system.references, {"tokenize": system.tokenize})
        told.update(list(seen.told))
        found.update(list(seen.found))
        for text in seen.told.values():
            print(f"{system.name}: told: {text}")
        if listed:
            for finding in seen.result["findings"]:
                print(f"{system.name}: found: {finding['says']} {finding['example']!r}")
    print(f"{len(systems)} systems")
    rows = [[kind, str(told[kind]), str(count)] for kind, count in (found | told).most_common()]
    print_table(["kind", "told unasked", "found"], rows)


# --- rows -----------------------------------------------------------------------------------------

# Blocks of rows that are left out, come twice, or stand elsewhere.
MOVES: dict[str, Change] = {
    "5 missing": fewer(drop((0.4, 5))),
    "16 missing": fewer(drop((0.4, 16))),
    "one missing at 20%, 50% and 80%": fewer(drop((0.2, 1), (0.5, 1), (0.8, 1))),
    "5 missing at 30%, 3 at 60%": fewer(drop((0.3, 5), (0.6, 3))),
    "one missing at 25%, one doubled at 75%": order(away_and_back),
    "5 doubled": order(double(0.3, 5)),
    "the first 16 again at the end": order(repeat_first(16)),
    "batches of 16 shuffled": order(swap_batches),
    "shuffled": order(shuffle),
    "the rows of two processes": order(interleave),
}
KINDS_OF_ROWS = {"moved", "repeated"}


def check_rows(bleu: Any, quick: bool, listed: bool) -> None:
    """Print how many rows that moved are found, and whether the fix is right."""
    every = list(read_systems())
    systems = 5 if quick else 40
    chosen = every[:: max(1, len(every) // systems)][:systems]
    _print_single_rows(bleu, chosen)
    rows = []
    for size in (100, 500):
        for name, change in MOVES.items():
            hits = told = near = 0
            for system in chosen:
                before = Pair(
                    system.name,
                    system.predictions[:size],
                    [[text] for text in system.references[:size]],
                    {"tokenize": system.tokenize},
                )
                damaged, (clean,) = change(before, 1.0, random.Random(0))
                seen = look(bleu, damaged.predictions, damaged.references, damaged.options)
                score, _ = compute(bleu, clean.predictions, clean.references, clean.options)
                after = score_after(bleu, seen.result, damaged.options, "moved")
                hits += bool(KINDS_OF_ROWS & set(seen.found))
                told += bool(KINDS_OF_ROWS & set(seen.told))
                near += after is not None and abs(after - score) <= NEAR
            rows.append([f"{size}", name, f"{hits} of {len(chosen)}", f"{told}", f"{near}"])
    header = ["rows", "moved", "found", "told unasked", f"score within {NEAR} points"]
    print_table(header, rows)


def _print_single_rows(bleu: Any, systems: list[System]) -> None:
    """Print how many single rows are found that are dropped or doubled, by place."""
    rows = []
    for size in (20, 100, 500):
        for place in (0.0, 0.25, 0.5, 0.75, 0.9, 0.95):
            hits = near = total = 0
            for system in systems:
                predictions = system.predictions[:size]
                references = system.references[:size]
                row = int(place * size)
                for moved in (
                    [*predictions[:row], *predictions[row + 1 :], predictions[-1]],
                    [*predictions[: row + 1], *predictions[row:-1]],
                ):
                    found = bleu.check(moved, references, tokenize=system.tokenize)
                    first = [each["first"] for each in found["findings"] if each["kind"] == "moved"]
                    total += 1
                    hits += bool(first)
                    near += bool(first) and abs(first[0] - row) <= 1
            rows.append([f"{size}", f"{place:.0%}", f"{hits} of {total}", f"{near}"])
    print_table(["rows", "one dropped or doubled at", "found", "first row within 1"], rows)


# --- cost -----------------------------------------------------------------------------------------

SIZES = (64, 3_000, 100_000)
CHECKED = {
    "`check` of ordinary rows": "ordinary rows",
    "`check` of a model that hasn't learned": "a model that hasn't learned: random words",
}


def print_cost(metric: str, quick: bool) -> None:
    """Print the time and memory that the look adds to `compute`, and those of `check`."""
    sizes = SIZES[:2] if quick else SIZES
    header = ["texts", "rows", "`compute` without a look, ms", "the look, ms", "the look, MB"]
    print_table(header, _measure_looks(metric, sizes))
    print_table(["work", "rows", "seconds", "MB"], _measure_checks(metric, sizes[-1]))


def _measure_looks(metric: str, sizes: Sequence[int]) -> Iterator[list[str]]:
    """Yield the rows of the table: the difference to calls without a look."""
    calls = [(name, size) for name in look_cost.TEXTS for size in sizes]
    for (name, size), (with_look, without) in zip(calls, look_cost.time_looks(metric, calls)):
        memory = "–"
        if size == SIZES[-1]:
            _, most = look_cost.measure_call(metric, name, size)
            _, least = look_cost.measure_call(metric, look_cost.BLIND + name, size)
            memory = f"{(most - least) / 1e6:.0f}"
        look = f"{1000 * (with_look - without):.2f}"
        yield [name, f"{size:,}", f"{1000 * without:.2f}", look, memory]


def _measure_checks(metric: str, size: int) -> Iterator[list[str]]:
    for name, texts in CHECKED.items():
        seconds, memory = look_cost.measure_call(metric, look_cost.CHECK + texts, size)
        yield [name, f"{size:,}", f"{seconds:.1f}", f"{memory / 1e6:.0f}"]


# --- attacks, kinds -------------------------------------------------------------------------------


def check_attacks(bleu: Any, quick: bool, listed: bool) -> None:
    """Print the time for texts that are slow to search, and how it grows with a text four times as long."""

    def measure(text: str) -> float:
        call = partial(
            bleu.check, [text, "a cat"], ["a dog", "a cat"], tokenize="none", max_order=1
        )
        return median_seconds({"check": call}, turns=3)["check"]

    rows = []
    for name, make in ATTACKS.items():
        short, long = measure(make(250_000)), measure(make(1_000_000))
        rows.append([name, f"{short:.3f}", f"{long:.3f}", f"{long / short:.1f}x"])
    print_table(["a text of", "250,000 characters, s", "1,000,000 characters, s", "ratio"], rows)


def print_kinds(bleu: Any, quick: bool, listed: bool) -> None:
    """Print each kind by a case: the first text, the score before and after the fix."""
    rows = []
    shown: set[str] = set()
    for case in CASES.values():
        kind = case.found[0]
        if kind in shown:
            continue
        shown.add(kind)
        result = bleu.check(case.predictions, case.references, **case.options)
        finding = next((each for each in result["findings"] if each["kind"] == kind), None)
        if finding is None:
            rows.append([f"`{kind}`", "not found", f"{result['score']:.1f}", "–"])
            continue
        after = "–" if finding["score"] is None else f"{finding['score']:.1f}"
        example = finding["example"].replace("|", "\\|").replace("`", "ˋ")
        rows.append([f"`{kind}`", example, f"{result['score']:.1f}", after])
    print_table(["kind", "example", "BLEU before", "after"], rows)


# Each takes the metric, whether to be quick, and whether to list single cases.
TABLES: dict[str, Callable[[Any, bool, bool], None]] = {
    "kinds": print_kinds,
    "attacks": check_attacks,
    "legitimate": check_legitimate,
    "mistakes": check_mistakes,
    "real": check_real,
    "rows": check_rows,
}
COST = "cost"  # measures in other processes
NEED_DATA = ("mistakes", "real", "rows")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*TABLES, COST]
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(names))
    parser.add_argument("--metric", default=METRIC, help="a bleu_metric.py of another checkout")
    parser.add_argument("--quick", action="store_true", help="measure a part of the sets")
    parser.add_argument("--list", action="store_true", help="print single alarms and mistakes")
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - set(names)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    warnings.simplefilter("ignore")
    bleu = evaluate.load(arguments.metric)
    for name in arguments.tables or names:
        if name in NEED_DATA and not WMT21.is_dir():
            print(f"{name}: skipped, because WMT21's data is missing", file=sys.stderr)
            continue
        start = time.perf_counter()
        if name == COST:
            print_cost(arguments.metric, arguments.quick)
        else:
            TABLES[name](bleu, arguments.quick, arguments.list)
        print(f"{name}: {time.perf_counter() - start:.0f} s\n", file=sys.stderr)


if __name__ == "__main__":
    main()
