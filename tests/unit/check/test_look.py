"""The look at the rows of several calls: when rows are read, what is told once, and how rows are named."""

import copy
import pickle
import random
import re
import threading
from collections import Counter

import pytest
from bleu.bleu_core.check.look import Look, Watch, stands_out
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.text.read import read_corpus
from helpers import record_warnings


def make_rows(count):
    """Return predictions and references of different sentences."""
    syllables = ["ba", "ko", "mi", "ru", "te", "sho", "len", "dar", "vi", "gu", "par", "nos"]
    draw = random.Random(1)
    references = []
    for _ in range(count):
        names = ["".join(draw.choices(syllables, k=3)) for _ in range(9)]
        first, last = " ".join(names[:5]), " ".join(names[5:])
        references.append(f"{first} a {last}, {draw.randrange(10)} times.")
    return [text.replace(" a ", " the ") for text in references], references


PREDICTIONS, REFERENCES = make_rows(24)
ENDED = [f"{text} </s>" for text in PREDICTIONS]


class Clock:
    """A clock that stands still until it is set."""

    time = 0.0

    def __call__(self):
        return self.time


@pytest.fixture
def clock(bleu, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(bleu._watch, "_clock", clock)
    return clock


@pytest.fixture
def looks(monkeypatch):
    """Return the list of the texts of each look, which grows."""
    looks = []

    def add(self, corpus, bigrams=None):
        looks.append(corpus.predictions.to_pylist())

    monkeypatch.setattr(Look, "add", add)
    monkeypatch.setattr(Look, "warn", lambda self, *arguments: None)
    return looks


def tell(bleu, predictions, references, **options):
    """Return the messages about the texts of a call."""
    _, messages = record_warnings(
        lambda: bleu.compute(predictions=predictions, references=references, **options)
    )
    return [message for message in messages if "BLEU is 0" not in message]


def loop(bleu, predictions, references, size=1):
    """Return the messages of each call of a loop that has any, by the number of the call."""
    messages = {}
    for start in range(0, len(predictions), size):
        part = slice(start, start + size)
        told = tell(bleu, predictions[part], references[part], effective_order=True)
        if told:
            messages[start // size] = told
    return messages


# --- Which texts are searched ---------------------------------------------------------------------


def test_copies_among_neighbors_stand_out_and_those_far_apart_do_not():
    """Short answers recur in each corpus; a model that hasn't learned writes one text again and again."""
    (batch,) = read_corpus(*make_rows(32)).batches
    assert not stands_out([batch], splits_unspaced=False)
    assert not stands_out([batch, batch], splits_unspaced=False)
    copies = read_corpus(*([text for text in texts[:16] for _ in "12"] for texts in make_rows(32)))
    assert stands_out(copies.batches, splits_unspaced=False)


# --- When rows are looked at ----------------------------------------------------------------------


def test_rows_that_wait_are_looked_at_after_1_8_64_512_and_each_4096(looks):
    """And after the third call. Each row is looked at once."""
    watch = Watch(threading.Lock(), Clock())
    texts = [f"text {row}" for row in range(9_000)]
    for text in texts:
        watch.begin_call()(read_corpus([text], [text]), None, Options())
    assert [len(look) for look in looks] == [1, 2, 5, 56, 448, 4096, 4096]
    assert [text for look in looks for text in look] == texts[:8704]


def test_a_large_call_is_looked_at_by_itself(looks):
    watch = Watch(threading.Lock(), Clock())
    for size in (4096, 10, 5000, 10):
        texts = [f"text {row} of {size + len(looks)}" for row in range(size)]
        watch.begin_call()(read_corpus(texts, texts), None, Options())
    assert [len(look) for look in looks] == [4096, 10, 5000]


def test_rows_wait_for_the_last_four_sets_of_options(looks):
    watch = Watch(threading.Lock(), Clock())
    for turn in range(5):
        for order in range(1, 6 if turn == 4 else 5):
            corpus = read_corpus([f"text {turn}"], ["text"])
            watch.begin_call()(corpus, None, Options(max_order=order))
    assert [len(look) for look in looks] == [1] * 4 + [2] * 4 + [1]
    watch.begin_call()(read_corpus(["again"], ["text"]), None, Options(max_order=1))
    assert looks[9:] == [["again"]]


def test_texts_tokens_and_ids_wait_apart(looks):
    watch = Watch(threading.Lock(), Clock())
    for row in range(3):
        for text in (f"a {row}", ["a", str(row)], [1, row]):
            watch.begin_call()(read_corpus([text], [[text]]), None, Options())
    assert Counter(map(len, looks)) == {1: 3, 2: 3}


# --- What is told ---------------------------------------------------------------------------------


def test_a_loop_over_rows_is_warned_once(bleu, clock):
    predictions, references = make_rows(200)
    told = loop(bleu, [f"{text} </s>" for text in predictions], references)
    assert list(told) == [0]
    assert [message[:55] for message in told[0]] == [
        "predictions[0] contains tokens of a model ('</s>'). Write"[:55]
    ]


@pytest.mark.parametrize("size", [1, 8, 64])
@pytest.mark.parametrize(
    "change", ["{} </s>", '{{"translation": "{}"}}', "<think>a</think> {}", "{} &quot;"]
)
def test_a_mistake_in_each_row_is_told_by_the_third_call(bleu, clock, size, change):
    predictions, references = make_rows(200)
    predictions = [change.format(text) for text in predictions]
    assert min(loop(bleu, predictions[: 3 * size], references[: 3 * size], size)) <= 2


def test_rows_that_moved_are_told_in_a_loop_over_rows(bleu, clock):
    predictions, references = make_rows(200)
    messages = loop(bleu, predictions[1:], references)
    ((message,),) = messages.values()
    assert re.match(r"From predictions\[0\] \(\d+ calls ago\) on, the predictions fit", message)
    assert "(of the last calls)" in message


def test_one_text_in_all_rows_is_told_in_a_loop_over_rows(bleu, clock):
    _, references = make_rows(200)
    ((message,),) = loop(bleu, ["It is said that there is a house."] * 200, references).values()
    assert "is the same text as others" in message


def test_a_mistake_is_told_again_when_its_share_has_grown_tenfold(bleu, clock):
    predictions, references = make_rows(600)
    for row in range(0, 64, 16):
        predictions[row] += " </s>"
    for row in range(64, 600):
        predictions[row] += " </s>"
    messages = loop(bleu, predictions, references, size=64)
    assert list(messages) == [0, 2]
    assert all(len(told) == 1 for told in messages.values())


def test_a_loop_over_ordinary_rows_is_not_warned(bleu, clock):
    predictions, references = make_rows(600)
    assert loop(bleu, predictions, references) == {}


# --- Another loop ---------------------------------------------------------------------------------


def test_a_call_after_a_pause_warns_again(bleu, clock):
    assert len(tell(bleu, ENDED[:8], REFERENCES[:8])) == 1
    clock.time = 1.9
    assert tell(bleu, ENDED[8:16], REFERENCES[8:16]) == []
    clock.time = 4.0
    assert len(tell(bleu, ENDED[4:12], REFERENCES[4:12])) == 1


def test_a_call_that_takes_long_is_not_a_pause(bleu, clock):
    """Such as the third one here, which counts with a slow tokenizer, or compiles."""

    def split(text):
        clock.time += 3
        return text.split()

    told = [tell(bleu, ENDED[n : n + 1], REFERENCES[n : n + 1], tokenize=split) for n in range(5)]
    assert [len(each) for each in told] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("between", [0, 1])
def test_a_call_with_the_texts_of_a_call_before_warns_again(bleu, clock, between):
    """A cell that is run again, with or without another one between."""
    first = ENDED[:8], REFERENCES[:8]
    assert len(tell(bleu, *first)) == 1
    for _ in range(between):
        assert tell(bleu, ENDED[8:16], REFERENCES[8:16]) == []
    assert len(tell(bleu, *first)) == 1


# --- Names of rows --------------------------------------------------------------------------------


def test_two_test_sets_in_turn_have_their_rows_named(bleu, clock):
    """The first look is at one call; the second one is at two, and the sixth row of each has a mistake."""
    predictions, references = make_rows(60)
    assert tell(bleu, predictions[:20], references[:20]) == []
    predictions[25] += " <unk>"
    predictions[45] += " <unk>"
    assert tell(bleu, predictions[20:40], references[20:40]) == []
    (message,) = tell(bleu, predictions[40:], references[40:])
    assert message.startswith("predictions[5] (1 call ago) contains '<unk>'")
    assert "like 2 of 40 rows looked at (of the last calls)." in message


def test_empty_rows_of_several_calls_are_counted(bleu, clock):
    predictions, references = make_rows(60)
    predictions[2] = predictions[41] = ""
    assert tell(bleu, predictions[3:20], references[3:20]) == []
    assert tell(bleu, predictions[20:40], references[20:40]) == []
    (message,) = tell(bleu, predictions[40:], references[40:])
    assert (
        message
        == "predictions[1] is empty, like 1 row of 40 (of the last calls). Look at these rows."
    )


def test_explain_names_the_prediction(bleu, clock):
    def explain(row):
        _, messages = record_warnings(
            lambda: bleu.explain(f"row {row} says a thing or two", ["Row"])
        )
        return [message for message in messages if "0" not in message]

    assert [explain(row) for row in "ab"] == [[], []]
    _, messages = record_warnings(lambda: bleu.explain("a cat sat here </s>", ["a cat sat here"]))
    assert messages[0].startswith(
        "prediction contains tokens of a model ('</s>'), like 1 of 2"[:20]
    )


# --- Threads and processes ------------------------------------------------------------------------


def test_threads_look_at_each_row_once(looks):
    lock = threading.Lock()
    watch = Watch(lock, Clock())
    texts = [f"text {row}" for row in range(9_600)]

    def run(part):
        for text in part:
            watch.begin_call()(read_corpus([text], [text]), None, Options())

    threads = [threading.Thread(target=run, args=(texts[n::8],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    looked_at = [text for look in looks for text in look]
    waiting = [
        text for corpus, _ in watch._loops[0].waiting for text in corpus.predictions.to_pylist()
    ]
    assert sorted(looked_at + waiting) == sorted(texts)
    assert len(waiting) < 4096


def test_no_lock_is_held_during_a_look(monkeypatch):
    lock = threading.Lock()
    held = []
    monkeypatch.setattr(Look, "add", lambda *arguments: held.append(lock.locked()))
    monkeypatch.setattr(Look, "warn", lambda *arguments: held.append(lock.locked()))
    Watch(lock).begin_call()(read_corpus(["a"], ["b"]), None, Options())
    assert held == [False, False]


def test_an_error_in_a_look_leaves_no_lock():
    lock = threading.Lock()
    watch = Watch(lock)
    with pytest.raises(AttributeError):
        watch.begin_call()(read_corpus(["a"], ["b"]), None, None)
    assert not lock.locked()


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda bleu: pickle.loads(pickle.dumps(bleu))]
)
def test_rows_that_wait_are_not_copied(bleu, clock, copied):
    for row in range(5):
        tell(bleu, [f"a cat sat there {row}"], ["a cat sat here"])
    assert b"sat there" not in pickle.dumps(bleu)
    assert len(bleu._watch._loops[0].waiting) == 2
    assert copied(bleu)._watch._loops == []
