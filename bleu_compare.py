"""Which system is better: the work of `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from .bleu_corpus import Int64
from .bleu_inputs import read_corpus
from .bleu_options import Options, make_signature
from .bleu_report import Report, draw_interval, plot_systems, table
from .bleu_scoring import (
    Wins,
    bleu,
    bootstrap_scores,
    center,
    center_as_sacrebleu,
    count_wins,
    detectable_difference,
    interval,
    p_value,
    randomization_differences,
)
from .bleu_statistics import count_corpus
from .bleu_tokenizers import choose_tokenizer
from .bleu_warnings import name_system, warn_about_size, warn_about_text, warn_about_zero, warn_once_per_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    p_value_sacrebleu: float
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

    def plot(self, ax: Axes | None = None) -> Axes:
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
    systems: Mapping[Any, object],
    references: object,
    baseline: object,
    test: str,
    n_resamples: int | None,
    options: Options,
) -> Comparison:
    """Test systems against a baseline.

    >>> systems = {"A": ["a", "b"] * 20, "B": ["a", "c"] * 20}
    >>> compare_systems(systems, ["a", "b"] * 20, None, "randomization", 99, Options(max_order=1))["systems"]["B"]
    {'bleu': 0.5, 'score': 50.0, 'delta': -0.5, 'p_value': 0.01, 'wins': 0, 'ties': 20, 'losses': 20}
    """
    _check_systems(systems, baseline, test)
    baseline = next(iter(systems)) if baseline is None else baseline
    if n_resamples is None:
        n_resamples = options.n_resamples if options.is_chosen("n_resamples") else RESAMPLES[test]
    n_resamples = options.override({"n_resamples": n_resamples}).n_resamples  # checked
    with warn_once_per_kind():
        rows, tokenizer, reference_count = _count_systems(systems, references, options)
    warn_about_size(len(next(iter(rows.values()))))
    names = [baseline, *(name for name in rows if name != baseline)]
    described = describe_systems(np.stack([rows[name] for name in names]), test, n_resamples, options)
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
        signature=make_signature(options, tokenizer, reference_count, resampled if len(rows[baseline]) > 1 else None),
    )


def _check_systems(systems: object, baseline: object, test: str) -> None:
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems: found {type(systems).__name__}. Give a dict of predictions by the system's name.")
    if len(systems) < 2:
        raise ValueError(f"systems: found {len(systems)}. Give two or more, the baseline among them.")
    if test not in list(RESAMPLES):  # in a dict, a list would be a TypeError
        raise ValueError(f"test={test!r}: choose one of {', '.join(map(repr, RESAMPLES))}.")
    if baseline is not None and baseline not in list(systems):
        raise ValueError(f"baseline={baseline!r}: choose one of {', '.join(map(repr, systems))}.")


def _count_systems(
    systems: Mapping[Any, object], references: object, options: Options
) -> tuple[dict[Any, Int64], str, str]:
    """Return the rows of each system, the name of the tokenizer, and the number of references per segment."""
    rows = {}
    for name, predictions in systems.items():
        with name_system(name):
            corpus = read_corpus(predictions, references)
            tokenizer = choose_tokenizer(options, corpus.kind)
            warn_about_text(corpus.predictions, tokenizer)
            rows[name] = count_corpus(corpus, options)
        references = corpus.references  # read once
        total = rows[name].sum(axis=0)
        if bleu(total, options) == 0:
            warn_about_zero(total, len(corpus), options, f"The score of {name!r}")
    return rows, tokenizer.name, corpus.reference_count()


def describe_systems(rows: Int64, test: str, n_resamples: int, options: Options) -> list[SystemScores]:
    """Score and test systems.

    Args:
        rows: int64 [systems, segments, 2 N + 2], the baseline first.
        test: a name in `RESAMPLES`.
        n_resamples: of the test.
        options: those that decide the score; `confidence`, `n_resamples` and `seed` of the intervals.
    """
    observed = bleu(rows.sum(axis=1), options)
    segment_scores = bleu(rows, replace(options, effective_order=True))
    is_testable = rows.shape[1] > 1
    confidence = options.confidence if is_testable else None
    # An interval belongs to the corpus, the seed and the bootstrap's count, and is the same under either test.
    scores = bootstrap_scores(rows, options, options.n_resamples) if confidence else None
    differences = deviations = None
    if is_testable and test == "bootstrap":
        of_test = scores if n_resamples == options.n_resamples else None
        of_test = bootstrap_scores(rows, options, n_resamples) if of_test is None else of_test
        differences = of_test[:, 1:] - of_test[:, :1]
        deviations = center(differences)
    elif is_testable:
        deviations = randomization_differences(rows, options, n_resamples)
    systems: list[SystemScores] = []
    for i, score in enumerate(observed.tolist()):
        system: SystemScores = {"bleu": score, "score": 100 * score}
        if scores is not None and confidence:
            system["confidence_interval"] = interval(scores[:, i], confidence)
            system["bootstrap_mean"] = float(scores[:, i].mean())
        if i:
            delta = score - float(observed[0])
            system["delta"] = delta
            if deviations is not None:
                system["p_value"] = p_value(deviations[:, i - 1], abs(delta))
            if differences is not None:
                system["p_value_sacrebleu"] = p_value(center_as_sacrebleu(differences[:, i - 1]), abs(delta))
            wins: Wins = count_wins(segment_scores[i] - segment_scores[0])
            system |= wins  # type: ignore[typeddict-item]
            if scores is not None and confidence:
                system["delta_interval"] = interval(scores[:, i] - scores[:, 0], confidence)
                system["detectable_delta"] = detectable_difference(scores[:, i] - scores[:, 0])
        systems.append(system)
    return systems
