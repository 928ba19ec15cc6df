"""Differences between two systems: by segment, length and label, and the n-grams that only one system matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa

from . import bleu_messages as messages
from .bleu_corpus import Batch, Corpus, Float64, Int64, Texts, group_labels, list_items, make_lists
from .bleu_inputs import read_corpus, read_labels, read_systems
from .bleu_messages import count_things, invalid, name_system, one_of, warn_once_per_kind
from .bleu_options import Options, Origin, make_signature
from .bleu_pairwise import (
    NumberedTexts,
    Occurrences,
    first_in_text,
    number_runs,
    number_texts,
    sorted_order,
)
from .bleu_report import Report, plot_scatter, write_label, write_name, write_table
from .bleu_scoring import NOISE, bleu, count_wins
from .bleu_statistics import are_tables, count_batch
from .bleu_tokenizers import ChosenTokenizer, choose_tokenizer, prepare_texts, warn_about_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LENGTHS = (
    10,
    20,
    30,
    40,
    50,
    60,
    80,
    100,
    150,
    200,
    300,
    500,
)  # tokens: the first length of each group but the first
LISTED_SEGMENTS = 20  # per system
LISTED_NGRAMS = 20  # per order and system
MAX_NGRAMS = 1 << 21  # rows of a table: about 60 MB for 4-grams

_SEGMENTS_PER_BLOCK = 2048  # their n-grams sort quickly, and memory does not grow with the corpus
_PRINTED_LABELS, _PRINTED_NGRAMS = 10, 5
_NO_SEGMENT = np.iinfo(np.int32).max
_REFERENCE = 2  # the source of an n-gram; 0 and 1 are the predictions of the systems

Int32 = np.ndarray[Any, np.dtype[np.int32]]


class NGramDifference(TypedDict):
    """An n-gram that one system matches more often: the surplus, the matches of one system only, the first segment."""

    ngram: list[Any]
    count: int
    matches: dict[Any, int]
    segment: int


# --- The result -----------------------------------------------------------------------------------


class Difference(Report):
    """The result of `diff`: a dict that displays as a table.

    >>> print(diff_systems({"A": ["a b c e"], "B": ["a b c d"]}, ["a b c d"], None, Options(max_order=2)))
    B against A: 100.00 and 70.71 BLEU, a difference of +29.29; better in 1 segment, equal in 0, worse in 0
    <BLANKLINE>
                                        segments      A       B  difference
    all                                        1  70.71  100.00      +29.29
    reference of 0 to 9 tokens                 1  70.71  100.00      +29.29
    n-grams matched by one system only                A       B  difference
    c d                                               0       1          +1
    <BLANKLINE>
    nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:bleu_metric-1.0.0
    """

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the segment scores of both systems into `ax` or a new figure, and return the Axes."""
        return plot_scatter(self["segment_bleu"], ax)

    def distinctive_ngrams(self, name: Any, count: int = 10) -> list[NGramDifference]:
        """Return the most distinctive n-grams of all orders, without parts of n-grams that are already listed.

        Args:
            name: the system that matches the n-grams more often.
            count: the largest number of n-grams.

        Returns:
            Dicts as in `ngrams`.

        Raises:
            ValueError: neither system has this name.

        >>> difference = diff_systems({"A": ["a b c"], "B": ["x"]}, ["a b c"], None, Options(max_order=2))
        >>> [ngram["ngram"] for ngram in difference.distinctive_ngrams("A")]
        [['a', 'b'], ['b', 'c']]
        """
        if name not in list(self["systems"]):
            raise invalid("name", name, one_of(self["systems"]))
        ngrams = [ngram for order in reversed(self["ngrams"]) for ngram in order["systems"][name]]
        ngrams.sort(key=lambda ngram: -mcnemar_statistic(*ngram["matches"].values()))
        chosen: list[NGramDifference] = []
        for ngram in ngrams:
            tokens, size = ngram["ngram"], len(ngram["ngram"])
            longer_ones = (longer["ngram"] for longer in chosen)
            if not any(
                tokens == longer[i : i + size]
                for longer in longer_ones
                for i in range(len(longer) - size + 1)
            ):
                chosen.append(ngram)
        return chosen[:count]

    def _records(self) -> list[dict[str, Any]]:
        records = [{"part": "length", **group} for group in self["by_length"]]
        records += [
            {"part": "group", "group": label, **group}
            for label, group in self.get("groups", {}).items()
        ]
        for record in records:
            scores, delta = record.pop("bleu"), record.pop("delta")
            record |= {f"bleu_{name}": score for name, score in scores.items()} | {"delta": delta}
        return records

    def _rows(self) -> list[list[str]]:
        return [
            *self._group_rows(),
            *([name, "", *numbers] for name, *numbers in self._ngram_rows()),
        ]

    def _title(self) -> str:
        first, second = map(write_name, self["systems"])
        first_score, second_score = (system["score"] for system in self["systems"].values())
        return (
            f"{second} against {first}: {second_score:.2f} and {first_score:.2f} BLEU, a difference of"
            f" {second_score - first_score:+.2f}; better in {count_things(self['wins'], 'segment')}, equal in"
            f" {self['ties']:,}, worse in {self['losses']:,}"
        )

    def _html_table(self) -> str:
        """Return a table of groups and, if the systems differ in n-grams, a table of n-grams."""
        tables = filter(None, [self._group_rows(), self._ngram_rows()])
        return "".join(write_table(head, rows) for head, *rows in tables)

    def _group_rows(self) -> list[list[str]]:
        systems = {name: system["bleu"] for name, system in self["systems"].items()}
        size, (_, second) = self["wins"] + self["ties"] + self["losses"], self["systems"].values()
        groups = {"all": {"segments": size, "bleu": systems, "delta": second["delta"]}}
        for group in self["by_length"]:
            bounds = (
                f"{group['from']} to {group['to']}" if group["to"] else f"{group['from']} and more"
            )
            groups[f"reference of {bounds} tokens"] = group
        labeled = self.get("groups", {})
        shown = [
            (write_label(label, groups), labeled[label])
            for label in list(labeled)[:_PRINTED_LABELS]
        ]
        rows = [["", "segments", *map(write_name, systems), "difference"]]
        for name, group in [*groups.items(), *shown]:
            numbers = (f"{100 * score:.2f}" for score in group["bleu"].values())
            rows.append(
                [
                    write_name(name),
                    f"{group['segments']:,}",
                    *numbers,
                    f"{100 * group['delta']:+.2f}",
                ]
            )
        if len(labeled) > _PRINTED_LABELS:
            rows.append([f"… {len(labeled) - _PRINTED_LABELS:,} more labels", "", "", "", ""])
        return rows

    def _ngram_rows(self) -> list[list[str]]:
        rows = []
        for ngram in (
            ngram
            for name in self["systems"]
            for ngram in self.distinctive_ngrams(name, _PRINTED_NGRAMS)
        ):
            first, second = ngram["matches"].values()
            text = write_name(" ".join(map(str, ngram["ngram"])))
            rows.append([text, f"{first:,}", f"{second:,}", f"{second - first:+,}"])
        head = [
            "n-grams matched by one system only",
            *map(write_name, self["systems"]),
            "difference",
        ]
        return [head, *rows] if rows else []


# --- Counting and scoring -------------------------------------------------------------------------


def diff_systems(systems: object, references: object, by: object, options: Options) -> Difference:
    """Compare two systems segment by segment and n-gram by n-gram.

    >>> systems = {"A": ["a b", "c"], "B": ["a b", "d"]}
    >>> diff_systems(systems, ["a b", "d"], ["x", "y"], Options(max_order=1))["groups"]["y"]
    {'segments': 1, 'bleu': {'A': 0.0, 'B': 1.0}, 'delta': 1.0}
    """
    # 1. Read the texts; references and labels are read once.
    predictions, corpora = read_systems(systems), {}
    if len(predictions) != 2:
        raise ValueError(messages.TWO_SYSTEMS.format(len(predictions)))
    if any(map(are_tables, predictions.values())):
        raise TypeError(messages.NO_TEXTS)
    with warn_once_per_kind():
        for name, texts in predictions.items():
            with name_system(name):
                corpora[name] = read_corpus(texts, references)
            references = corpora[name].references
        first, second = corpora
        labels = None if by is None else read_labels(by, len(corpora[first]))
        tokenizer = choose_tokenizer(options, corpora[first].kind)
        for corpus in corpora.values():
            warn_about_text(corpus.predictions, tokenizer)
    # 2. Count, and score the systems and the segments.
    rows, ngrams = _count_pair(corpora, tokenizer, options)
    scores, segment_scores = (
        bleu(rows.sum(axis=1), options).tolist(),
        bleu(rows, options.for_segments()),
    )
    deltas = segment_scores[1] - segment_scores[0]
    difference = Difference(count_wins(deltas))
    difference["systems"] = {
        name: {"bleu": score, "score": 100 * score} for name, score in zip(corpora, scores)
    }
    difference["systems"][second]["delta"] = scores[1] - scores[0]
    # 3. Score the groups. If the effective reference length differs between the systems, the
    #    shorter one decides.
    lengths = group_labels(
        np.searchsorted(
            LENGTHS, rows[..., options.layout.reference_length].min(axis=0), side="right"
        ).tolist()
    )
    starts, ends = (0, *LENGTHS), (*(length - 1 for length in LENGTHS), None)
    scored = _score_groups(rows, dict(sorted(lengths.items())), list(corpora), options)
    difference["by_length"] = [{"from": starts[i], "to": ends[i], **group} for i, group in scored]
    if labels is not None:
        difference["groups"] = dict(
            _score_groups(rows, group_labels(labels), list(corpora), options)
        )
    # 4. List the n-grams, and the segments with the largest leads of each system.
    difference["ngrams"] = ngrams.list_most_distinctive(first, second)
    difference["segments"] = {
        name: [
            {
                "segment": i,
                "bleu": dict(zip(corpora, segment_scores[:, i].tolist())),
                "delta": float(deltas[i]),
            }
            for i in np.argsort(-leads, kind="stable")[:LISTED_SEGMENTS].tolist()
            if leads[i] > NOISE
        ]
        for name, leads in ((first, -deltas), (second, deltas))
    }
    difference["segment_bleu"] = dict(zip(corpora, segment_scores.tolist()))
    difference["signature"] = make_signature(
        options, Origin(tokenizer.name, corpora[first].reference_count())
    )
    return difference


def _count_pair(
    corpora: Mapping[Any, Corpus], tokenizer: ChosenTokenizer, options: Options
) -> tuple[Int64, NGramDifferences]:
    """Return the rows of both systems, int64 [2, segments, 2 N + 2], and the n-grams in which they differ.

    Each text is tokenized once; all further steps work on token ids.
    """
    first, second = corpora.values()
    table = pa.table(
        [first.predictions, second.predictions, first.references], ["first", "second", "references"]
    )
    rows: Int64 = np.empty((2, len(table), options.layout.width), np.int64)
    ngrams, start = NGramDifferences(options.max_order), 0
    for columns in filter(len, table.to_batches(max_chunksize=_SEGMENTS_PER_BLOCK)):
        # 1. Prepare the texts of a block; errors name rows of the corpus.
        size = len(columns)
        batch = Batch(range(start, start + size), columns.column(0), *list_items(columns.column(2)))
        prepared = {}
        for name, column in zip(corpora, columns.columns):
            place = f"System {name!r}: predictions"
            prepared[place] = pa.chunked_array(
                [prepare_texts(column, tokenizer, place, batch.row_of_prediction)]
            )
        references = prepare_texts(
            batch.references, tokenizer, "references", batch.row_of_reference
        )
        prepared["references"] = pa.chunked_array([references])
        # 2. Number the tokens of all texts; the texts are in lower case already.
        numbered = number_texts(Texts(prepared, first.kind), tokenizer._replace(lowercase=False))
        ids = make_lists(numbered.offsets, pa.array(numbered.numbers))
        # 3. Count both systems.
        for system in range(2):
            part = batch._replace(
                predictions=ids.slice(system * size, size), references=ids.slice(2 * size)
            )
            rows[system, start : start + size] = count_batch(part, ChosenTokenizer("ids"), options)
        ngrams.add(Block(start, numbered, batch.bounds))
        start += size
    return rows, ngrams


def _score_groups(
    rows: Int64, groups: Mapping[Any, Int64], names: Sequence[Any], options: Options
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield BLEU of both systems on the segments of each group, as in `by_length` and `groups` of the result."""
    sizes = [len(segments) for segments in groups.values()]
    grouped = rows[:, np.concatenate(list(groups.values()))]
    scores = bleu(np.add.reduceat(grouped, np.cumsum([0, *sizes[:-1]]), axis=1), options)
    for label, size, both in zip(groups, sizes, scores.T.tolist()):
        yield label, {"segments": size, "bleu": dict(zip(names, both)), "delta": both[1] - both[0]}


# --- N-grams --------------------------------------------------------------------------------------


class Block(NamedTuple):
    """The texts of consecutive segments.

    first_segment: the corpus row of the first segment.
    texts: predictions of the first system, predictions of the second system, then references.
    bounds: int64 [segments + 1], the offsets of each segment's references.
    """

    first_segment: int
    texts: NumberedTexts
    bounds: Int64


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

    def take(self, index: Any) -> NGramTable:
        """Return the rows at an index."""
        return NGramTable(self.tokens[index], self.surplus[index], self.segments[index])


class NGramDifferences:
    """The n-grams that only one system matches, collected from blocks.

    Memory grows with the number of distinct n-grams in which the systems differ, not with the text.
    Beyond `MAX_NGRAMS` rows per order, n-grams with the fewest matches so far are dropped.

    The first system has "a", the second system has "b", and the reference is "a c":

    >>> tokens = pa.array(["a", "b", "c"])
    >>> texts = NumberedTexts(np.array([0, 1, 0, 2]), np.array([0, 1, 2, 4]), tokens)
    >>> differences = NGramDifferences(max_order=1)
    >>> differences.add(Block(0, texts, bounds=np.array([0, 1])))
    >>> differences.list_most_distinctive("A", "B")[0]["systems"]["A"]
    [{'ngram': ['a'], 'count': 1, 'matches': {'A': 1, 'B': 0}, 'segment': 0}]
    """

    def __init__(self, max_order: int) -> None:
        self._numbers: dict[Any, int] = {}
        none: Int32 = np.empty((0, 2), np.int32)
        self._tables = [
            [NGramTable(np.empty((0, order), np.int32), none, none)]
            for order in range(1, max_order + 1)
        ]

    def add(self, block: Block) -> None:
        """Add the n-grams of a block."""
        found = list(_find_differences(block, len(self._tables)))
        # Only tokens of n-grams that differ get a number in the tables.
        numbers, is_used = (
            np.zeros(len(block.texts.tokens), np.int64),
            np.zeros(len(block.texts.tokens), bool),
        )
        is_used[np.concatenate([table.tokens.ravel() for table in found])] = True
        used = block.texts.tokens.filter(pa.array(is_used)).to_pylist()
        numbers[is_used] = [self._numbers.setdefault(token, len(self._numbers)) for token in used]
        for tables, table in zip(self._tables, found):
            tables.append(table._replace(tokens=numbers[table.tokens].astype(np.int32)))
            if sum(len(table.tokens) for table in tables) > MAX_NGRAMS:
                merged = _merge(tables)
                rarest_last = np.argsort(-merged.surplus.sum(axis=1), kind="stable")
                tables[:] = [merged.take(np.sort(rarest_last[: MAX_NGRAMS // 2]))]

    def list_most_distinctive(self, first: Any, second: Any) -> list[dict[str, Any]]:
        """List, for each order, the most distinctive n-grams of each system; the arguments are the systems' names.

        N-grams are sorted by McNemar's statistic, then by segment, then by tokens.
        """
        tokens, listed = list(self._numbers), []
        for order, tables in enumerate(self._tables, 1):
            table, systems = _merge(tables), dict[Any, list[NGramDifference]]()
            for system, name in enumerate((first, second)):
                ngrams: list[NGramDifference] = []
                for numbers, surplus, segments in zip(
                    *(column.tolist() for column in _choose_rows(table, system))
                ):
                    ngram, matches = (
                        [tokens[number] for number in numbers],
                        dict(zip((first, second), surplus)),
                    )
                    count = abs(surplus[0] - surplus[1])
                    ngrams.append(
                        {
                            "ngram": ngram,
                            "count": count,
                            "matches": matches,
                            "segment": segments[system],
                        }
                    )
                ngrams.sort(
                    key=lambda one: (
                        -mcnemar_statistic(*one["matches"].values()),
                        one["segment"],
                        one["ngram"],
                    )
                )
                systems[name] = ngrams[:LISTED_NGRAMS]
            listed.append({"order": order, "systems": systems})
        return listed


def mcnemar_statistic(a: Any, b: Any) -> Any:
    """Return (a - b)² / (a + b) for the matches that only the one or the other system has (McNemar, 1947).

    Large values are unlikely if both systems are equally likely to miss a match.

    >>> mcnemar_statistic(12, 0), mcnemar_statistic(300, 300)
    (12.0, 0.0)
    """
    return (a - b) ** 2 / (a + b)


def _find_differences(block: Block, max_order: int) -> Iterator[NGramTable]:
    """Yield, for each order, the n-grams in which the systems differ: one row per n-gram and segment.

    Tokens are numbered as in the block.
    """
    # 1. Find the segment of each token. N-grams without tokens are equal within a segment.
    texts = block.texts
    text_of = texts.text_of()
    segments = np.arange(len(block.bounds) - 1)
    segments_of_references = segments.repeat(np.diff(block.bounds))
    segment_of_text = np.concatenate([segments, segments, segments_of_references])
    segment_of = segment_of_text[text_of]
    occurrences = Occurrences(starts=np.arange(len(texts.numbers)), numbers=segment_of)
    for n in range(max_order):
        # 2. Extend the n-grams by a token. Numbers differ between segments.
        text_ends = texts.offsets[text_of[occurrences.starts] + 1]
        occurrences = texts.extend(occurrences, n, text_ends)
        starts, ngrams = occurrences
        # 3. Count n-grams in the first prediction, in the second, and in the reference with the
        #    highest count: int64 [3, distinct n-grams]. `np.maximum.at` is fast for one dimension.
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
        matches_of_first, matches_of_second = matches
        different = np.flatnonzero(matches_of_first != matches_of_second)
        distinctive = matches[:, different]
        surplus = np.maximum(distinctive - distinctive[::-1], 0)
        examples = starts[np.searchsorted(ngrams, different)]
        first_segments = np.where(surplus, block.first_segment + segment_of[examples], _NO_SEGMENT)
        tokens = texts.numbers[examples[:, np.newaxis] + np.arange(n + 1)]
        yield NGramTable(
            tokens=tokens.astype(np.int32),
            surplus=surplus.T.astype(np.int32),
            segments=first_segments.T.astype(np.int32),
        )
        # 5. Keep the n-grams that matched, because a longer n-gram matches only if its beginning
        #    does.
        has_match = matches.any(axis=0)
        occurrences = occurrences.take(has_match[ngrams])


def _merge(tables: Sequence[NGramTable]) -> NGramTable:
    """Add up the rows of equal n-grams, and sort them by the numbers of their tokens."""
    table = NGramTable(*map(np.concatenate, zip(*tables)))
    ngrams = np.zeros(len(table.tokens), np.int64)
    for column in range(table.tokens.shape[1]):
        keys = ngrams * (int(table.tokens[:, column].max(initial=0)) + 1) + table.tokens[:, column]
        order = sorted_order(keys)
        table, ngrams = table.take(order), number_runs(keys[order])
    begins = np.flatnonzero(np.diff(ngrams, prepend=-1))
    surplus = np.add.reduceat(table.surplus, begins)
    return NGramTable(table.tokens[begins], surplus, np.minimum.reduceat(table.segments, begins))


def _choose_rows(table: NGramTable, system: int) -> NGramTable:
    """Return the most distinctive n-grams of a system (0 or 1), including all ties with the last n-gram."""
    table = table.take(table.surplus[:, system] > table.surplus[:, 1 - system])
    if len(table.tokens) <= LISTED_NGRAMS:
        return table
    scores: Float64 = mcnemar_statistic(*table.surplus.T.astype(float))
    enough = scores >= np.partition(scores, -LISTED_NGRAMS)[-LISTED_NGRAMS]
    table, scores = table.take(enough), scores[enough]
    segments = table.segments[:, system]
    order = np.lexsort((segments, -scores))
    last = order[LISTED_NGRAMS - 1]
    like_last = (scores[order] == scores[last]) & (segments[order] == segments[last])
    return table.take(order[like_last | (np.arange(len(order)) < LISTED_NGRAMS)])
