"""Where two systems differ, by segment, length, label and n-gram: `diff`, and its result.

`diff_systems` is called by the class. A key is made there; how the result looks is in `Difference`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from ..check.look import look_at
from ..options.options import Options
from ..options.signature import Origin, make_signature
from ..results.html import write_table
from ..results.report import Report
from ..results.wording import passing, write_difference, write_label, write_name, write_score
from ..rows.ngrams import (
    NumberedTexts,
    Occurrences,
    first_in_text,
    number_runs,
    number_texts,
    sorted_order,
)
from ..rows.statistics import count_batch, take_bigrams
from ..rows.tables import is_table
from ..rules.chosen_tokenizer import ChosenTokenizer, choose_tokenizer, prepare_texts
from ..rules.scores import NOISE, bleu, count_wins, warn_about_zeros
from ..shared.arrays import Bool, Float64, Int64, Label, SystemName, list_items, make_lists
from ..shared.messages import count_things, show_value, warn_once_per_kind, within_system
from ..shared.result_types import (
    GroupDifference,
    LengthDifference,
    NGramDifference,
    OrderDifference,
    SegmentDifference,
    Token,
)
from ..text.corpus import Batch, Corpus, Texts
from ..text.labels import group_labels, read_labels
from ..text.read import read_corpora, warn_if_reordered
from ..text.systems import check_single_runs, find_name, read_systems

# The first length, in tokens, of each range of reference lengths but the one that begins at 0.
_RANGE_STARTS = (10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500)
LISTED_SEGMENTS = 20  # per system
LISTED_NGRAMS = 20  # per order and system
MAX_NGRAMS = 1 << 21  # rows of a table: about 60 MB for 4-grams

_SEGMENTS_PER_BLOCK = 2048  # their n-grams sort quickly, and memory does not grow with the corpus
_PRINTED_LABELS = 10
_PRINTED_NGRAMS = 5  # per system
_NO_SEGMENT = np.iinfo(np.int32).max
_REFERENCE = 2  # the source of an n-gram in a reference; 0 and 1 are the systems

Int32 = np.ndarray[Any, np.dtype[np.int32]]
GroupName = TypeVar("GroupName", bound=Hashable)
FloatOrArray = TypeVar("FloatOrArray", float, Float64)

# --- Counting and scoring -------------------------------------------------------------------------


def diff_systems(systems: object, references: object, by: object, options: Options) -> Difference:
    """Compare two systems segment by segment and n-gram by n-gram.

    >>> systems = {"A": ["a b", "c d"], "B": ["a b", "d"]}
    >>> diff_systems(systems, ["a b", "d"], ["x", "y"], Options(max_order=1))["groups"]["y"]
    {'segments': 1, 'bleu': {'A': 0.5, 'B': 1.0}, 'delta': 0.5}
    """
    # 1. Read the texts and the labels.
    predictions = read_systems(systems, references)
    check_single_runs(predictions, "diff")
    if len(predictions) != 2:
        raise ValueError(
            f"systems: expected exactly two systems, got {len(predictions)}."
            " Pass {'A': [...], 'B': [...]}; rank() takes more."
        )
    if any(is_table(texts) for texts in predictions.values()):
        raise TypeError(
            "systems: diff() compares texts, got statistics. Pass the predictions of both systems."
        )
    with warn_once_per_kind():
        corpora = dict(read_corpora(predictions, references))
    texts = {"references": references, "predictions": next(iter(predictions.values()))}
    warn_if_reordered(texts, by=by)
    names = list(corpora)
    first_name, second_name = names
    first_corpus = corpora[first_name]
    labels = read_labels(by, len(first_corpus))
    tokenizer = choose_tokenizer(options, first_corpus.kind)
    # 2. Count, and score the systems and the segments.
    rows, ngrams = _count_pair(corpora, tokenizer, options)
    with warn_once_per_kind():
        for (name, corpus), rows_of_system in zip(corpora.items(), rows):
            with within_system(name):
                look_at(corpus, take_bigrams(rows_of_system), options)
    first_score, second_score = bleu(rows.sum(axis=1), options).tolist()
    segment_scores = bleu(rows, options.for_segments())
    deltas = segment_scores[1] - segment_scores[0]
    difference = Difference(count_wins(deltas))
    difference["systems"] = {
        first_name: {"bleu": first_score, "score": 100 * first_score},
        second_name: {
            "bleu": second_score,
            "score": 100 * second_score,
            "delta": second_score - first_score,
        },
    }
    # 3. Score the groups.
    difference["by_length"] = _score_lengths(rows, names, options)
    groups: dict[Label, Int64] = {}
    if labels is not None:
        groups = group_labels(labels)
        difference["groups"] = _score_groups(rows, groups, names, options)
    with warn_once_per_kind():
        for name, rows_of_system in zip(names, rows):
            warn_about_zeros(rows_of_system, options, f"The score of {show_value(name)}", groups)
    # 4. List the n-grams, and the segments with the largest leads of each system.
    difference["ngrams"] = ngrams.list_most_distinctive(first_name, second_name)
    segments: dict[SystemName, list[SegmentDifference]] = {}
    for name, leads in ((first_name, -deltas), (second_name, deltas)):
        by_lead = np.argsort(-leads, kind="stable")[:LISTED_SEGMENTS]
        segments[name] = [
            {
                "segment": i,
                "bleu": dict(zip(names, segment_scores[:, i].tolist())),
                "delta": float(deltas[i]),
            }
            for i in by_lead[leads[by_lead] > NOISE].tolist()
        ]
    difference["segments"] = segments
    difference["segment_bleu"] = dict(zip(names, segment_scores.tolist()))
    difference["signature"] = make_signature(
        options, Origin(tokenizer.name, first_corpus.reference_count()), has_segment_scores=True
    )
    return difference


def _count_pair(
    corpora: Mapping[SystemName, Corpus], tokenizer: ChosenTokenizer, options: Options
) -> tuple[Int64, NGramDifferences]:
    """Count both systems, and collect the n-grams in which they differ.

    Each text is tokenized once; all further steps work on token ids. The rows of both systems are
    int64 [2, segments, 2 N + 2].
    """
    first_corpus, second_corpus = corpora.values()
    table = pa.table(
        {
            "first": first_corpus.predictions,
            "second": second_corpus.predictions,
            "references": first_corpus.references,
        }
    )
    rows: Int64 = np.empty((len(corpora), len(table), options.layout.width), np.int64)
    ngrams = NGramDifferences(options.max_order)
    start = 0
    for piece in table.to_batches(max_chunksize=_SEGMENTS_PER_BLOCK):
        # 1. Prepare the texts of a block; errors name rows of the corpus.
        size = len(piece)
        if size == 0:
            continue
        references, bounds = list_items(piece.column("references"))
        batch = Batch(range(start, start + size), piece.column("first"), references, bounds)
        columns: dict[str, pa.ChunkedArray] = {}
        for name, texts in zip(corpora, (piece.column("first"), piece.column("second"))):
            column_name = f"System {name!r}: predictions"
            prepared = prepare_texts(texts, tokenizer, column_name, batch.row_of_prediction)
            columns[column_name] = pa.chunked_array([prepared])
        prepared = prepare_texts(references, tokenizer, "references", batch.row_of_reference)
        columns["references"] = pa.chunked_array([prepared])
        # 2. Number the tokens of all texts. If they have to be in lower case, they are already.
        numbered = number_texts(Texts(columns, first_corpus.kind), tokenizer._replace(lower=None))
        # 3. Count both systems. Their predictions are followed by the references.
        ids = make_lists(numbered.offsets, pa.array(numbered.numbers))
        reference_ids = ids.slice(len(corpora) * size)
        for system in range(len(corpora)):
            id_batch = batch._replace(
                predictions=ids.slice(system * size, size), references=reference_ids
            )
            rows[system, start : start + size] = count_batch(
                id_batch, ChosenTokenizer("ids"), options
            )
        ngrams.add(start, numbered, bounds)
        start += size
    return rows, ngrams


def _score_lengths(
    rows: Int64, names: Sequence[SystemName], options: Options
) -> list[LengthDifference]:
    """Score the segments of each range of reference lengths, in ascending order.

    If the effective reference length differs between the systems, the shorter one decides.
    """
    lengths = rows[..., options.layout.reference_length].min(axis=0)
    # 0 is the range that begins at 0.
    ranges = np.searchsorted(_RANGE_STARTS, lengths, side="right")
    groups = dict(sorted(group_labels(ranges.tolist()).items()))
    first_lengths = (0, *_RANGE_STARTS)
    return [
        {
            "from": first_lengths[i],
            "to": _RANGE_STARTS[i] - 1 if i < len(_RANGE_STARTS) else None,
            **group,
        }
        for i, group in _score_groups(rows, groups, names, options).items()
    ]


def _score_groups(
    rows: Int64, groups: Mapping[GroupName, Int64], names: Sequence[SystemName], options: Options
) -> dict[GroupName, GroupDifference]:
    """Return BLEU of both systems on the segments of each group."""
    sizes = [len(segments) for segments in groups.values()]
    begins = np.cumsum([0, *sizes[:-1]])
    grouped_rows = rows[:, np.concatenate(list(groups.values()))]
    scores = bleu(np.add.reduceat(grouped_rows, begins, axis=1), options)
    return {
        label: {
            "segments": size,
            "bleu": dict(zip(names, (first_score, second_score))),
            "delta": second_score - first_score,
        }
        for label, size, first_score, second_score in zip(groups, sizes, *scores.tolist())
    }


# --- N-grams --------------------------------------------------------------------------------------


class NGramTable(NamedTuple):
    """N-grams of one order in which the systems differ.

    tokens: int32 [rows, order], the numbers of the tokens.
    surplus: int32 [rows, 2], per system, the matches that it has beyond the other system, summed
        over segments.
    segments: int32 [rows, 2], per system, the first segment with a surplus, or `_NO_SEGMENT`.
    """

    tokens: Int32
    surplus: Int32
    segments: Int32

    def take(self, index: Int64 | Bool) -> NGramTable:
        """Return the rows at an index."""
        return NGramTable(self.tokens[index], self.surplus[index], self.segments[index])


class NGramDifferences:
    """The n-grams that only one system matches, collected from blocks of segments.

    Memory grows with the number of distinct n-grams in which the systems differ, not with the text.
    Beyond `MAX_NGRAMS` rows per order, n-grams with the fewest matches so far are dropped.

    The first system has "a", the second system has "b", and the reference is "a c":

    >>> tokens = pa.array(["a", "b", "c"])
    >>> texts = NumberedTexts(np.array([0, 1, 0, 2]), np.array([0, 1, 2, 4]), tokens)
    >>> differences = NGramDifferences(max_order=1)
    >>> differences.add(0, texts, bounds=np.array([0, 1]))
    >>> differences.list_most_distinctive("A", "B")[0]["systems"]["A"]
    [{'ngram': ['a'], 'count': 1, 'matches': {'A': 1, 'B': 0}, 'segment': 0}]
    """

    def __init__(self, max_order: int) -> None:
        self._numbers: dict[Token, int] = {}  # of the tokens in the tables
        self._tables: list[list[NGramTable]] = [[] for _ in range(max_order)]  # by order

    def add(self, first_segment: int, texts: NumberedTexts, bounds: Int64) -> None:
        """Add the n-grams of consecutive segments.

        Args:
            first_segment: the corpus row of the first segment.
            texts: predictions of the first system, predictions of the second system, then
                references.
            bounds: int64 [segments + 1], the offsets of each segment's references.
        """
        differences = list(_find_differences(first_segment, texts, bounds, len(self._tables)))
        # 1. Renumber the tokens. Only tokens of n-grams that differ get a number in the tables.
        is_used = np.zeros(len(texts.tokens), bool)
        for table in differences:
            is_used[table.tokens] = True
        new_numbers = np.zeros(len(texts.tokens), np.int32)
        new_numbers[is_used] = [
            self._numbers.setdefault(token, len(self._numbers))
            for token in texts.tokens.filter(pa.array(is_used)).to_pylist()
        ]
        # 2. Add the tables; if they are too long, keep the n-grams with the most matches so far.
        for tables, table in zip(self._tables, differences):
            tables.append(table._replace(tokens=new_numbers[table.tokens]))
            if sum(len(table.tokens) for table in tables) > MAX_NGRAMS:
                merged = _merge(tables)
                rarest_last = np.argsort(-merged.surplus.sum(axis=1), kind="stable")
                tables[:] = [merged.take(np.sort(rarest_last[: MAX_NGRAMS // 2]))]

    def list_most_distinctive(
        self, first_name: SystemName, second_name: SystemName
    ) -> list[OrderDifference]:
        """List, for each order, the most distinctive n-grams of each system.

        N-grams are sorted by McNemar's statistic, then by segment, then by tokens.
        """
        tokens = list(self._numbers)
        orders: list[OrderDifference] = []
        for order, tables in enumerate(self._tables, 1):
            table = _merge(tables)
            systems: dict[SystemName, list[NGramDifference]] = {}
            for system, name in enumerate((first_name, second_name)):
                ngrams: list[NGramDifference] = []
                for numbers, (first_surplus, second_surplus), segments in zip(
                    *(column.tolist() for column in _choose_rows(table, system))
                ):
                    ngrams.append(
                        {
                            "ngram": [tokens[number] for number in numbers],
                            "count": abs(first_surplus - second_surplus),
                            "matches": {first_name: first_surplus, second_name: second_surplus},
                            "segment": segments[system],
                        }
                    )
                ngrams.sort(
                    key=lambda ngram: (-_distinctiveness(ngram), ngram["segment"], ngram["ngram"])
                )
                systems[name] = ngrams[:LISTED_NGRAMS]
            orders.append({"order": order, "systems": systems})
        return orders


def mcnemar_statistic(a: FloatOrArray, b: FloatOrArray) -> FloatOrArray:
    """Return (a - b)² / (a + b) for the matches that only one system has (McNemar, 1947).

    Large values are unlikely if both systems are equally likely to miss a match.

    >>> mcnemar_statistic(12, 0), mcnemar_statistic(300, 300)
    (12.0, 0.0)
    """
    return (a - b) ** 2 / (a + b)


def _distinctiveness(ngram: NGramDifference) -> float:
    """Return McNemar's statistic of an n-gram."""
    first_matches, second_matches = ngram["matches"].values()
    return mcnemar_statistic(first_matches, second_matches)


def _find_differences(
    first_segment: int, texts: NumberedTexts, bounds: Int64, max_order: int
) -> Iterator[NGramTable]:
    """Yield, for each order, the n-grams in which the systems differ.

    There is one row per n-gram and segment. Tokens are numbered as in the texts.
    """
    # 1. Begin with n-grams without tokens. Their number is that of their segment, so that all
    #    longer n-grams have different numbers in different segments.
    text_of = texts.text_of()
    segments = np.arange(len(bounds) - 1)
    segment_of = np.concatenate([segments, segments, segments.repeat(np.diff(bounds))])[text_of]
    occurrences = Occurrences(starts=np.arange(len(texts.numbers)), numbers=segment_of)
    for n in range(max_order):
        # 2. Extend the n-grams by a token.
        text_ends = texts.offsets[text_of[occurrences.starts] + 1]
        occurrences = texts.extend(occurrences, n, text_ends)
        starts, ngrams = occurrences
        # 3. Count n-grams in the first prediction, in the second, and in the reference with the
        #    highest count: int64 [3, distinct n-grams]. `np.maximum.at` is fast only for arrays of
        #    one dimension.
        text_of_ngram = text_of[starts]
        begins = np.flatnonzero(first_in_text(ngrams, text_of_ngram))
        counts_in_texts = np.diff(begins, append=len(ngrams))
        sources = np.minimum(text_of_ngram[begins] // len(segments), _REFERENCE)
        distinct = int(ngrams.max(initial=-1)) + 1
        flat_counts: Int64 = np.zeros((_REFERENCE + 1) * distinct, np.int64)
        np.maximum.at(flat_counts, sources * distinct + ngrams[begins], counts_in_texts)
        counts = flat_counts.reshape(_REFERENCE + 1, distinct)
        # 4. Compare the clipped counts of both systems.
        matches = np.minimum(counts[:_REFERENCE], counts[_REFERENCE])
        different = np.flatnonzero(matches[0] != matches[1])
        distinctive = matches[:, different]
        surplus = np.maximum(distinctive - distinctive[::-1], 0)
        examples = starts[np.searchsorted(ngrams, different)]
        first_segments = np.where(surplus, first_segment + segment_of[examples], _NO_SEGMENT)
        yield NGramTable(
            tokens=texts.numbers[examples[:, np.newaxis] + np.arange(n + 1)].astype(np.int32),
            surplus=surplus.T.astype(np.int32),
            segments=first_segments.T.astype(np.int32),
        )
        # 5. Keep the n-grams that matched, because a longer n-gram matches only if its beginning
        #    does.
        occurrences = occurrences.take(matches.any(axis=0)[ngrams])


def _merge(tables: Sequence[NGramTable]) -> NGramTable:
    """Add up the rows of equal n-grams, and sort them by the numbers of their tokens."""
    table = NGramTable(
        tokens=np.concatenate([table.tokens for table in tables]),
        surplus=np.concatenate([table.surplus for table in tables]),
        segments=np.concatenate([table.segments for table in tables]),
    )
    # 1. Sort by the first token, then by the first two tokens, and so on. `ngrams` has the number
    #    of each row's first tokens, which are sorted already, so the keys are small.
    ngrams = np.zeros(len(table.tokens), np.int64)
    for column in range(table.tokens.shape[1]):
        tokens = table.tokens[:, column]
        keys = ngrams * (int(tokens.max(initial=0)) + 1) + tokens
        order = sorted_order(keys)
        table = table.take(order)
        ngrams = number_runs(keys[order])
    # 2. Add up the rows of each n-gram.
    begins = np.flatnonzero(np.diff(ngrams, prepend=-1))
    return NGramTable(
        tokens=table.tokens[begins],
        surplus=np.add.reduceat(table.surplus, begins),
        segments=np.minimum.reduceat(table.segments, begins),
    )


def _choose_rows(table: NGramTable, system: int) -> NGramTable:
    """Return the most distinctive n-grams of a system (0 or 1).

    All rows that tie with the last listed one stay, because the caller breaks ties by tokens, which
    are not known here.
    """
    ahead = table.take(table.surplus[:, system] > table.surplus[:, 1 - system])
    if len(ahead.tokens) <= LISTED_NGRAMS:
        return ahead
    # 1. Find the score of the last listed n-gram.
    first_surplus, second_surplus = ahead.surplus.T.astype(float)
    scores: Float64 = mcnemar_statistic(first_surplus, second_surplus)
    last_score = np.partition(scores, -LISTED_NGRAMS)[-LISTED_NGRAMS]
    is_above = scores > last_score
    is_tie = scores == last_score
    # 2. Of those with this score, keep the earliest segments, and ties with the last of them.
    segments = ahead.segments[:, system]
    place = LISTED_NGRAMS - 1 - np.count_nonzero(is_above)
    last_segment = np.partition(segments[is_tie], place)[place]
    return ahead.take(is_above | (is_tie & (segments <= last_segment)))


# --- The result -----------------------------------------------------------------------------------


class Difference(Report):
    """The result of `diff`: a dict that displays as a table.

    >>> systems = {"A": ["a b c e"], "B": ["a b c d"]}
    >>> difference = diff_systems(systems, ["a b c d"], None, Options(max_order=2))
    >>> print(difference)  # doctest: +ELLIPSIS
    B against A: 100.00 and 70.71 BLEU, a difference of +29.29; better in 1 segment, ...
    <BLANKLINE>
                                        segments      A       B  difference
    all                                        1  70.71  100.00      +29.29
    reference of 0 to 9 tokens                 1  70.71  100.00      +29.29
    n-grams matched by one system only                A       B  difference
    c d                                               0       1          +1
    <BLANKLINE>
    nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:bleu_metric-1.0.0
    """

    _absent: ClassVar = {"groups": passing("by=labels")}

    def distinctive_ngrams(self, name: SystemName, count: int = 10) -> list[NGramDifference]:
        """Return the most distinctive n-grams of all orders, without parts of listed n-grams.

        Args:
            name: the system that matches the n-grams more often.
            count: the largest number of n-grams.

        Returns:
            Dicts as in `ngrams`.

        Raises:
            ValueError: neither system has this name.

        >>> systems = {"A": ["a b c"], "B": ["a c"]}
        >>> difference = diff_systems(systems, ["a b c"], None, Options(max_order=2))
        >>> [ngram["ngram"] for ngram in difference.distinctive_ngrams("A")]
        [['a', 'b'], ['b', 'c']]
        """
        system = find_name("name", name, self["systems"])
        # Longest first, so that of equally distinctive n-grams the parts are left out.
        candidates: list[NGramDifference] = []
        for order in reversed(self["ngrams"]):
            candidates += order["systems"][system]
        chosen: list[NGramDifference] = []
        for ngram in sorted(candidates, key=_distinctiveness, reverse=True):
            if not any(_contains(listed["ngram"], ngram["ngram"]) for listed in chosen):
                chosen.append(ngram)
        return chosen[:count]

    def _records(self) -> list[dict[str, Any]]:
        records = [{"part": "length", **of_length} for of_length in self["by_length"]]
        records += [
            {"part": "group", "group": label, **of_label}
            for label, of_label in self.get("groups", {}).items()
        ]
        for record in records:
            record.update((f"bleu_{name}", score) for name, score in record.pop("bleu").items())
            record["delta"] = record.pop("delta")  # behind the scores
        return records

    def _rows(self) -> list[list[str]]:
        # N-grams have no number of segments.
        ngram_rows = [[ngram, "", *numbers] for ngram, *numbers in self._ngram_rows()]
        return self._group_rows() + ngram_rows

    def _title(self) -> str:
        first_name, second_name = (write_name(name) for name in self["systems"])
        first_score, second_score = (system["score"] for system in self["systems"].values())
        wins = count_things(self["wins"], "segment")
        return (
            f"{second_name} against {first_name}: {second_score:.2f} and {first_score:.2f} BLEU,"
            f" a difference of {write_difference(second_score - first_score)}; better in {wins},"
            f" equal in {self['ties']:,}, worse in {self['losses']:,}"
        )

    def _html_table(self) -> str:
        """Return a table of groups and, if the systems differ in n-grams, a table of n-grams."""
        tables = filter(None, [self._group_rows(), self._ngram_rows()])
        return "".join(write_table(head, rows) for head, *rows in tables)

    def _group_rows(self) -> list[list[str]]:
        """Return the head, and rows of the corpus, each range of lengths and the first labels."""
        # 1. Summarize the corpus and the ranges of lengths.
        systems = self["systems"]
        _, second = systems.values()
        summaries: dict[str, GroupDifference] = {
            "all": {
                "segments": self["wins"] + self["ties"] + self["losses"],
                "bleu": {name: system["bleu"] for name, system in systems.items()},
                "delta": second["delta"],
            }
        }
        for of_length in self["by_length"]:
            end = "and more" if of_length["to"] is None else f"to {of_length['to']}"
            summaries[f"reference of {of_length['from']} {end} tokens"] = of_length
        # 2. Write the rows; labels that look like a summary are in quotes.
        rows = [["", "segments", *map(write_name, systems), "difference"]]
        rows += [_write_group(summary, group) for summary, group in summaries.items()]
        groups = self.get("groups", {})
        rows += [
            _write_group(write_label(label, summaries), groups[label])
            for label in list(groups)[:_PRINTED_LABELS]
        ]
        if len(groups) > _PRINTED_LABELS:
            rows.append([f"… {len(groups) - _PRINTED_LABELS:,} more labels", "", "", "", ""])
        return rows

    def _ngram_rows(self) -> list[list[str]]:
        """Return the head and a row per n-gram; an empty list if the systems match the same."""
        rows = []
        for name in self["systems"]:
            for ngram in self.distinctive_ngrams(name, _PRINTED_NGRAMS):
                text = write_name(" ".join(map(str, ngram["ngram"])))
                first, second = ngram["matches"].values()
                rows.append([text, f"{first:,}", f"{second:,}", f"{second - first:+,}"])
        if not rows:
            return []
        names = map(write_name, self["systems"])
        return [["n-grams matched by one system only", *names, "difference"], *rows]


def _write_group(name: str, group: GroupDifference) -> list[str]:
    """Return the row of a group in the table."""
    return [
        write_name(name),
        f"{group['segments']:,}",
        *map(write_score, group["bleu"].values()),
        write_difference(100 * group["delta"]),
    ]


def _contains(tokens: Sequence[Token], ngram: Sequence[Token]) -> bool:
    """Return True if the n-gram occurs in the tokens."""
    size = len(ngram)
    return any(tokens[i : i + size] == ngram for i in range(len(tokens) - size + 1))
