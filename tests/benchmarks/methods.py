"""Methods and the trainer callback beside what people do without them, long searches, and the growth of `self_bleu`.

python tests/benchmarks/methods.py
"""

import functools
import itertools
import operator
import random
import statistics
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

import evaluate
import numpy as np
from common import METRIC, corpus, median_seconds, outputs, print_table, synthetic
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

SEGMENTS, SYSTEMS, SENTENCES = 3_000, 5, 200
EVALUATED, LENGTH = 4_000, 128  # rows of ids that a trainer evaluates, and ids per row
PADDING = 100  # of the ids of a row, at most; -100 in labels, the id 0 in predictions
SIZES = (1_000, 4_000, 16_000, 64_000)  # texts for `self_bleu`
SEARCHED = ("zh-en", "en-de", "en-ru", "en-zh", "en-ja")  # directions of searches without a match
TESTS = {
    "bootstrap": ("bs", 1_000),
    "randomization": ("ar", 10_000),
}  # sacreBLEU's name, and resamples or trials
GRID = {  # the settings that `reconcile` searches for one set of references, without means of segment scores
    "tokenize": ("13a", "none", "intl", "zh", "char", "multi-bleu"),
    "lowercase": (False, True),
    "minimum_total": (0, 1),
    "reference_length": ("closest", "shortest", "longest"),
    "smooth_method": ("exp", "none", "skip", "floor", "add-k", "laplace"),
    "max_order": (4, 3, 2, 1),
}


def make_systems(predictions: list[str], count: int) -> dict[str, list[str]]:
    """Return systems that differ a little: system k has other words in every (k + 3)th segment."""
    return {
        f"system {k}": [
            text if k == 0 or i % (k + 3) else f"{text[3:]} {k}"
            for i, text in enumerate(predictions)
        ]
        for k in range(count)
    }


def time_documents(bleu: evaluate.Metric, turns: int) -> list[tuple[float, float]]:
    """Return seconds of `compare` and of `rank`, by segment and by document of twelve segments."""
    predictions, references = corpus(SEGMENTS)[1]
    systems, documents = make_systems(predictions, 10), [i // 12 for i in range(SEGMENTS)]
    calls = {
        (name, by): functools.partial(
            getattr(bleu, name), systems, references, documents=by and documents
        )
        for name in ("compare", "rank")
        for by in (None, True)
    }
    seconds = list(median_seconds(calls, turns=turns).values())
    return [(seconds[0], seconds[1]), (seconds[2], seconds[3])]


def time_compare(bleu: evaluate.Metric, test: str, turns: int) -> tuple[float, float]:
    """Return seconds of sacreBLEU's `PairedTest` and of `compare`, counting included."""
    predictions, references = corpus(SEGMENTS)[1]
    streams, (short, n_resamples) = [list(stream) for stream in zip(*references)], TESTS[test]
    systems = make_systems(predictions, SYSTEMS)
    options = {
        "test_type": short,
        "n_samples": n_resamples,
        "n_ar_confidence": 0,
    }  # 0: with intervals, as `compare`
    calls = {
        "PairedTest": lambda: PairedTest(
            list(systems.items()), {"BLEU": BLEU(force=True)}, streams, **options
        )(),
        "compare": lambda: bleu.compare(systems, references, test=test, n_resamples=n_resamples),
    }
    return tuple(median_seconds(calls, turns=turns).values())


def plain_diff(first: list[str], second: list[str], references: list[list[str]]) -> None:
    """Compute the numbers of `diff` with sacreBLEU's scores and tokens and Python's Counters."""
    corpus_bleu, sentence_bleu = BLEU(force=True), BLEU(effective_order=True)
    matches = [(Counter(), Counter()) for _ in range(4)]  # that only one system has, per order
    by_length, wins = defaultdict(list), 0
    for i, (one, other, row) in enumerate(zip(first, second, references)):
        tokens = [corpus_bleu.tokenizer(text).split() for text in (one, other, *row)]
        for n, (only_first, only_second) in enumerate(matches, 1):
            in_first, in_second, *in_row = (
                Counter(zip(*(text[k:] for k in range(n)))) for text in tokens
            )
            allowed = functools.reduce(operator.or_, in_row)
            only_first.update((in_first & allowed) - (in_second & allowed))
            only_second.update((in_second & allowed) - (in_first & allowed))
        by_length[min(map(len, tokens[2:])) // 10].append(i)
        wins += (
            sentence_bleu.sentence_score(one, row).score
            < sentence_bleu.sentence_score(other, row).score
        )
    for rows in [range(len(first)), *by_length.values()]:
        streams = list(zip(*(references[i] for i in rows)))
        [corpus_bleu.corpus_score([system[i] for i in rows], streams) for system in (first, second)]
    for a, b in matches:
        sorted(
            ((a[ngram] - b[ngram]) ** 2 / (a[ngram] + b[ngram]) for ngram in a | b), reverse=True
        )[:20]


def drop_words(text: str, i: int) -> str:
    """Return a text without every fourteenth word; every fourth text stays as it is."""
    return (
        text
        if i % 4 == 0
        else " ".join(word for k, word in enumerate(text.split(), 14 - i % 14) if k % 14)
    )


def time_diff(bleu: evaluate.Metric) -> tuple[float, float]:
    """Return seconds of plain Python and of `diff`."""
    first, references = corpus(SEGMENTS)[1]
    second = [drop_words(text, i) for i, text in enumerate(first)]
    calls = {
        "plain": lambda: plain_diff(first, second, references),
        "diff": lambda: bleu.diff({"first": first, "second": second}, references),
    }
    return tuple(median_seconds(calls, turns=3).values())


def time_pairwise(bleu: evaluate.Metric, texts: list[str]) -> tuple[float, float, float]:
    """Return seconds of a loop over sacreBLEU's `sentence_score`, of `statistics` of all pairs, and of `pairwise`."""
    metric, size = BLEU(effective_order=True), len(texts)

    def score_all_pairs() -> None:
        predictions = [text for text in texts for _ in range(size)]
        bleu.compute(
            statistics=bleu.statistics(predictions=predictions, references=texts * size),
            segments=True,
        )

    calls = {
        "sacreBLEU": lambda: [
            metric.sentence_score(one, [other]) for one in texts for other in texts
        ],
        "statistics": score_all_pairs,
        "pairwise": lambda: bleu.pairwise(texts),
    }
    return tuple(median_seconds(calls, turns=3).values())


def time_reconcile(bleu: evaluate.Metric) -> tuple[int, float, float]:
    """Return a number of settings, seconds of `compute` under each of them, and seconds of `reconcile`."""
    predictions, references = corpus(1_000)[1]
    chosen = [references, *([[row[i]] for row in references] for i in range(2))]
    settings = list(itertools.product(chosen, itertools.product(*GRID.values())))

    def compute_each() -> None:
        for rows, values in settings:
            bleu.compute(predictions=predictions, references=rows, **dict(zip(GRID, values)))

    calls = {
        "compute": compute_each,
        "reconcile": lambda: bleu.reconcile(predictions, references, 30),
    }
    seconds = median_seconds(calls, turns=2)
    return len(settings), seconds["compute"], seconds["reconcile"]


def processor_seconds(call: Callable[[], object], turns: int) -> float:
    """Return the median of a call's seconds on all processors: on an idle machine, it takes no longer."""
    seconds = []
    for _ in range(turns):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def searches(bleu: evaluate.Metric) -> Iterator[list[str]]:
    """Yield the rows of the table of searches without a match, which have all rounds."""
    for direction in SEARCHED:
        predictions, references = outputs(direction, 2_000)
        search = functools.partial(bleu.reconcile, predictions, references, "99.99")
        settings = search()["settings"]
        yield [direction, f"{settings:,}", f"{processor_seconds(search, turns=3):.1f}"]


def growth(bleu: evaluate.Metric, sentences: list[str]) -> Iterator[list[str]]:
    """Yield the rows of the table of `self_bleu`; the second half of the sentences are references."""
    texts, references = sentences[: max(SIZES)], sentences[max(SIZES) :]
    calls = {
        "of all texts": lambda size: bleu.self_bleu(texts[:size]),
        "`by`, 5 texts per label": lambda size: bleu.self_bleu(
            texts[:size], by=[row // 5 for row in range(size)]
        ),
        "`against` as many references": lambda size: bleu.self_bleu(
            texts[:size], against=references[:size]
        ),
    }
    for name, call in calls.items():
        seconds = [processor_seconds(functools.partial(call, size), turns=5) for size in SIZES]
        exponent = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
        yield [name, *(f"{each:.4f}" for each in seconds), f"{exponent:.2f}"]


class Vocabulary:
    """A tokenizer whose ids stand for words: decoding is one look-up per id. `seconds` is the time that it took."""

    pad_token_id = 0

    def __init__(self, texts: list[str]) -> None:
        self._words = ["", *sorted({word for text in texts for word in text.split()})]
        self.seconds = 0.0

    def batch_decode(self, rows: Iterable[Iterable[int]], skip_special_tokens: bool) -> list[str]:
        start = time.perf_counter()
        words = self._words
        texts = [" ".join([words[i] for i in row if i]) for row in rows]
        self.seconds += time.perf_counter() - start
        return texts

    @property
    def size(self) -> int:
        return len(self._words)


def make_ids(tokenizer: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions and labels as a trainer passes them."""
    generator = np.random.default_rng(0)
    predictions = generator.integers(1, tokenizer.size, size=(EVALUATED, LENGTH))
    labels = np.where(generator.random(predictions.shape) < 0.3, 1, predictions)
    lengths = LENGTH - generator.integers(PADDING, size=(EVALUATED, 1))
    is_padding = np.arange(LENGTH) >= lengths
    predictions[is_padding] = 0
    labels[is_padding] = -100
    return predictions, labels


def time_callback(bleu: evaluate.Metric) -> tuple[float, float]:
    """Return seconds of the usual function of a trainer and of the callback, decoding included."""
    tokenizer = Vocabulary(corpus(2_000)[1][0])
    predictions, labels = make_ids(tokenizer)
    metric = BLEU()

    def score_as_usual() -> None:
        decoded = tokenizer.batch_decode(predictions.tolist(), skip_special_tokens=True)
        label_ids = np.where(labels == -100, tokenizer.pad_token_id, labels)
        references = tokenizer.batch_decode(label_ids.tolist(), skip_special_tokens=True)
        metric.corpus_score(decoded, [references])

    callback = bleu.compute_metrics(tokenizer)
    calls = {"usual": score_as_usual, "callback": lambda: callback((predictions, labels))}
    return tuple(median_seconds(calls, turns=3).values())


def different_sentences(count: int) -> list[str]:
    """Return different sentences of the corpus in a random order, followed by synthetic ones if it has too few."""
    predictions, references = corpus(100_000)[1]
    found = list(dict.fromkeys(itertools.chain(predictions, *references)))
    random.Random(0).shuffle(found)
    return list(dict.fromkeys([*found, *synthetic(count)[0]]))[:count]


def methods(bleu: evaluate.Metric, texts: list[str]) -> Iterator[list[str]]:
    """Yield the rows of the table of methods."""

    def row(work: str, peer: str, theirs: float, ours: float) -> list[str]:
        return [work, peer, f"{theirs:.3g}", f"{ours:.3g}", f"{theirs / ours:.3g}x"]

    for test, (_, n_resamples) in TESTS.items():
        work = f"`compare`, {test}, {n_resamples:,} resamples: {SYSTEMS} systems, {SEGMENTS:,} segments"
        yield row(work, "sacreBLEU's `PairedTest`", *time_compare(bleu, test, 2))
    yield row(f"`diff`: {SEGMENTS:,} segments", "plain Python", *time_diff(bleu))
    loop, pairs, ours = time_pairwise(bleu, texts[:SENTENCES])
    work = f"`pairwise`: {SENTENCES} x {SENTENCES} sentences"
    yield row(work, "a loop over sacreBLEU's `sentence_score`", loop, ours)
    yield row(work, "`statistics` of all pairs, and `compute`", pairs, ours)
    work = f"the trainer callback: {EVALUATED:,} x {LENGTH} ids, decoding included"
    yield row(work, "decoding, and sacreBLEU's `corpus_score`", *time_callback(bleu))
    settings, each, ours = time_reconcile(bleu)
    yield row("`reconcile`: 1,000 segments", f"`compute` under {settings:,} settings", each, ours)


def main() -> None:
    warnings.simplefilter("ignore")
    bleu, sentences = evaluate.load(METRIC), different_sentences(2 * max(SIZES))
    bleu.warm_up()
    print_table(
        [
            f"{corpus(1)[0]}, 2 references",
            "alternative",
            "seconds of the alternative",
            "seconds",
            "ratio",
        ],
        methods(bleu, sentences),
    )
    header = [f"`reconcile`, no match: {corpus(1)[0]}", "settings", "seconds of processors"]
    print_table(header, searches(bleu))
    sizes = [f"{size:,}" for size in SIZES]
    header = ["`self_bleu`: texts, seconds of processors", *sizes, "exponent"]
    print_table(header, growth(bleu, sentences))


if __name__ == "__main__":
    main()
