"""Systems against a baseline: scores, intervals, differences and p-values, and how they look on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .bleu_options import Options
from .bleu_printing import latex, markdown, plain
from .bleu_scoring import bleu
from .bleu_significance import bootstrap_scores, interval, p_value, randomization_differences

RESAMPLES = {"bootstrap": 1_000, "randomization": 10_000}


class Comparison(dict):
    """What `compare` returns: a dict for programs, and a table where it is printed.

    >>> system = {"bleu": 0.5, "score": 50.0, "confidence_interval": [0.4, 0.6], "bootstrap_mean": 0.5}
    >>> print(Comparison(baseline="A", systems={"A": system}, test="bootstrap", n_resamples=1000, signature="nrefs:1"))
    system         BLEU      interval  difference  p
    A (baseline)  50.00  40.00, 60.00
    <BLANKLINE>
    bootstrap, 1,000 resamples; nrefs:1
    """

    def __str__(self) -> str:
        return f"{plain(self.rows())}\n\n{self._note()}"

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return f"{markdown(self.rows())}\n\n{self._note()}"

    def to_latex(self) -> str:
        """The table in LaTeX, for the package `booktabs`."""
        return f"{latex(self.rows())}\n% {self._note()}"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()  # what a notebook shows

    def rows(self) -> list[list[str]]:
        """The cells of the table, the heads first."""
        rows = [["system", "BLEU", "interval", "difference", "p"]]
        for name, system in self["systems"].items():
            rows.append(
                [
                    f"{name} (baseline)" if name == self["baseline"] else name,
                    f"{system['score']:.2f}",
                    ", ".join(f"{100 * end:.2f}" for end in system.get("confidence_interval", ())),
                    f"{100 * system['delta']:+.2f}" if "delta" in system else "",
                    f"{system['p_value']:.4f}" if "p_value" in system else "",
                ]
            )
        return rows

    def _note(self) -> str:
        return f"{self['test']}, {self['n_resamples']:,} resamples; {self['signature']}"


def checked_baseline(systems: Mapping[str, Any], baseline: str | None, test: str) -> str:
    """The baseline's name, after a look at what is to be compared and how.

    Raises:
        TypeError: the systems aren't predictions by name.
        ValueError: there are less than two, none is called as the baseline, or there is no such test.

    >>> checked_baseline({"A": [], "B": []}, None, "bootstrap")
    'A'
    """
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems: found {type(systems).__name__}. Give a dict of predictions by the system's name.")
    if len(systems) < 2:
        raise ValueError(f"systems: found {len(systems)}. Give two or more, the baseline among them.")
    if test not in RESAMPLES:
        raise ValueError(f"test={test!r}: choose one of {', '.join(map(repr, RESAMPLES))}.")
    if baseline is not None and baseline not in systems:
        raise ValueError(f"baseline={baseline!r}: choose one of {', '.join(map(repr, systems))}.")
    return next(iter(systems)) if baseline is None else baseline


def resampled(test: str, options: Options) -> dict[str, int]:
    """How much is resampled, for the signature: `"bs"` by bootstrap, `"ar"` by randomization.

    >>> resampled("randomization", Options(n_resamples=10_000, confidence=0.95))
    {'bs': 1000, 'ar': 10000}
    """
    if test == "bootstrap":
        return {"bs": options.n_resamples}
    return {**({"bs": RESAMPLES["bootstrap"]} if options.confidence else {}), "ar": options.n_resamples}


def compared(rows: Mapping[str, np.ndarray], baseline: str, test: str, options: Options) -> dict[str, dict[str, Any]]:
    """What `compare` says of each system, in the order given.

    Args:
        rows: int64 [segments, 2 N + 2] of each system.
        baseline: the system that the others are compared with.
        test: a name in `RESAMPLES`.
        options: `n_resamples` of the test, `confidence` (None: no intervals), `seed`, and those that decide the number.

    >>> rows = {"A": np.array([[1, 1, 1, 1]]), "B": np.array([[0, 1, 1, 1]])}
    >>> compared(rows, "A", "bootstrap", Options(max_order=1, n_resamples=9))["B"]
    {'bleu': 0.0, 'score': 0.0, 'delta': -1.0, 'p_value': 0.1}
    """
    names = [baseline, *(name for name in rows if name != baseline)]
    stacked = np.stack([rows[name] for name in names])
    observed = bleu(stacked.sum(axis=1), options)
    differences, scores = _TESTS[test](stacked, options)
    told: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(names):
        told[name] = {"bleu": float(observed[i]), "score": 100 * float(observed[i])}
        if options.confidence:
            told[name]["confidence_interval"] = interval(scores[:, i], options.confidence)
            told[name]["bootstrap_mean"] = float(scores[:, i].mean())
        if i:
            told[name]["delta"] = float(observed[i] - observed[0])
            told[name]["p_value"] = p_value(differences[:, i - 1], abs(observed[i] - observed[0]))
    return {name: told[name] for name in rows}


def _bootstrap(rows: np.ndarray, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """How much the differences on resampled corpora stray from their mean, and the scores there."""
    scores = bootstrap_scores(rows, options, np.random.default_rng(options.seed), options.n_resamples)
    differences = np.abs(scores[:, 1:] - scores[:, :1])
    return differences - differences.mean(axis=0), scores


def _randomization(rows: np.ndarray, options: Options) -> tuple[np.ndarray, np.ndarray | None]:
    """The differences under exchange, and scores of resampled corpora for the intervals.

    As in sacreBLEU the baseline's corpora are drawn anew, the others' after the exchanges and by the same generator.
    """
    generator = np.random.default_rng(options.seed)
    differences = randomization_differences(rows, options, generator, options.n_resamples)
    if not options.confidence:
        return differences, None
    own = bootstrap_scores(rows[:1], options, np.random.default_rng(options.seed), RESAMPLES["bootstrap"])
    others = bootstrap_scores(rows[1:], options, generator, RESAMPLES["bootstrap"])
    return differences, np.concatenate([own, others], axis=1)


_TESTS: dict[str, Callable[[np.ndarray, Options], tuple[np.ndarray, Any]]] = {
    "bootstrap": _bootstrap,
    "randomization": _randomization,
}
