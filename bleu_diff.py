"""Differences between two systems: by segment, length and label, and the n-grams that only one system matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa

from .bleu_corpus import Batch, Corpus, Float64, Int64, Texts, group_labels, list_items, make_lists
from .bleu_inputs import read_corpus, read_labels
from .bleu_messages import count_things, name_system
from .bleu_options import Options, make_signature
from .bleu_pairwise import encode_texts, extend_ngrams, number_runs, sorted_order
from .bleu_report import Report, plot_scatter, write_table
from .bleu_scoring import NOISE, bleu, count_wins
from .bleu_statistics import count_batch
from .bleu_tokenizers import ChosenTokenizer, choose_tokenizer, prepare_texts, warn_about_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LENGTHS = (10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500)  # tokens: the first length of each group but the first
LISTED_SEGMENTS = 20  # per system
LISTED_NGRAMS = 20  # per order and system
MAX_NGRAMS = 1 << 21  # rows of a table: about 60 MB for 4-grams

_SEGMENTS_PER_BLOCK = 2048  # their n-grams sort quickly, and memory does not grow with the corpus
_PRINTED_LABELS, _PRINTED_NGRAMS, _PRINTED_CHARACTERS = 10, 5, 48
_NO_SEGMENT = np.iinfo(np.int32).max

Int32 = np.ndarray[Any, np.dtype[np.int32]]


class NGramDifference(TypedDict):
    """An n-gram that one system matches more often: the surplus, the matches of one system only, the first segment."""

    ngram: list[Any]
    count: int
    only_first: int
    only_second: int
    segment: int


class OrderDifferences(TypedDict):
    """The n-grams of one order that each system matches more often."""

    order: int
    first: list[NGramDifference]
    second: list[NGramDifference]


class GroupScores(TypedDict):
    """BLEU of both systems on a group of segments."""

    segments: int
    first: float
    second: float
    delta: float


class SegmentScores(TypedDict):
    """BLEU of both systems on a segment."""

    segment: int
    first: float
    second: float
    delta: float


# --- The result -------------------------------------------------------------------------------------------------------


class Difference(Report):
    """The result of `diff`: a dict that displays as a table.

    >>> print(diff_systems(["a b c e"], ["a b c d"], ["a b c d"], None, Options(max_order=2)))
    The second system scores 100.00, the first 70.71: +29.29 BLEU; better in 1 segment, equal in 0, worse in 0
    <BLANKLINE>
                                        segments  first  second  difference
    all                                        1  70.71  100.00      +29.29
    reference of 0 to 9 tokens                 1  70.71  100.00      +29.29
    n-grams matched by one system only            first  second  difference
    c d                                               0       1          +1
    <BLANKLINE>
    nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:bleu_metric-0.2.0
    """

    def _records(self) -> list[dict[str, Any]]:
        groups = [{"group": "length", **group} for group in self["by_length"]]
        return groups + [{"group": "label", **group} for group in self.get("by_label", ())]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the segment scores of both systems into `ax` or a new figure, and return the Axes."""
        scores = self["segment_bleu"]
        return plot_scatter(scores["first"], scores["second"], ("first", "second"), ax)

    def most_telling(self, system: str, count: int) -> list[NGramDifference]:
        """Return the most distinctive n-grams of all orders, without parts of n-grams that are already listed.

        Args:
            system: `"first"` or `"second"`, the system that matches the n-grams more often.
            count: the largest number of n-grams.

        Returns:
            Dicts as in `ngrams`.

        >>> difference = diff_systems(["a b c"], ["x"], ["a b c"], None, Options(max_order=2))
        >>> [ngram["ngram"] for ngram in difference.most_telling("first", 5)]
        [['a', 'b'], ['b', 'c']]
        """
        ngrams = [ngram for order in reversed(self["ngrams"]) for ngram in order[system]]
        ngrams.sort(key=lambda ngram: -mcnemar_statistic(ngram["only_first"], ngram["only_second"]))
        chosen: list[NGramDifference] = []
        for ngram in ngrams:
            tokens, size = ngram["ngram"], len(ngram["ngram"])
            longer_ones = (longer["ngram"] for longer in chosen)
            if not any(tokens == longer[i : i + size] for longer in longer_ones for i in range(len(longer) - size + 1)):
                chosen.append(ngram)
        return chosen[:count]

    def _rows(self) -> list[list[str]]:
        return [*self._group_rows(), *([name, "", *numbers] for name, *numbers in self._ngram_rows())]

    def _title(self) -> str:
        first, second = (100 * self["systems"][name]["bleu"] for name in ("first", "second"))
        return (
            f"The second system scores {second:.2f}, the first {first:.2f}: {second - first:+.2f} BLEU; better in"
            f" {count_things(self['wins'], 'segment')}, equal in {self['ties']:,}, worse in {self['losses']:,}"
        )

    def _html_table(self) -> str:
        """Return a table of groups and, if the systems differ in n-grams, a table of n-grams."""
        tables = filter(None, [list(self._group_rows()), self._ngram_rows()])
        return "".join(write_table(head, rows) for head, *rows in tables)

    def _group_rows(self) -> Iterator[list[str]]:
        yield ["", "segments", "first", "second", "difference"]
        systems = {name: system["bleu"] for name, system in self["systems"].items()}
        delta = self["systems"]["second"]["delta"]
        yield _print_group("all", {"segments": len(self["segment_bleu"]["first"]), **systems, "delta": delta})
        for group in self["by_length"]:
            bounds = f"{group['from']} to {group['to']}" if group["to"] else f"{group['from']} and more"
            yield _print_group(f"reference of {bounds} tokens", group)
        for group in self.get("by_label", ())[:_PRINTED_LABELS]:
            yield _print_group(_shorten(str(group["label"])), group)
        if len(self.get("by_label", ())) > _PRINTED_LABELS:
            yield [f"… {len(self['by_label']) - _PRINTED_LABELS:,} more labels", "", "", "", ""]

    def _ngram_rows(self) -> list[list[str]]:
        ngrams = [ngram for name in ("first", "second") for ngram in self.most_telling(name, _PRINTED_NGRAMS)]
        head = ["n-grams matched by one system only", "first", "second", "difference"]
        rows = []
        for ngram in ngrams:
            first, second = ngram["only_first"], ngram["only_second"]
            text = _shorten(" ".join(map(str, ngram["ngram"])))
            rows.append([text, f"{first:,}", f"{second:,}", f"{second - first:+,}"])
        return [head, *rows] if rows else []


def _print_group(name: str, group: Any) -> list[str]:
    scores = (f"{100 * group[system]:.2f}" for system in ("first", "second"))
    return [name, f"{group['segments']:,}", *scores, f"{100 * group['delta']:+.2f}"]


def _shorten(text: str) -> str:
    """Write a text on a single line of limited length."""
    text = " ".join(text.split())
    return text if len(text) <= _PRINTED_CHARACTERS else text[: _PRINTED_CHARACTERS - 1] + "…"


# --- Counting and scoring ---------------------------------------------------------------------------------------------


def diff_systems(first: object, second: object, references: object, by: object, options: Options) -> Difference:
    """Compare two systems segment by segment and n-gram by n-gram.

    >>> difference = diff_systems(["a b", "c"], ["a b", "d"], ["a b", "d"], ["A", "B"], Options(max_order=1))
    >>> difference["by_label"][1]
    {'label': 'B', 'segments': 1, 'first': 0.0, 'second': 1.0, 'delta': 1.0}
    """
    corpora = {}
    for name, predictions in (("first", first), ("second", second)):
        with name_system(name):
            corpora[name] = read_corpus(predictions, references)
        references = corpora[name].references  # read once
    labels = None if by is None else read_labels(by, len(corpora["first"]))
    tokenizer = choose_tokenizer(options, corpora["first"].kind)
    warn_about_text(corpora["first"].predictions, tokenizer)
    rows, ngrams = _count_pair(corpora, tokenizer, options)
    scores = bleu(rows, options.for_segments())
    difference = Difference(count_wins(scores[1] - scores[0]))
    first_bleu, second_bleu = bleu(rows.sum(axis=1), options).tolist()
    difference["systems"] = {
        "first": {"bleu": first_bleu, "score": 100 * first_bleu},
        "second": {"bleu": second_bleu, "score": 100 * second_bleu, "delta": second_bleu - first_bleu},
    }
    # If the effective reference length differs between the systems, the shorter one decides.
    lengths = group_labels(np.searchsorted(LENGTHS, rows[..., -1].min(axis=0), side="right").tolist())
    ends = [0, *LENGTHS, None]
    difference["by_length"] = [
        {"from": ends[i], "to": None if ends[i + 1] is None else ends[i + 1] - 1, **scores}
        for i, scores in _score_groups(rows, dict(sorted(lengths.items())), options)
    ]
    if labels is not None:
        labeled = _score_groups(rows, group_labels(labels), options)
        difference["by_label"] = [{"label": label, **scores} for label, scores in labeled]
    difference["ngrams"] = ngrams.list_most_distinctive()
    difference["segments"] = _list_segments(scores)
    difference["segment_bleu"] = {"first": scores[0].tolist(), "second": scores[1].tolist()}
    difference["signature"] = make_signature(options, tokenizer.name, corpora["first"].reference_count())
    return difference


def _count_pair(
    corpora: dict[str, Corpus], tokenizer: ChosenTokenizer, options: Options
) -> tuple[Int64, NGramDifferences]:
    """Return the rows of both systems, int64 [2, segments, 2 N + 2], and the n-grams in which they differ.

    Each text is tokenized once; all further steps work on token ids.
    """
    ids, ngrams = ChosenTokenizer("ids"), NGramDifferences(options.max_order)
    rows: Int64 = np.empty((2, len(corpora["first"]), 2 * options.counted_orders + 2), np.int64)
    for block in _split_blocks(corpora, tokenizer):
        segments = len(block.bounds) - 1
        texts = make_lists(block.offsets, pa.array(np.asarray(block.tokens.indices).astype(np.int64)))
        block_rows = slice(block.first_segment, block.first_segment + segments)
        for system in range(2):
            predictions = texts.slice(system * segments, segments)
            batch = Batch(block.first_segment, predictions, texts.slice(2 * segments), block.bounds)
            rows[system, block_rows] = count_batch(batch, ids, options)
        ngrams.add(block)
    return rows, ngrams


def _split_blocks(corpora: dict[str, Corpus], tokenizer: ChosenTokenizer) -> Iterator[Block]:
    """Yield the tokens of both systems and of the references, one block of segments at a time."""
    columns = {name: corpus.predictions for name, corpus in corpora.items()}
    table = pa.table({**columns, "references": corpora["first"].references})
    prepared_already, first_segment = tokenizer._replace(lowercase=False), 0
    for batch in filter(len, table.to_batches(max_chunksize=_SEGMENTS_PER_BLOCK)):
        first = Batch(first_segment, batch.column("first"), *list_items(batch.column("references")))
        texts = {
            name: prepare_texts(batch.column(name), tokenizer, f"System {name!r}: predictions", first.row_of_prediction)
            for name in corpora
        }
        texts["references"] = prepare_texts(first.references, tokenizer, "references", first.row_of_reference)
        prepared = Texts({name: pa.chunked_array([text]) for name, text in texts.items()}, corpora["first"].kind)
        yield Block(first_segment, *encode_texts(prepared, prepared_already), first.bounds)
        first_segment += len(batch)


def _score_groups(rows: Int64, groups: Mapping[Any, Int64], options: Options) -> Iterator[tuple[Any, GroupScores]]:
    """Yield BLEU of both systems on the segments of each group."""
    sizes = [len(segments) for segments in groups.values()]
    grouped = rows[:, np.concatenate(list(groups.values()))]
    scores = bleu(np.add.reduceat(grouped, np.cumsum([0, *sizes[:-1]]), axis=1), options)
    for name, size, first, second in zip(groups, sizes, *scores.tolist()):
        yield name, {"segments": size, "first": first, "second": second, "delta": second - first}


def _list_segments(scores: Float64) -> dict[str, list[SegmentScores]]:
    """List the segments in which each system is better, the largest differences first."""
    deltas = scores[1] - scores[0]
    order = np.argsort(deltas, kind="stable")
    best = {"first": order[:LISTED_SEGMENTS], "second": np.argsort(-deltas, kind="stable")[:LISTED_SEGMENTS]}
    return {
        name: [
            {"segment": i, "first": float(scores[0, i]), "second": float(scores[1, i]), "delta": float(deltas[i])}
            for i in segments.tolist()
            if (deltas[i] > NOISE if name == "second" else deltas[i] < -NOISE)
        ]
        for name, segments in best.items()
    }


# --- N-grams ----------------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """The texts of consecutive segments: predictions of the first system, of the second system, then references.

    first_segment: the corpus row of the first segment.
    tokens: all tokens; equal tokens have the same index.
    offsets: int64 [texts + 1], the offsets of each text's tokens.
    bounds: int64 [segments + 1], the offsets of each segment's references.
    """

    first_segment: int
    tokens: pa.DictionaryArray
    offsets: Int64
    bounds: Int64


class NGramTable(NamedTuple):
    """N-grams of one order in which the systems differ.

    tokens: int32 [rows, order], the numbers of the tokens.
    surplus: int32 [rows, 2], per system, the matches that it has beyond the other system, summed over segments.
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

    Memory grows with the number of distinct n-grams in which the systems differ, not with the text. Beyond `MAX_NGRAMS`
    rows per order, n-grams with the fewest matches so far are dropped.

    >>> differences = NGramDifferences(max_order=1)
    >>> tokens = pa.array(["a", "b", "a", "c"]).dictionary_encode()
    >>> differences.add(Block(0, tokens, np.array([0, 1, 2, 4]), np.array([0, 1])))
    >>> differences.list_most_distinctive()[0]["first"]
    [{'ngram': ['a'], 'count': 1, 'only_first': 1, 'only_second': 0, 'segment': 0}]
    """

    def __init__(self, max_order: int) -> None:
        self._numbers: dict[Any, int] = {}
        none: Int32 = np.empty((0, 2), np.int32)
        self._tables = [[NGramTable(np.empty((0, order), np.int32), none, none)] for order in range(1, max_order + 1)]

    def add(self, block: Block) -> None:
        """Add the n-grams of a block."""
        found = list(_find_differences(block, len(self._tables)))
        numbers = self._number_tokens(
            block.tokens.dictionary, np.concatenate([table.tokens.ravel() for table in found])
        )
        for tables, table in zip(self._tables, found):
            tables.append(table._replace(tokens=numbers[table.tokens].astype(np.int32)))
            if sum(len(table.tokens) for table in tables) > MAX_NGRAMS:
                tables[:] = [_drop_rarest(_merge(tables), MAX_NGRAMS // 2)]

    def list_most_distinctive(self) -> list[OrderDifferences]:
        """List, for each order, the most distinctive n-grams of each system.

        N-grams are sorted by McNemar's statistic, then by segment, then by tokens.
        """
        tokens, listed = list(self._numbers), []
        for order, tables in enumerate(self._tables, 1):
            table = _merge(tables)
            first, second = (_describe_ngrams(_choose_rows(table, system), system, tokens) for system in (0, 1))
            listed.append(OrderDifferences(order=order, first=first, second=second))
        return listed

    def _number_tokens(self, tokens: pa.Array, used: Int32) -> Int64:
        """Return the number of each token of a block in the tables; only used tokens get a number."""
        numbers, is_used = np.zeros(len(tokens), np.int64), np.zeros(len(tokens), bool)
        is_used[used] = True
        found = tokens.filter(pa.array(is_used)).to_pylist()
        numbers[is_used] = [self._numbers.setdefault(token, len(self._numbers)) for token in found]
        return numbers


def mcnemar_statistic(only_first: Any, only_second: Any) -> Any:
    """Return (a - b)² / (a + b) for the matches that only one system has (McNemar, 1947).

    Large values are unlikely if both systems are equally likely to miss a match.

    >>> mcnemar_statistic(12, 0), mcnemar_statistic(300, 300)
    (12.0, 0.0)
    """
    return (only_first - only_second) ** 2 / (only_first + only_second)


def _find_differences(block: Block, max_order: int) -> Iterator[NGramTable]:
    """Yield, for each order, the n-grams in which the systems differ: one row per n-gram and segment.

    Tokens are numbered as in the block.
    """
    numbers, offsets = np.asarray(block.tokens.indices).astype(np.int64), block.offsets
    segments = np.arange(len(block.bounds) - 1)
    text_of = np.arange(len(offsets) - 1).repeat(np.diff(offsets))
    segment_of = np.concatenate([segments, segments, segments.repeat(np.diff(block.bounds))])[text_of]
    starts, ngrams = np.arange(len(numbers)), segment_of  # n-grams without tokens are equal within a segment
    vocabulary = len(block.tokens.dictionary)
    for n in range(max_order):
        # 1. Extend the n-grams by a token.
        starts, ngrams = extend_ngrams(starts, ngrams, numbers, vocabulary, offsets[text_of[starts] + 1], n)
        # 2. Compare the clipped counts of both systems.
        counts = _count_ngrams(ngrams, text_of[starts], len(segments))
        matches = np.minimum(counts[:2], counts[2])
        different = np.flatnonzero(matches[0] != matches[1])
        places = starts[np.searchsorted(ngrams, different)]
        surplus = np.maximum(matches - matches[::-1], 0)[:, different]
        first_segments = np.where(surplus, block.first_segment + segment_of[places], _NO_SEGMENT)
        tokens = numbers[places[:, np.newaxis] + np.arange(n + 1)]
        yield NGramTable(tokens.astype(np.int32), surplus.T.astype(np.int32), first_segments.T.astype(np.int32))
        # 3. Keep the n-grams that matched, because a longer n-gram matches only if its beginning does.
        could_match = matches.any(axis=0)[ngrams]
        starts, ngrams = starts[could_match], ngrams[could_match]


def _count_ngrams(ngrams: Int64, texts: Int64, segments: int) -> Int64:
    """Count n-grams in the first prediction, in the second, and in the reference with the highest count.

    Args:
        ngrams: numbers of n-grams, sorted, consecutive from 0, different in different segments.
        texts: the text of each n-gram, sorted among equal n-grams.
        segments: the number of predictions per system.

    Returns:
        int64 [3, n-grams].
    """
    begins = np.flatnonzero((np.diff(ngrams, prepend=-1) != 0) | (np.diff(texts, prepend=-1) != 0))
    occurrences, numbers = np.diff(begins, append=len(ngrams)), ngrams[begins]
    sources = np.minimum(texts[begins] // segments, 2)  # first system, second system, references
    counts = np.zeros((3, ngrams.max(initial=-1) + 1), np.int64)
    for source in range(3):
        is_source = sources == source
        np.maximum.at(counts[source], numbers[is_source], occurrences[is_source])
    return counts


def _merge(tables: Sequence[NGramTable]) -> NGramTable:
    """Add up the rows of equal n-grams, and sort them by the numbers of their tokens."""
    table = NGramTable(*map(np.concatenate, zip(*tables)))
    ngrams = np.zeros(len(table.tokens), np.int64)
    for column in range(table.tokens.shape[1]):
        keys = ngrams * (int(table.tokens[:, column].max(initial=0)) + 1) + table.tokens[:, column]
        order = sorted_order(keys)
        table, ngrams = table.take(order), number_runs(keys[order])
    begins = np.flatnonzero(np.diff(ngrams, prepend=-1))
    if not len(begins):
        return table
    surplus = np.add.reduceat(table.surplus, begins)
    return NGramTable(table.tokens[begins], surplus, np.minimum.reduceat(table.segments, begins))


def _drop_rarest(table: NGramTable, rows: int) -> NGramTable:
    """Keep the n-grams with the most matches, at most `rows` of them."""
    order = np.argsort(-table.surplus.sum(axis=1), kind="stable")
    return table.take(np.sort(order[:rows]))


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


def _describe_ngrams(table: NGramTable, system: int, tokens: list[Any]) -> list[NGramDifference]:
    described = []
    for numbers, (only_first, only_second), segments in zip(*(column.tolist() for column in table)):
        described.append(
            NGramDifference(
                ngram=[tokens[number] for number in numbers],
                count=abs(only_first - only_second),
                only_first=only_first,
                only_second=only_second,
                segment=segments[system],
            )
        )
    return sorted(
        described,
        key=lambda ngram: (
            -mcnemar_statistic(ngram["only_first"], ngram["only_second"]),
            ngram["segment"],
            ngram["ngram"],
        ),
    )[:LISTED_NGRAMS]
