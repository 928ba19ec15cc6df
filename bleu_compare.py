"""Which system is better: the work of `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict

import numpy as np

from .bleu_corpus import Float64, Int64
from .bleu_inputs import read_corpus
from .bleu_options import Options, make_signature
from .bleu_report import Report, draw_interval, plot_systems, table
from .bleu_scoring import (
    Wins,
    bleu,
    bootstrap_scores,
    count_wins,
    detectable_difference,
    interval,
    p_value,
    randomization_differences,
)
from .bleu_statistics import count_corpus
from .bleu_tokenizers import choose_tokenizer
from .bleu_warnings import name_system, warn_about_text

RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}  # by test, unless given
_SIGNATURE_KEYS = {"bootstrap": "bs", "randomization": "ar"}


class SystemScores(TypedDict, total=False):
    """The scores of a system, and its differences from the baseline; `Column.key` names them in the table."""

    bleu: float
    score: float
    confidence_interval: list[float]
    bootstrap_mean: float
    delta: float
    p_value: float
    wins: int
    ties: int
    losses: int
    delta_interval: list[float]
    detectable_delta: float


class Comparison(Report):
    """The result of `compare`: a dict that displays as a table.

    >>> system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}
    >>> print(Comparison(baseline="A", systems={"A": system}, test="bootstrap", n_resamples=1000, signature="nrefs:1"))
    system         BLEU      interval  difference  its interval  p  wins  ties  losses
    A (baseline)  50.00  40.00, 60.00
    <BLANKLINE>
    bootstrap, 1,000 resamples; nrefs:1
    """

    def rows(self) -> list[list[str]]:
        head = ["system", *(column.name for column in _COLUMNS)]
        rows = [
            [self._label(name), *(column.write(one[column.key]) if column.key in one else "" for column in _COLUMNS)]
            for name, one in self["systems"].items()
        ]
        return [head, *rows]

    def records(self) -> list[dict[str, Any]]:
        return [{"system": name, **system} for name, system in self["systems"].items()]

    def note(self) -> str:
        return f"{self['test']}, {self['n_resamples']:,} resamples; {self['signature']}"

    def plot(self, ax: Any = None) -> Any:
        """Plot the systems with their intervals into `ax` or a new figure, and return the Axes."""
        return plot_systems(self["systems"], self["baseline"], ax)

    def _html_table(self) -> str:
        """Return the table with the intervals drawn in a further column."""
        (head, *rows), systems = self.rows(), list(self["systems"].values())
        ends = [end for system in systems for end in system.get("confidence_interval", ())]
        if ends:
            head.append("")
            for row, system in zip(rows, systems):
                low, high = system["confidence_interval"]
                row.append(draw_interval(low, system["bleu"], high, (min(ends), max(ends))))
        return table(head, rows)

    def _label(self, name: Any) -> str:
        return f"{name} (baseline)" if name == self["baseline"] else str(name)


class Column(NamedTuple):
    """A column of the table of systems: its name, the key of its value, and the format of the value."""

    name: str
    key: str
    write: Callable[[Any], str]


def _write_interval(ends: Sequence[float]) -> str:
    return ", ".join(f"{100 * end:.2f}" for end in ends)


_COLUMNS = (
    Column("BLEU", "score", "{:.2f}".format),
    Column("interval", "confidence_interval", _write_interval),
    Column("difference", "delta", lambda delta: f"{100 * delta:+.2f}"),
    Column("its interval", "delta_interval", lambda ends: ", ".join(f"{100 * end:+.2f}" for end in ends)),
    Column("p", "p_value", "{:.4f}".format),
    Column("wins", "wins", "{:,}".format),
    Column("ties", "ties", "{:,}".format),
    Column("losses", "losses", "{:,}".format),
)


def compare_systems(
    systems: Mapping[Any, Any], references: Any, baseline: Any, test: str, n_resamples: int | None, options: Options
) -> Comparison:
    """Test systems against a baseline.

    >>> compare_systems({"A": ["a"], "B": ["b"]}, ["a"], None, "bootstrap", 99, Options(max_order=1))["systems"]["B"]
    {'bleu': 0.0, 'score': 0.0, 'delta': -1.0, 'p_value': 0.01, 'wins': 0, 'ties': 0, 'losses': 1}
    """
    _check_systems(systems, baseline, test)
    baseline = next(iter(systems)) if baseline is None else baseline
    if n_resamples is None:
        n_resamples = options.n_resamples if options.is_chosen("n_resamples") else RESAMPLES[test]
    n_resamples = options.override({"n_resamples": n_resamples}).n_resamples  # checked
    rows, tokenizer, reference_count = _count_systems(systems, references, options)
    names = [baseline, *(name for name in rows if name != baseline)]
    described = _describe_systems(np.stack([rows[name] for name in names]), test, n_resamples, options)
    resampled = {_SIGNATURE_KEYS[test]: n_resamples}
    if options.confidence and test == "randomization":
        resampled["bs"] = options.n_resamples
    elif options.confidence and options.n_resamples != n_resamples:
        resampled["ci"] = options.n_resamples
    return Comparison(
        baseline=baseline,
        systems={name: described[names.index(name)] for name in systems},
        test=test,
        n_resamples=n_resamples,
        seed=options.seed,
        signature=make_signature(options, tokenizer, reference_count, resampled),
    )


def _check_systems(systems: Any, baseline: Any, test: str) -> None:
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems: found {type(systems).__name__}. Give a dict of predictions by the system's name.")
    if len(systems) < 2:
        raise ValueError(f"systems: found {len(systems)}. Give two or more, the baseline among them.")
    if test not in RESAMPLES:
        raise ValueError(f"test={test!r}: choose one of {', '.join(map(repr, RESAMPLES))}.")
    if baseline is not None and baseline not in systems:
        raise ValueError(f"baseline={baseline!r}: choose one of {', '.join(map(repr, systems))}.")


def _count_systems(systems: Mapping[Any, Any], references: Any, options: Options) -> tuple[dict[Any, Int64], str, str]:
    """Return the rows of each system, the name of the tokenizer, and the number of references per segment."""
    rows = {}
    for name, predictions in systems.items():
        with name_system(name):
            corpus = read_corpus(predictions, references)
            tokenizer = choose_tokenizer(options, corpus.kind)
        references = corpus.references  # read once
        warn_about_text(corpus.predictions, tokenizer)
        rows[name] = count_corpus(corpus, options)
    return rows, tokenizer.name, corpus.reference_count()


def _describe_systems(rows: Int64, test: str, n_resamples: int, options: Options) -> list[SystemScores]:
    """Score and test systems.

    Args:
        rows: int64 [systems, segments, 2 N + 2], the baseline first.
        test: a name in `RESAMPLES`.
        n_resamples: of the test.
        options: those that decide the score; `confidence`, `n_resamples` and `seed` of the intervals.
    """
    observed = bleu(rows.sum(axis=1), options)
    segment_scores = bleu(rows, replace(options, effective_order=True))
    # An interval belongs to the corpus, the seed and the bootstrap's count, and is the same under either test.
    scores = bootstrap_scores(rows, options, options.n_resamples) if options.confidence else None
    if test == "randomization":
        differences = randomization_differences(rows, options, n_resamples)
    else:
        differences = _deviations(rows, n_resamples, options, scores)
    systems: list[SystemScores] = []
    for i, score in enumerate(observed.tolist()):
        system: SystemScores = {"bleu": score, "score": 100 * score}
        if scores is not None and options.confidence:
            system["confidence_interval"] = interval(scores[:, i], options.confidence)
            system["bootstrap_mean"] = float(scores[:, i].mean())
        if i:
            system["delta"] = score - float(observed[0])
            system["p_value"] = p_value(differences[:, i - 1], abs(system["delta"]))
            wins: Wins = count_wins(segment_scores[i] - segment_scores[0])
            system |= wins  # type: ignore[typeddict-item]
        if i and scores is not None and options.confidence:
            system["delta_interval"] = interval(scores[:, i] - scores[:, 0], options.confidence)
            system["detectable_delta"] = detectable_difference(scores[:, i] - scores[:, 0])
        systems.append(system)
    return systems


def _deviations(rows: Int64, n_resamples: int, options: Options, scores: Float64 | None) -> Float64:
    """Return how much absolute differences on resampled corpora exceed their mean (Riezler and Maxwell, 2005)."""
    if scores is None or len(scores) != n_resamples:
        scores = bootstrap_scores(rows, options, n_resamples)
    differences = np.abs(scores[:, 1:] - scores[:, :1])
    return differences - differences.mean(axis=0)
