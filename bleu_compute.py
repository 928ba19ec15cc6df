"""One system: the work of `compute`, `score` and `explain`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import bleu_messages as messages
from . import bleu_report as report
from . import bleu_scoring as scoring
from .bleu_corpus import Corpus, Float64, Int64
from .bleu_counting import NGrams, Tokens, count_most_ngrams, count_ngrams, make_row
from .bleu_inputs import read_corpus
from .bleu_messages import count_things, invalid, one_of, reword_errors, warn_once_per_kind
from .bleu_options import OPTIONS, Options, Origin, make_signature
from .bleu_statistics import (
    Counted,
    adopt_counting,
    count_groups,
    prepare_batch,
    read_statistics,
    sum_corpus,
)
from .bleu_tokenizers import choose_tokenizer, list_tokens, warn_about_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# --- compute and score ----------------------------------------------------------------------------


class Result(report.QuotableReport):
    """The result of `compute` and `score`: a dict that prints as a dict and displays as a table by order."""

    _prints_as_table = False
    _optional_keys = MappingProxyType(
        {
            **dict.fromkeys(("segment_bleu", "mean_segment_bleu"), "segments=True"),
            **dict.fromkeys(
                ("confidence_interval", "bootstrap_mean", "standard_error"), "confidence=0.95"
            ),
            "documents": "documents=labels and confidence=0.95",
            **dict.fromkeys(("groups", "macro_bleu", "macro_score"), "by=labels"),
            **dict.fromkeys(
                ("macro_confidence_interval", "macro_standard_error"),
                "by=labels and confidence=0.95",
            ),
        }
    )

    def _title(self) -> str:
        return ". ".join([f"BLEU {self['score']:.2f}", *self._list_facts()])

    def _sentence(self) -> str:
        resampled = f", resampled{report.describe_documents(self)}" if "documents" in self else ""
        return f"BLEU is {report.describe_score(self, self.get('confidence'))}{resampled}"

    def _note(self) -> str:
        resampled = [f"resampled{report.describe_documents(self)}"] if "documents" in self else []
        return "; ".join([*resampled, super()._note()])

    def _rows(self) -> list[list[str]]:
        head = ["n-grams", "matches", "total", "precision", "BLEU-n"]
        return [
            head,
            *(
                [*map("{:,}".format, record[:3]), *_percent(record[3:])]
                for record in self._orders()
            ),
        ]

    def _records(self) -> list[dict[str, Any]]:
        records = [
            dict(zip(("order", "matches", "total", "precision", "bleu"), record))
            for record in self._orders()
        ]
        if "confidence_interval" in self:
            names = ("confidence_interval", "bootstrap_mean", "standard_error")
            records.append(
                {"order": "all", "bleu": self["bleu"], **{name: self[name] for name in names}}
            )
        return records + [
            {"segment": i, "bleu": score} for i, score in enumerate(self.get("segment_bleu", ()))
        ]

    def to_html(self) -> str:
        head, *rows = self._rows()
        parts = [report.headline(self["score"]), report.paragraph(". ".join(self._list_facts()))]
        return report.wrap(
            *parts, report.write_table(head, rows), report.paragraph(self._note(), "note")
        )

    def plot(self, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Plot the scores of the segments, or precision by order, with matplotlib, and return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            kind: `"segments"` or `"precisions"`; None for segments if the result has segment
                scores.
        """
        kind = kind or ("segments" if "segment_bleu" in self else "precisions")
        if kind not in ("segments", "precisions"):
            raise invalid("kind", kind, one_of(("segments", "precisions")))
        return (
            report.plot_segments(self["segment_bleu"], ax)
            if kind == "segments"
            else report.plot_precisions(self, ax)
        )

    def _orders(self) -> list[tuple[Any, ...]]:
        columns = zip(self["counts"], self["totals"], self["precisions"], self["bleu_by_order"])
        return [(order, *values) for order, values in enumerate(columns, 1)]

    def _list_facts(self) -> list[str]:
        """Describe the interval and the segment scores, if the result has them, and the lengths."""
        facts = []
        if "confidence_interval" in self:
            facts.append(
                "{:g}% CI {} to {}".format(
                    100 * self["confidence"], *_percent(self["confidence_interval"])
                )
            )
        if "segment_bleu" in self:
            scores = self["segment_bleu"]
            quantiles = "lowest {}, median {}, highest {}".format(
                *_percent(np.quantile(scores, [0, 0.5, 1]))
            )
            facts.append(f"{count_things(len(scores), 'segment')}: {quantiles}")
        lengths = f"{count_things(self['translation_length'], 'token')} against {self['reference_length']:,}"
        return [
            *facts,
            f"Brevity penalty {self['brevity_penalty']:.4f}: {lengths} in the references",
        ]


class GroupedResult(Result):
    """The result with `by`: a dict that prints and displays as a table with one row per group."""

    _prints_as_table = True

    def _title(self) -> str:
        micro, macro, groups = (
            self["score"],
            self["macro_score"],
            count_things(len(self["groups"]), "group"),
        )
        return f"BLEU {micro:.2f} as the micro-average and {macro:.2f} as the macro-average of {groups}"

    def _rows(self) -> list[list[str]]:
        """Return one row per group, then the averages; tokenizers are listed only if they differ."""
        averages = {"micro-average": self, "macro-average": {"score": self["macro_score"]}}
        if "macro_confidence_interval" in self:
            averages["macro-average"]["confidence_interval"] = self["macro_confidence_interval"]
        scored = [
            (report.write_label(label, averages), group) for label, group in self["groups"].items()
        ]
        scored += averages.items()
        columns = (
            _GROUP_COLUMNS
            if report.find_in_signature(self["signature"], "tok") == "var"
            else _GROUP_COLUMNS[:-1]
        )
        rows = report.list_cells("group", scored, columns, self.get("confidence"))
        return [*rows[:-2], [], *rows[-2:]]

    def _records(self) -> list[dict[str, Any]]:
        lists = ("precisions", "counts", "totals", "bleu_by_order", "segment_bleu")
        return [
            {"group": label, **{name: value for name, value in group.items() if name not in lists}}
            for label, group in self["groups"].items()
        ]

    def _sentence(self) -> str:
        groups = count_things(len(self["groups"]), "group")
        return f"{super()._sentence()}; the macro-average of {groups} is {self['macro_score']:.2f}"

    def to_html(self) -> str:
        return report.Report.to_html(self)


def score_corpus(
    corpus: Corpus, options: Options, by: object = None, documents: object = None
) -> Result:
    """Score a corpus, and warn about suspicious texts."""
    if not len(corpus):
        raise ValueError(messages.NO_SEGMENTS)
    if by is not None or documents is not None or options.segments or options.confidence:
        counted = count_groups(corpus, options, by, documents)
        return _score_rows(counted, options, len(corpus), ())
    tokenizer = choose_tokenizer(options, corpus.kind)
    warn_about_text(corpus.predictions, tokenizer)
    total, signed = (
        sum_corpus(corpus, tokenizer, options),
        (tokenizer.name, corpus.reference_count()),
    )
    result = _describe_rows(options, total, None, None, signed)
    if result["bleu"] == 0:
        scoring.warn_about_zero(total, len(corpus), options)
    return result


def score_statistics(
    statistics: object,
    options: Options,
    by: object = None,
    documents: object = None,
    like: object = None,
) -> Result:
    """Score statistics in any form that `read_statistics` takes."""
    known = read_statistics(statistics, by, documents, like)
    options, tokenizer, unknown = adopt_counting(known, options)
    wanted = [name for name in ("segments", "confidence") if getattr(options, name)]
    if wanted and not known.are_segments(options.minimum_total):
        raise ValueError(messages.ONLY_SUMS.format(name=wanted[0], default=OPTIONS[wanted[0]]))
    if wanted or by is not None:
        return _score_rows(known.to_counted(tokenizer), options, None, unknown)
    result = _describe_rows(
        options, known.sum(), None, None, (tokenizer, known.references), unknown
    )
    if result["bleu"] == 0:
        scoring.warn_about_zero(known.sum(), None, options)
    return result


def _score_rows(
    counted: Counted, options: Options, segments: int | None, unknown: Collection[str]
) -> Result:
    """Score counted rows and their groups, and warn; `segments` is the number of predictions, None if unknown."""
    rows = counted.rows
    with warn_once_per_kind():
        total, units = rows.sum(axis=0), counted.sum_documents(rows)
        documents = None if counted.documents is None else len(units)
        signed = counted.tokenizer, counted.references
        result = _describe_rows(
            options, total, rows, _bootstrap(units, options), signed, unknown, documents
        )
        group_units = [
            counted.sum_documents(rows[one.segments], one.segments)
            for one in counted.groups.values()
        ]
        if options.confidence:
            scoring.warn_about_extremes(options)
            scoring.warn_about_size(len(units), counted.unit, list(map(len, group_units)))
        if result["bleu"] == 0:
            scoring.warn_about_zero(total, segments, options)
        if not counted.groups:
            return result
        # Each group is scored as its segments alone would be, and becomes a plain dict, which YAML
        # can write.
        groups, samples = {}, []
        for (label, group), units in zip(counted.groups.items(), group_units):
            group_rows, resampled = rows[group.segments], _bootstrap(units, options)
            total, signed = group_rows.sum(axis=0), (group.tokenizer, group.references)
            documents = None if counted.documents is None else len(units)
            groups[label] = dict(
                _describe_rows(options, total, group_rows, resampled, signed, unknown, documents)
            )
            samples.append(resampled)
            if groups[label]["bleu"] == 0:
                scoring.warn_about_zero(total, len(group_rows), options, f"The score of {label!r}")
    macro_bleu = fmean(group["bleu"] for group in groups.values())
    grouped = GroupedResult(
        result, groups=groups, macro_bleu=macro_bleu, macro_score=100 * macro_bleu
    )
    known_samples = [sample for sample in samples if sample is not None]
    if options.confidence and len(known_samples) == len(groups):
        averages = scoring.average_groups(known_samples, options.seed)
        grouped["macro_confidence_interval"] = scoring.interval(averages, options.confidence)
        grouped["macro_standard_error"] = float(averages.std())
    return grouped


def _bootstrap(rows: Int64, options: Options) -> Float64 | None:
    """Return bootstrap scores of segments or documents; None without `confidence`, or for a single one."""
    if not options.confidence or len(rows) < 2:
        return None
    return scoring.bootstrap_scores(rows[np.newaxis], options, options.n_resamples)[:, 0]


def _describe_rows(
    options: Options,
    total: Int64,
    rows: Int64 | None,
    resampled: Float64 | None,
    signed: tuple[str, str],
    unknown: Collection[str] = (),
    documents: int | None = None,
) -> Result:
    """Build a result from statistics rows.

    Args:
        options: all options of the call.
        total: int64 [2 N + 2], the sum of the rows.
        rows: int64 [segments, 2 N + 2], for the scores of segments.
        resampled: float64 [n_resamples], for the interval.
        signed: the tokenizer and the number of references in the signature.
        unknown: the names of unknown options.
        documents: the number of documents that were resampled; None for segments.
    """
    result, drawn = Result(scoring.score_row(total, options)), dict[str, int]()
    if rows is not None and options.segments:
        scores = scoring.bleu(rows, options.for_segments())
        result["segment_bleu"] = scores.tolist()
        result["mean_segment_bleu"] = float(scores.mean())
    if resampled is not None and options.confidence:
        result |= {
            "confidence": options.confidence,
            **scoring.describe_resamples(resampled, options.confidence),
        }
        drawn["bs"] = options.n_resamples
        if documents is not None:
            result["documents"] = drawn["docs"] = documents
    result["signature"] = make_signature(options, Origin(*signed), drawn, unknown)
    return result


_GROUP_COLUMNS = (
    report.Column("BLEU", "score", "{:.2f}".format),
    report.Column("CI", "confidence_interval", report.write_interval),
    report.Column("brevity penalty", "brevity_penalty", "{:.4f}".format),
    report.Column("tokens", "translation_length", "{:,}".format),
    report.Column(
        "tokenizer", "signature", lambda signature: report.find_in_signature(signature, "tok")
    ),
)


def _percent(scores: Any) -> list[str]:
    return [f"{100 * score:.2f}" for score in scores]


# --- explain --------------------------------------------------------------------------------------


class Explanation(report.Report):
    """The result of `explain`: a dict for programs, a table in print, and colors in a notebook."""

    def _title(self) -> str:
        return f"BLEU {self['score']:.2f} = 100 · {report.plain_formula(self)}"

    def _rows(self) -> list[list[str]]:
        head = ["n-grams", "total", "unclipped matches", "matches", "precision"]
        rows = [list(record.values()) for record in self._records()]
        return [head, *([*map(str, counts), *_percent([precision])] for *counts, precision in rows)]

    def _records(self) -> list[dict[str, Any]]:
        keys = ("order", "total", "unclipped_matches", "matches")
        return [
            {**{key: order[key] for key in keys}, "precision": precision}
            for order, precision in zip(self["orders"], self["precisions"])
        ]

    def to_html(self) -> str:
        return report.wrap(
            report.explanation(self),
            report.legend(len(self["orders"])),
            report.paragraph(self._note(), "note"),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot precision by order, before clipping and after, into `ax` or a new figure, and return the Axes."""
        return report.plot_precisions(self, ax)


def _name_argument(message: str) -> str:
    """Name the argument of `explain` in a message about the first row of a corpus."""
    message = message.replace("predictions=[text for [text] in predictions]", "that str")
    return message.replace("predictions[0]", "prediction")


@reword_errors(_name_argument)
def explain_segment(prediction: object, references: Any, options: Options) -> Explanation:
    """Count one segment with `bleu_counting`, and keep the n-grams and tokens that matched.

    The first order of the paper's example 2:

    >>> explanation = explain_segment("the the the", ["the cat is on the mat"], Options(max_order=1))
    >>> explanation["orders"][0]["clipped"], explanation["prediction"]["longest_match"]
    ([{'ngram': ['the'], 'count': 3, 'allowed': 2}], [1, 1, 0])
    """
    corpus = read_corpus([prediction], [references])
    # 1. Tokenize, and count n-grams once for everything below.
    tokenizer = choose_tokenizer(options, corpus.kind)
    prediction_texts, reference_texts = prepare_batch(corpus.batches[0], tokenizer)
    (tokens,) = list_tokens(prediction_texts, tokenizer)
    reference_tokens = list_tokens(reference_texts, tokenizer)
    rule = options.counting_rule
    counts = count_ngrams(tokens, rule.max_order)
    allowed = count_most_ngrams(reference_tokens, rule.max_order)
    lengths = [len(reference) for reference in reference_tokens]
    row = np.array(make_row(counts & allowed, len(tokens), lengths, rule))
    # 2. Score.
    smoothed = scoring.precisions(row, options)
    explanation = Explanation(scoring.score_row(row, options, smoothed))
    explanation["signature"] = make_signature(
        options, Origin(tokenizer.name, corpus.reference_count())
    )
    warn_about_text(corpus.predictions, tokenizer)
    if explanation["bleu"] == 0:
        scoring.warn_about_zero(row, 1, options)
    # 3. Describe the tokens and the n-grams. Indices of references are those of the caller,
    #    including each None.
    present = (
        [0]
        if isinstance(references, str)
        else [i for i, text in enumerate(references) if text is not None]
    )
    explanation["weights"] = scoring.order_weights(smoothed.present, options)
    explanation["prediction"] = _cover_tokens(tokens, allowed, options.max_order)
    explanation["references"] = [
        _cover_tokens(text, counts, options.max_order) for text in reference_tokens
    ]
    explanation["effective_reference"] = present[
        lengths.index(row[options.layout.reference_length])
    ]
    totals = row[options.layout.totals]
    explanation["orders"] = [
        _explain_order(order, int(totals[order - 1]), counts, allowed)
        for order in range(1, options.max_order + 1)
    ]
    return explanation


def _cover_tokens(tokens: Tokens, allowed: Mapping[Any, int], max_order: int) -> dict[str, Any]:
    """Return the tokens, each with the order of the longest clipped match that covers it."""
    longest = [0] * len(tokens)
    for order in range(max_order, 0, -1):
        remaining = {ngram: count for ngram, count in allowed.items() if len(ngram) == order}
        # Occurrences within a longer match come first, because they are known to match (the sort is
        # stable).
        within = [min(longest[i : i + order]) for i in range(len(tokens) - order + 1)]
        for start in sorted(range(len(within)), key=lambda i: not within[i]):
            ngram = tuple(tokens[start : start + order])
            if remaining.get(ngram, 0):
                remaining[ngram] -= 1
                longest[start : start + order] = [
                    max(order, match) for match in longest[start : start + order]
                ]
    return {"tokens": list(tokens), "longest_match": longest, "length": len(tokens)}


def _explain_order(
    order: int, total: int, counts: Mapping[Any, int], allowed: NGrams
) -> dict[str, Any]:
    counts = {ngram: count for ngram, count in counts.items() if len(ngram) == order}
    described: dict[str, list[dict[str, Any]]] = {"matched": [], "clipped": [], "missed": []}
    for ngram, count in counts.items():
        kind = "matched" if count <= allowed[ngram] else "clipped" if allowed[ngram] else "missed"
        described[kind].append({"ngram": list(ngram), "count": count, "allowed": allowed[ngram]})
    return {
        "order": order,
        "total": total,
        "unclipped_matches": sum(count for ngram, count in counts.items() if ngram in allowed),
        "matches": sum(min(count, allowed[ngram]) for ngram, count in counts.items()),
        **described,
    }
