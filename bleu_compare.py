"""Systems against a baseline: scores, intervals, differences and p-values, and how they look on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .bleu_arrow import Int64
from .bleu_html import interval as draw_interval
from .bleu_html import table
from .bleu_inputs import read_corpus
from .bleu_options import Options, make_signature
from .bleu_plots import plot_systems
from .bleu_report import Report
from .bleu_scoring import bleu
from .bleu_significance import bootstrap_scores, interval, p_value, randomization_differences
from .bleu_smoothing import Counts
from .bleu_statistics import count_corpus
from .bleu_tokenizer_choice import choose_tokenizer

RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}


class Comparison(Report):
    """What `compare` returns: a dict for programs, and a table where it is printed.

    >>> system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}
    >>> print(Comparison(baseline="A", systems={"A": system}, test="bootstrap", n_resamples=1000, signature="nrefs:1"))
    system         BLEU      interval  difference  p
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

    def _label(self, name: str) -> str:
        return f"{name} (baseline)" if name == self["baseline"] else name


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
    Column("p", "p_value", "{:.4f}".format),
)


def _format_system(system: Mapping[str, Any]) -> list[str]:
    return [column.write(system[column.key]) if column.key in system else "" for column in _COLUMNS]


class CountedSystems(NamedTuple):
    """The statistics rows of systems on the same references.

    rows: int64 [segments, 2 N + 2] by the system's name.
    tokenizer: what it is called in a signature.
    references: how many a segment has.
    """

    rows: dict[str, Int64]
    tokenizer: str
    references: str


def compare_systems(
    systems: Mapping[str, Any], references: Any, baseline: str | None, test: str, options: Options
) -> Comparison:
    """Whether systems differ from a baseline by more than chance.

    Args:
        systems: the predictions of each, by name.
        references: as `bleu_inputs.read_corpus` takes them.
        baseline: the name of one system; None for the first.
        test: a name in `RESAMPLES`.
        options: `n_resamples` of the test, `confidence` (None: no intervals), `seed`, and those that decide the number.

    Raises:
        TypeError, ValueError: as `BleuMetric.compare` documents.

    >>> compare_systems({"A": ["a"], "B": ["b"]}, ["a"], None, "bootstrap", Options(max_order=1))["systems"]["B"]
    {'bleu': 0.0, 'score': 0.0, 'delta': -1.0, 'p_value': 0.000999000999000999}
    """
    _check_systems(systems, baseline, test)
    baseline = next(iter(systems)) if baseline is None else baseline
    counted = _count_systems(systems, references, options)
    return Comparison(
        baseline=baseline,
        systems=_describe_systems(counted.rows, baseline, test, options),
        test=test,
        n_resamples=options.n_resamples,
        seed=options.seed,
        signature=make_signature(options, counted.tokenizer, counted.references, count_resamples(test, options)),
    )


def count_resamples(test: str, options: Options) -> dict[str, int]:
    """How much is resampled, for the signature: `"bs"` by bootstrap, `"ar"` by randomization.

    >>> count_resamples("randomization", Options(n_resamples=10_000, confidence=0.95))
    {'bs': 1000, 'ar': 10000}
    """
    if test == "bootstrap":
        return {"bs": options.n_resamples}
    return {**({"bs": RESAMPLES["bootstrap"]} if options.confidence else {}), "ar": options.n_resamples}


def _check_systems(systems: Any, baseline: str | None, test: str) -> None:
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems: found {type(systems).__name__}. Give a dict of predictions by the system's name.")
    if len(systems) < 2:
        raise ValueError(f"systems: found {len(systems)}. Give two or more, the baseline among them.")
    if test not in RESAMPLES:
        raise ValueError(f"test={test!r}: choose one of {', '.join(map(repr, RESAMPLES))}.")
    if baseline is not None and baseline not in systems:
        raise ValueError(f"baseline={baseline!r}: choose one of {', '.join(map(repr, systems))}.")


def _count_systems(systems: Mapping[str, Any], references: Any, options: Options) -> CountedSystems:
    rows = {}
    for name, predictions in systems.items():
        try:
            corpus = read_corpus(predictions, references)
            tokenizer = choose_tokenizer(options, corpus.kind)
        except (TypeError, ValueError) as error:
            raise type(error)(f"System {name!r}: {error}") from None
        references = corpus.references  # Arrow by now, for the systems that follow
        rows[name] = count_corpus(corpus, options)
    return CountedSystems(rows, tokenizer.name, corpus.reference_count())


def _describe_systems(
    rows: Mapping[str, Int64], baseline: str, test: str, options: Options
) -> dict[str, dict[str, Any]]:
    names = [baseline, *(name for name in rows if name != baseline)]
    stacked = np.stack([rows[name] for name in names])
    observed = bleu(stacked.sum(axis=1), options)
    differences, scores = _TESTS[test](stacked, options)
    systems: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(names):
        systems[name] = {"bleu": float(observed[i]), "score": 100 * float(observed[i])}
        if options.confidence:
            systems[name]["confidence_interval"] = interval(scores[:, i], options.confidence)
            systems[name]["bootstrap_mean"] = float(scores[:, i].mean())
        if i:
            systems[name]["delta"] = float(observed[i] - observed[0])
            systems[name]["p_value"] = p_value(differences[:, i - 1], abs(observed[i] - observed[0]))
    return {name: systems[name] for name in rows}


def _bootstrap(rows: Int64, options: Options) -> tuple[Counts, Counts]:
    """How much the differences on resampled corpora stray from their mean, and the scores there."""
    scores = bootstrap_scores(rows, options, np.random.default_rng(options.seed), options.n_resamples)
    differences = np.abs(scores[:, 1:] - scores[:, :1])
    return differences - differences.mean(axis=0), scores


def _randomize(rows: Int64, options: Options) -> tuple[Counts, Counts | None]:
    """The differences under exchange, and scores of resampled corpora for the intervals.

    As in sacreBLEU the baseline's corpora are drawn anew, the others' after the exchanges and by the same generator.
    """
    generator = np.random.default_rng(options.seed)
    differences = randomization_differences(rows, options, generator, options.n_resamples)
    if not options.confidence:
        return differences, None
    scores = bootstrap_scores(rows[:1], options, np.random.default_rng(options.seed), RESAMPLES["bootstrap"])
    others = bootstrap_scores(rows[1:], options, generator, RESAMPLES["bootstrap"])
    return differences, np.concatenate([scores, others], axis=1)


_TESTS: dict[str, Callable[[Int64, Options], tuple[Counts, Any]]] = {
    "bootstrap": _bootstrap,
    "randomization": _randomize,
}
