"""Systems against a baseline: scores, intervals, differences and p-values, and how they look on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .bleu_arrow import Float64, Int64
from .bleu_html import interval as draw_interval
from .bleu_html import table
from .bleu_inputs import read_corpus
from .bleu_inputs_errors import name_system
from .bleu_options import Options, make_signature
from .bleu_plots import plot_systems
from .bleu_report import Report
from .bleu_scoring import bleu, count_wins
from .bleu_significance import (
    bootstrap_scores,
    detectable_difference,
    interval,
    p_value,
    randomization_differences,
)
from .bleu_statistics import count_corpus
from .bleu_tokenizer_choice import choose_tokenizer
from .bleu_warnings import warn_about_text

RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}


class Comparison(Report):
    """What `compare` returns: a dict for programs, and a table where it is printed.

    >>> system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}
    >>> print(Comparison(baseline="A", systems={"A": system}, test="bootstrap", n_resamples=1000, signature="nrefs:1"))
    system         BLEU      interval  difference  its interval  p  wins  ties  losses
    A (baseline)  50.00  40.00, 60.00
    <BLANKLINE>
    bootstrap, 1,000 resamples; nrefs:1
    """

    def rows(self) -> list[list[str]]:
        head = ["system", *(column.name for column in _COLUMNS)]
        return [head, *([self._label(name), *_format_system(one)] for name, one in self["systems"].items())]

    def records(self) -> list[dict[str, Any]]:
        return [{"system": name, **system} for name, system in self["systems"].items()]

    def note(self) -> str:
        return f"{self['test']}, {self['n_resamples']:,} resamples; {self['signature']}"

    def plot(self, ax: Any = None) -> Any:
        """Plot the systems with their intervals, by matplotlib.

        Args:
            ax: the Axes to draw into; those of a new figure unless given.

        Returns:
            The Axes.
        """
        return plot_systems(self["systems"], self["baseline"], ax)

    def _html_table(self) -> str:
        """The table, with the intervals drawn behind their numbers."""
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
    """A column of the table of systems: its name, the key of its value in a system's dict, and how it is written."""

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


def _format_system(system: Mapping[str, Any]) -> list[str]:
    return [column.write(system[column.key]) if column.key in system else "" for column in _COLUMNS]


class CountedSystems(NamedTuple):
    """The statistics rows of systems on the same references.

    rows: int64 [segments, 2 N + 2] by the system's name.
    tokenizer: what it is called in a signature.
    references: how many a segment has.
    """

    rows: dict[Any, Int64]
    tokenizer: str
    references: str


def compare_systems(
    systems: Mapping[Any, Any], references: Any, baseline: Any, test: str, n_resamples: int | None, options: Options
) -> Comparison:
    """Whether systems differ from a baseline by more than chance.

    Args:
        systems: the predictions of each, by name.
        references: as `bleu_inputs.read_corpus` takes them.
        baseline: the name of one system; None for the first.
        test: a name in `RESAMPLES`.
        n_resamples: of the test; None for those chosen at load, or those of `RESAMPLES`.
        options: `n_resamples` and `seed` of the bootstrap, `confidence` of the intervals (None for none), and those
            that decide the number.

    Raises:
        TypeError, ValueError: as `BleuMetric.compare` documents.

    >>> compare_systems({"A": ["a"], "B": ["b"]}, ["a"], None, "bootstrap", 99, Options(max_order=1))["systems"]["B"]
    {'bleu': 0.0, 'score': 0.0, 'delta': -1.0, 'p_value': 0.01, 'wins': 0, 'ties': 0, 'losses': 1}
    """
    _check_systems(systems, baseline, test)
    baseline = next(iter(systems)) if baseline is None else baseline
    if n_resamples is None:
        n_resamples = options.n_resamples if options.is_chosen("n_resamples") else RESAMPLES[test]
    of_test = options.override({"n_resamples": n_resamples})
    counted = _count_systems(systems, references, options)
    names = [baseline, *(name for name in counted.rows if name != baseline)]
    described = _describe_systems(np.stack([counted.rows[name] for name in names]), test, options, of_test)
    resampled = {_KEYS[test]: of_test.n_resamples}
    if options.confidence and resampled.get("bs") != options.n_resamples:
        resampled["ci" if "bs" in resampled else "bs"] = options.n_resamples
    return Comparison(
        baseline=baseline,
        systems={name: described[names.index(name)] for name in systems},
        test=test,
        n_resamples=of_test.n_resamples,
        seed=options.seed,
        signature=make_signature(options, counted.tokenizer, counted.references, resampled),
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


def _count_systems(systems: Mapping[Any, Any], references: Any, options: Options) -> CountedSystems:
    rows = {}
    for name, predictions in systems.items():
        with name_system(name):
            corpus = read_corpus(predictions, references)
            tokenizer = choose_tokenizer(options, corpus.kind)
        references = corpus.references  # Arrow by now, for the systems that follow
        warn_about_text(corpus.predictions, options.tokenize)
        rows[name] = count_corpus(corpus, options)
    return CountedSystems(rows, tokenizer.name, corpus.reference_count())


def _describe_systems(rows: Int64, test: str, options: Options, of_test: Options) -> list[dict[str, Any]]:
    """What is said of each system; the first one is the baseline.

    Args:
        rows: int64 [systems, segments, 2 N + 2].
        test: a name in `RESAMPLES`.
        options: of the intervals.
        of_test: the same with the test's `n_resamples`.
    """
    observed = bleu(rows.sum(axis=1), options)
    systems: list[dict[str, Any]] = [{"bleu": float(score), "score": 100 * float(score)} for score in observed]
    # An interval belongs to the corpus, the seed and the bootstrap's count: no test changes it.
    scores = _bootstrap(rows, options) if options.confidence else None
    if scores is not None and options.confidence:
        for system, own_scores in zip(systems, scores.T):
            system |= {"confidence_interval": interval(own_scores, options.confidence)}
            system |= {"bootstrap_mean": float(own_scores.mean())}
    differences = _TESTS[test](rows, of_test, scores)
    segment_scores = bleu(rows, replace(options, effective_order=True))
    for i, system in enumerate(systems[1:], 1):
        delta = float(observed[i] - observed[0])
        system |= {"delta": delta, "p_value": p_value(differences[:, i - 1], abs(delta))}
        system |= count_wins(segment_scores[i] - segment_scores[0])
        if scores is not None and options.confidence:
            resampled = scores[:, i] - scores[:, 0]
            system |= {"delta_interval": interval(resampled, options.confidence)}
            system |= {"detectable_delta": detectable_difference(resampled)}
    return systems


def _bootstrap(rows: Int64, options: Options) -> Float64:
    return bootstrap_scores(rows, options, np.random.default_rng(options.seed), options.n_resamples)


def _test_by_bootstrap(rows: Int64, options: Options, scores: Float64 | None) -> Float64:
    """How much the differences on resampled corpora stray from their mean (Koehn, 2004; Riezler and Maxwell, 2005)."""
    if scores is None or len(scores) != options.n_resamples:
        scores = _bootstrap(rows, options)
    differences = np.abs(scores[:, 1:] - scores[:, :1])
    return differences - differences.mean(axis=0)


def _test_by_randomization(rows: Int64, options: Options, scores: Float64 | None) -> Float64:
    """The differences under exchange."""
    return randomization_differences(rows, options, np.random.default_rng(options.seed), options.n_resamples)


_TESTS: dict[str, Callable[[Int64, Options, Float64 | None], Float64]] = {
    "bootstrap": _test_by_bootstrap,
    "randomization": _test_by_randomization,
}
_KEYS = {"bootstrap": "bs", "randomization": "ar"}  # in a signature
