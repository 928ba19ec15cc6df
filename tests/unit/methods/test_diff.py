"""`diff`: scores are those of `compute`, and n-grams are counted by hand and with Counters."""

import json
import random
import re
from collections import Counter
from unittest import mock

import numpy as np
import pandas
import pyarrow as pa
import pytest
from bleu.bleu_core.methods import diff as diff_file
from bleu.bleu_core.methods.diff import LISTED_NGRAMS, mcnemar_statistic
from bleu.bleu_core.options.options import Options
from bleu.bleu_core.rows.statistics import prepare_batch
from bleu.bleu_core.rules.chosen_tokenizer import choose_tokenizer, list_tokens
from bleu.bleu_core.text.read import read_corpus
from bleu.bleu_metric import BleuMetric
from both_ways import python_only
from helpers import OPTION_SETS, edit_pieces, examples, random_pieces, record_warnings
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
OPTION_SETS = [*OPTION_SETS, {"smooth_method": "nltk-5", "tokenize": "none"}]


def make_systems(segments, seed=0):
    """Return two similar systems, and one to four references per segment."""
    generator = random.Random(seed)
    pieces = [random_pieces(generator)[:40] for _ in range(segments)]
    first, second = (["".join(edit_pieces(row, generator)) for row in pieces] for _ in range(2))
    references = [
        ["".join(edit_pieces(row, generator)) for _ in range(generator.choice((1, 1, 2, 4)))]
        for row in pieces
    ]
    second[::7] = first[::7]
    return first, second, references


def diff(first, second, references, by=None, **options):
    """Return the result of `diff_systems` for "A" and "B"; assert that the Python implementations return the same."""
    systems = {"A": first, "B": second}
    call = lambda: diff_file.diff_systems(systems, references, by, Options().override(options))
    answer = call()
    with python_only():
        assert call() == answer
    return answer


def ngrams_by_counting(first, second, references, **options):
    """Return two Counters per order: the matches that only the first system has, and only the second."""
    chosen, counts = Options().override(options), {}
    for one, other, row in zip(first, second, references):
        matches = []
        for text in (one, other):
            (batch,) = read_corpus([text], [row]).batches
            tokenizer = choose_tokenizer(chosen, "text")
            (prediction,), references = (
                list_tokens(part, tokenizer) for part in prepare_batch(batch, tokenizer)
            )
            grams = lambda tokens, n: Counter(
                tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)
            )
            matches.append([])
            for n in range(1, chosen.max_order + 1):
                allowed = Counter()
                for reference in references:
                    allowed |= grams(reference, n)
                matches[-1].append(grams(prediction, n) & allowed)
        for n, (of_first, of_second) in enumerate(zip(*matches), 1):
            only_first, only_second = counts.setdefault(n, (Counter(), Counter()))
            only_first += of_first - of_second
            only_second += of_second - of_first
    return counts


def check_ngrams(answer, counts):
    """Assert that the listed n-grams have the right counts, and that no more distinctive n-gram is missing."""
    assert [order["order"] for order in answer["ngrams"]] == list(counts)
    for order in answer["ngrams"]:
        only_first, only_second = counts[order["order"]]
        for name, own, other in (("A", only_first, only_second), ("B", only_second, only_first)):
            distinctive = sorted(
                (mcnemar_statistic(own[g], other[g]) for g in own if own[g] > other[g]),
                reverse=True,
            )
            listed = order["systems"][name]
            assert [mcnemar_statistic(*n["matches"].values()) for n in listed] == distinctive[
                :LISTED_NGRAMS
            ]
            assert len({tuple(ngram["ngram"]) for ngram in listed}) == len(listed)
            for ngram in listed:
                key = tuple(ngram["ngram"])
                assert ngram["matches"] == {"A": only_first[key], "B": only_second[key]}
                assert ngram["count"] == own[key] - other[key]


# First, second, references, options; per n-gram that differs, the first's matches, the second's matches, the segment.
TABLE = [
    (["a b"], ["a c"], ["a b"], {"max_order": 2}, {"b": (1, 0, 0), "a b": (1, 0, 0)}, "what the other lacks"),
    (["a a a"], ["a b"], [["a a", "b"]], {"max_order": 1}, {"a": (1, 0, 0), "b": (0, 1, 0)}, "clipped: two of three"),
    (["a a a"], ["a a"], [["a a", "a"]], {"max_order": 1}, {}, "what is clipped away makes no difference"),
    (["a b", "b"], ["b", "a b"], ["a", "a b"], {"max_order": 1}, {}, "once more, once less: no difference"),
    (["x", "a", "a"], ["a", "x", "x"], ["a"] * 3, {"max_order": 1}, {"a": (2, 1, 1)}, "the first segment where it has more"),
    (["a", "a b", "x"], ["x", "a", "a"], ["a", "b", "a"], {"max_order": 1}, {"b": (1, 0, 1)}, "in another segment's reference"),
    (["A"], ["b"], ["a"], {"max_order": 1, "lowercase": True}, {"a": (1, 0, 0)}, "in lower case"),
    (["", "a"], ["a", ""], ["a", ""], {"max_order": 1}, {"a": (0, 1, 0)}, "empty texts"),
    (["", ""], ["", " "], ["", ""], {}, {}, "only empty texts"),
    (["xy"], ["x y"], ["x<skipped>y"], {"max_order": 1}, {"xy": (1, 0, 0)}, "what the compiled tokenizer leaves"),
    (["a b c"], ["a c"], [["a b", "b c"]], {"max_order": 3}, {"b": (1, 0, 0), "a b": (1, 0, 0), "b c": (1, 0, 0)}, "no 3-gram of two references"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "references", "options", "expected", "why"), TABLE, ids=[row[-1] for row in TABLE])  # fmt: skip
def test_ngrams_by_hand(first, second, references, options, expected, why):
    answer = diff(first, second, references, **options)
    found = {
        " ".join(ngram["ngram"]): (ngram["matches"]["A"], ngram["matches"]["B"], ngram["segment"])
        for order in answer["ngrams"]
        for listed in order["systems"].values()
        for ngram in listed
    }
    assert found == expected


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_ngrams_are_those_of_counters(options):
    first, second, references = make_systems(40)
    check_ngrams(
        diff(first, second, references, **options),
        ngrams_by_counting(first, second, references, **options),
    )


def test_tokens_and_ids_have_the_ngrams_of_their_text():
    first, second, references = make_systems(60, seed=1)
    one, other, *many = ([text.split() for text in texts] for texts in (first, second, *references))
    expected = diff(first, second, references, tokenize="none")
    tokens = diff(one, other, many)
    numbers = {}
    ids = lambda texts: [
        [numbers.setdefault(token, 7 + len(numbers)) for token in text] for text in texts
    ]
    numbered = diff(ids(one), ids(other), [ids(row) for row in many])
    assert {**tokens, "signature": ""} == {**expected, "signature": ""}
    assert numbered["by_length"] == expected["by_length"]
    assert numbered["segment_bleu"] == expected["segment_bleu"]
    check_ngrams(numbered, ngrams_by_counting(ids(one), ids(other), [ids(row) for row in many]))


@settings(max_examples=examples(100))
@given(
    rows=st.lists(
        st.tuples(
            st.text("ab \n<-&", max_size=9),
            st.text("ab \n<-&", max_size=9),
            st.lists(st.text("ab \n<-&", max_size=9), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=5,
    ),
    options=st.sampled_from(OPTION_SETS),
    at_once=st.integers(1, 3),
)
def test_any_texts(rows, options, at_once):
    columns = [list(column) for column in zip(*rows)]
    with mock.patch.object(diff_file, "_SEGMENTS_PER_BLOCK", at_once):
        answer = diff(*columns, **options)
    check_ngrams(answer, ngrams_by_counting(*columns, **options))
    check_scores(BleuMetric(), answer, *columns, **options)


def check_scores(bleu, answer, first, second, references, **options):
    """Assert that scores, differences and their signs are those of `compute`."""
    results = [
        bleu.compute(predictions=system, references=references, segments=True, **options)
        for system in (first, second)
    ]
    for name, result in zip("AB", results):
        assert answer["systems"][name]["bleu"] == pytest.approx(result["bleu"], rel=1e-12)
        assert answer["systems"][name]["score"] == pytest.approx(result["score"], rel=1e-12)
        np.testing.assert_allclose(answer["segment_bleu"][name], result["segment_bleu"], rtol=1e-12)
    assert answer["systems"]["B"]["delta"] == pytest.approx(
        results[1]["bleu"] - results[0]["bleu"], abs=1e-12
    )
    deltas = np.subtract(results[1]["segment_bleu"], results[0]["segment_bleu"])
    signs = Counter(np.sign(np.where(np.abs(deltas) < 1e-12, 0, deltas)).tolist())
    assert (answer["wins"], answer["ties"], answer["losses"]) == (signs[1], signs[0], signs[-1])
    assert answer["signature"] == results[0]["signature"]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_scores_are_those_of_compute(bleu, options):
    columns = make_systems(50, seed=2)
    check_scores(bleu, diff(*columns, **options), *columns, **options)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_a_group_has_the_score_of_its_rows(bleu, options):
    first, second, references = make_systems(80, seed=3)
    labels = [("news", "", None, 3)[i * i % 7 % 4] for i in range(80)]
    answer = diff(first, second, references, by=labels, **options)
    assert list(answer["groups"]) == list(dict.fromkeys(labels))
    tables = [
        bleu.statistics(predictions=system, references=references, **options)
        for system in (first, second)
    ]
    lengths = np.minimum(*(table["reference_length"].to_numpy() for table in tables))
    bounds = lambda group: (group["from"], np.inf if group["to"] is None else group["to"])
    groups = [
        (group, [label == name for label in labels]) for name, group in answer["groups"].items()
    ]
    groups += [
        (group, (bounds(group)[0] <= lengths) & (lengths <= bounds(group)[1]))
        for group in answer["by_length"]
    ]
    for group, is_in in groups:
        scores = [
            bleu.compute(statistics=table.filter(pa.array(is_in)), **options)["bleu"]
            for table in tables
        ]
        assert group["bleu"] == pytest.approx(dict(zip("AB", scores)), rel=1e-12)
        assert group["delta"] == pytest.approx(scores[1] - scores[0], abs=1e-12)
        assert group["segments"] == sum(is_in) > 0
    for parts in (answer["by_length"], answer["groups"].values()):
        assert sum(group["segments"] for group in parts) == 80


# The groups of reference lengths: the shortest and the longest length of each.
GROUPS = [
    (0, 9), (10, 19), (20, 29), (30, 39), (40, 49), (50, 59), (60, 79), (80, 99), (100, 149), (150, 199), (200, 299),
    (300, 499), (500, None),
]  # fmt: skip


def test_length_groups_leave_no_gap():
    """A text of the shortest and of the longest length of each group is in that group."""
    lengths = [
        length for first, last in GROUPS for length in (first, 2000 if last is None else last)
    ]
    texts = [" ".join(["a"] * length) for length in lengths]
    groups = diff(texts, texts, texts)["by_length"]
    assert [(group["from"], group["to"], group["segments"]) for group in groups] == [
        (*group, 2) for group in GROUPS
    ]


LABELS = [
    (["x", "y", "x"], ["x", "y"]),
    (("x", 1, None), ["x", 1, None]),
    ((label for label in "xyx"), ["x", "y"]),
    (np.array([4, 3, 4]), [4, 3]),
    ([np.int64(4), 4, np.str_("x")], [4, "x"]),
    (np.array(["x", 3, 3], object), ["x", 3]),
    (pa.array(["x", None, None]), ["x", None]),
    (pa.chunked_array([[1], [2, 2]]), [1, 2]),
    (pa.array(["x", "y", "x"]).dictionary_encode(), ["x", "y"]),
    (pandas.Series(["x", None, "y"], index=[7, 8, 9]), ["x", None, "y"]),
    (pandas.Series(["x", "y", "y"], dtype="category"), ["x", "y"]),
    (pandas.Series([1, None, 1], dtype="Int64"), [1, None]),
    ([float("nan"), None, 1.5], [None, 1.5]),
    ([pandas.NA, pandas.NaT, "x"], [None, "x"]),
    (np.array([pandas.NA, "x", "x"], object), [None, "x"]),
    ([pandas.Timestamp("2021-01-02").date()] * 3, ["2021-01-02"]),
]


@pytest.mark.parametrize(("labels", "expected"), LABELS, ids=lambda value: type(value).__name__)
def test_labels_in_any_container(bleu, labels, expected):
    answer = bleu.diff({"A": ["a"] * 3, "B": ["b"] * 3}, ["a"] * 3, by=labels)
    assert list(answer["groups"]) == expected
    names = [label if isinstance(label, str) else json.dumps(label) for label in expected]
    assert list(json.loads(json.dumps(answer))["groups"]) == names


def test_the_segments_that_differ_most():
    first, second, references = make_systems(100, seed=4)
    answer = diff(first, second, references)
    scores = np.array([answer["segment_bleu"][name] for name in "AB"])
    deltas = scores[1] - scores[0]
    for name, sign in (("A", -1), ("B", 1)):
        listed = answer["segments"][name]
        assert [row["delta"] for row in listed] == sorted((deltas[sign * deltas > 1e-12]).tolist(), key=lambda d: -sign * d)[:20]  # fmt: skip
        for row in listed:
            assert row["bleu"] == dict(zip("AB", scores[:, row["segment"]]))
            assert row["delta"] == deltas[row["segment"]]


def test_exchanged_systems(bleu):
    """With the other system as the baseline, only signs, wins and losses differ."""
    first, second, references = make_systems(50, seed=5)
    systems, labels = {"A": first, "B": second}, range(50)
    one = bleu.diff(systems, references, by=labels)
    other = bleu.diff(dict(reversed(systems.items())), references, by=labels)
    assert (one["wins"], one["ties"], one["losses"]) == (
        other["losses"],
        other["ties"],
        other["wins"],
    )

    def negate(value):
        if isinstance(value, dict):
            return {key: -item if key == "delta" else negate(item) for key, item in value.items()}
        return [negate(item) for item in value] if isinstance(value, list) else value

    for key in ("by_length", "groups", "ngrams", "segments", "segment_bleu"):
        assert negate(one[key]) == other[key]


def test_a_system_beside_itself():
    first, _, references = make_systems(30, seed=6)
    answer = diff(first, list(first), references)
    assert (answer["wins"], answer["ties"], answer["losses"]) == (0, 30, 0)
    assert answer["systems"]["B"]["delta"] == 0
    assert answer["segments"] == {"A": [], "B": []}
    assert all(order["systems"] == {"A": [], "B": []} for order in answer["ngrams"])


def test_the_size_of_blocks_does_not_change_the_result():
    columns = make_systems(60, seed=7)
    expected = diff(*columns, max_order=3)
    for at_once in (1, 7, 59, 60):
        with mock.patch.object(diff_file, "_SEGMENTS_PER_BLOCK", at_once):
            assert diff(*columns, max_order=3) == expected


def test_columns_with_different_chunks(bleu):
    first, second, references = make_systems(30, seed=8)
    chunked = (
        pa.chunked_array([first[:4], first[4:4], first[4:]]),
        pa.chunked_array([second[:11], second[11:]]),
    )
    references_in_pieces = pa.chunked_array([pa.array(references[:20]), pa.array(references[20:])])
    expected = bleu.diff({"A": first, "B": second}, references)
    assert bleu.diff(dict(zip("AB", chunked)), references_in_pieces) == expected


def test_the_limit_drops_what_differs_least():
    """Words of a single segment may be dropped at the limit; frequent words stay, with all their matches."""
    words = ["often", "more often", "most of all"]
    first = [f"{words[i % 6 // 2 if i % 6 < 5 else 2]} {i}" for i in range(600)]
    expected = diff(first, [""] * 600, first, max_order=2)
    with (
        mock.patch.object(diff_file, "MAX_NGRAMS", 40),
        mock.patch.object(diff_file, "_SEGMENTS_PER_BLOCK", 10),
    ):
        answer = diff(first, [""] * 600, first, max_order=2)
    for order, known in zip(answer["ngrams"], expected["ngrams"]):
        frequent = [ngram for ngram in known["systems"]["A"] if ngram["count"] > 1]
        assert frequent
        assert order["systems"]["A"][: len(frequent)] == frequent


def test_nothing_is_dropped_up_to_the_limit():
    for limit, kept in (
        (4, list("abcd")),
        (3, ["a"]),
    ):  # a table above the limit keeps half the limit
        with mock.patch.object(diff_file, "MAX_NGRAMS", limit):
            systems = {"A": ["a b c d"], "B": [""]}
            answer = diff_file.diff_systems(systems, ["a b c d"], None, Options(max_order=1))
        assert [ngram["ngram"] for ngram in answer.distinctive_ngrams("A")] == [
            [token] for token in kept
        ]


def test_result(bleu):
    first, second, references = make_systems(30)
    answer = bleu.diff({"old": first, 7: second}, references, by=["x"] * 30, max_order=2)
    assert list(answer) == [
        "wins", "ties", "losses", "systems", "by_length", "groups", "ngrams", "segments", "segment_bleu", "signature",
    ]  # fmt: skip
    # Whatever belongs to a system is found by its name; the baseline has no difference.
    assert {name: list(system) for name, system in answer["systems"].items()} == {
        "old": ["bleu", "score"],
        7: ["bleu", "score", "delta"],
    }
    dicts = [
        answer["segments"],
        answer["segment_bleu"],
        *(order["systems"] for order in answer["ngrams"]),
    ]
    dicts += [group["bleu"] for group in [*answer["by_length"], *answer["groups"].values()]]
    dicts += [row["bleu"] for rows in answer["segments"].values() for row in rows]
    dicts += [
        ngram["matches"] for name in answer["systems"] for ngram in answer.distinctive_ngrams(name)
    ]
    assert {tuple(by_name) for by_name in dicts} == {("old", 7)}
    assert list(answer["by_length"][0]) == ["from", "to", "segments", "bleu", "delta"]
    assert list(answer["groups"]["x"]) == ["segments", "bleu", "delta"]
    assert list(answer["segments"]["old"][0]) == ["segment", "bleu", "delta"]
    assert list(answer["ngrams"][0]["systems"]["old"][0]) == [
        "ngram",
        "count",
        "matches",
        "segment",
    ]
    plain = bleu.diff({"A": ["a"], "B": ["b"]}, ["a"])
    assert "groups" not in plain
    assert json.loads(json.dumps(plain)) == plain
    assert "|tok:ids|" in bleu.diff({"A": [[1]], "B": [[2]]}, [[[1]]])["signature"]


def test_records_are_the_groups(bleu):
    """By hand: "new" has "a" and "b c" right; "old" has "x" for "a", and one token of two."""
    systems = {"old": ["x", "b x"], "new": ["a", "b c"]}
    frame = bleu.diff(systems, ["a", "b c"], by=["A", None], max_order=1).to_pandas()
    assert frame.replace({float("nan"): None}).to_dict("list") == {
        "part": ["length", "group", "group"],
        "from": [0, None, None],
        "to": [9, None, None],
        "segments": [2, 1, 1],
        "bleu_old": pytest.approx([1 / 3, 0, 1 / 2]),
        "bleu_new": [1, 1, 1],
        "delta": pytest.approx([2 / 3, 1, 1 / 2]),
        "group": [None, "A", None],
    }


@pytest.mark.parametrize(
    "name", ["references", "first", "interval", "_interval", "label", "segments", "", 3, None]
)
def test_names_of_systems_are_free(bleu, name):
    """No name of a system is mistaken for a column or a key."""
    difference = bleu.diff({name: ["a b"], "other": ["a c"]}, ["a b"], by=["x"], max_order=2)
    assert difference["segment_bleu"][name] == [1]
    assert difference.to_pandas()[f"bleu_{name}"].tolist() == [1, 1]
    assert [ngram["ngram"] for ngram in difference.distinctive_ngrams(name)] == [["a", "b"]]
    for shown in (
        str(difference),
        difference.to_markdown(),
        difference.to_latex(),
        difference.to_html(),
    ):
        assert str(name) in shown


def test_distinctive_ngrams_of_an_unknown_system(bleu):
    difference = bleu.diff({"A": ["a b"], "B": ["a c"]}, ["a b"])
    with pytest.raises(ValueError, match=r"^name='C': pass one of 'A', 'B'\.$"):
        difference.distinctive_ngrams("C")


def test_distinctive_ngrams_count(bleu):
    """There are ten by default, as many as are asked for, and no more than the systems differ in."""
    difference = bleu.diff(
        {"A": ["a b c d e f g h i j k l"], "B": [""]}, ["a x b x c x d x e x f x g x h x i x j x k"]
    )
    lengths = [len(difference.distinctive_ngrams("A", *count)) for count in ((), (3,), (100,))]
    assert lengths == [10, 3, 11]
    assert len(difference.distinctive_ngrams("A", count=2)) == 2
    assert difference.distinctive_ngrams("B") == []


def test_options_at_load_are_defaults(load):
    bleu = load(lowercase=True, segments=True, confidence=0.9)
    assert bleu.diff({"A": ["A b"], "B": ["a B"]}, ["a b"])["ties"] == 1
    assert bleu.diff({"A": ["A b"], "B": ["a b"]}, ["a b"], lowercase=False)["wins"] == 1


def test_columns_may_be_generators(bleu):
    first, second, references = make_systems(10)
    systems, once = {"A": first, "B": second}, {"A": iter(first), "B": iter(second)}
    assert bleu.diff(once, iter(references)) == bleu.diff(systems, references)


PRINTED = """\
new against old: 58.31 and 92.00 BLEU, a difference of -33.69; better in 0 segments, equal in 12, worse in 24

                                    segments    old    new  difference
all                                       36  92.00  58.31      -33.69
reference of 0 to 9 tokens                36  92.00  58.31      -33.69
0                                          3  92.00  58.31      -33.69
1                                          3  92.00  58.31      -33.69
2                                          3  92.00  58.31      -33.69
3                                          3  92.00  58.31      -33.69
4                                          3  92.00  58.31      -33.69
5                                          3  92.00  58.31      -33.69
6                                          3  92.00  58.31      -33.69
7                                          3  92.00  58.31      -33.69
8                                          3  92.00  58.31      -33.69
9                                          3  92.00  58.31      -33.69
… 2 more labels
n-grams matched by one system only              old    new  difference
"""


def test_printed(bleu):
    systems = {
        "old": ["the cat sat on the mat", "a dog barks", "x y z"] * 12,
        "new": ["the cat sat on a mat", "dog a barks", "x y z"] * 12,
    }
    references = ["the cat sat on the mat", "a dog barks loudly", "x y z"] * 12
    printed = str(bleu.diff(systems, references, by=[i // 3 for i in range(36)], max_order=3))
    assert printed.startswith(PRINTED)
    assert len(printed.splitlines()) < 30
    assert max(map(len, printed.splitlines())) <= 120


def test_printed_without_ngrams(bleu):
    lines = str(bleu.diff({"A": ["a"], "B": ["a"]}, ["b"])).splitlines()
    assert lines[0].endswith("better in 0 segments, equal in 1, worse in 0")
    assert not any("matched" in line for line in lines)


def test_in_html_ngrams_are_a_table_of_their_own(bleu):
    """The n-grams have a separate table; there is no empty table without n-grams."""
    html = bleu.diff({"old & <b>": ["a b"], "new": ["a c"]}, ["a b"]).to_html()
    assert [re.findall("<th>(.*?)</th>", table) for table in html.split("<table>")[1:]] == [
        ["", "segments", "old &amp; &lt;b&gt;", "new", "difference"],
        ["n-grams matched by one system only", "old &amp; &lt;b&gt;", "new", "difference"],
    ]
    assert bleu.diff({"A": ["a"], "B": ["a"]}, ["b"]).to_html().count("<table>") == 1


def test_printed_ngrams_are_not_parts_of_each_other(bleu):
    rows = bleu.diff({"A": ["a b c d", "a x"], "B": ["", "a"]}, ["a b c d", "a x"])._rows()
    ngrams = rows[[row[0] for row in rows].index("n-grams matched by one system only") + 1 :]
    assert ngrams == [["a b c d", "", "1", "0", "-1"], ["a x", "", "1", "0", "-1"]]


def test_printed_in_columns_whatever_the_text(bleu):
    """Tokens of a function, labels and names may be long, or contain line breaks."""
    texts, name = ["a\nb|" + "x" * 60], "name\n" * 40
    answer = bleu.diff(
        {name: texts, "B": ["b"]}, texts, by=["y\n" * 40], tokenize=lambda text: [text]
    )
    assert [row[0] for row in answer._rows()[-1:]] == ["a\\nb|" + "x" * 42 + "…"]
    assert len(str(answer).splitlines()) == 10
    assert len(str(answer).splitlines()[2]) < 160
    assert answer["ngrams"][0]["systems"][name][0]["ngram"] == texts


@pytest.mark.parametrize("label", ["all", "reference of 0 to 9 tokens", "None", "", " x"])
def test_a_label_is_told_apart_from_other_rows(bleu, label):
    rows = bleu.diff({"A": ["a"] * 2, "B": ["a"] * 2}, ["a"] * 2, by=[label, None])._rows()
    assert [row[0] for row in rows] == ["", "all", "reference of 0 to 9 tokens", repr(label), "None"]  # fmt: skip


def raises(text):
    raise RuntimeError("no")


ERRORS = [
    ([], [], [], {}, ValueError, "System 'A': There are no segments to score"),
    (["a"], ["a", "b"], ["a"], {}, ValueError, "System 'B': Got 2 predictions and 1 reference."),
    (["a"], [None], ["a"], {}, ValueError, r"System 'B': predictions\[0\]: .*got None"),
    ([1.5], ["a"], ["a"], {}, TypeError, r"System 'A': predictions\[0\]: .*got float"),
    (["a"], [["a"]], ["a"], {}, TypeError, r"System 'B': predictions\[0\]: .*got a list with one str"),
    (None, ["a"], ["a"], {}, ValueError, "System 'A': predictions: expected one item per segment, got None"),
    (["a"], ["a"], ["a"], {"by": ["x", "y"]}, ValueError, "by: got 2 labels for 1 prediction"),
    (["a"], ["a"], ["a"], {"by": "x"}, TypeError, "by: expected a list, array or Series, got str"),
    (["a"], ["a"], ["a"], {"by": 3}, TypeError, "by: expected a list, array or Series, got int"),
    (["a"], ["a"], ["a"], {"by": {"x"}}, TypeError, "by: expected a list, array or Series, got set"),
    (["a"], ["a"], ["a"], {"by": [["x"]]}, TypeError, r"by\[0\]: .*got list"),
    ([["a"]], [["a"]], [[["a"]]], {"tokenize": "none"}, ValueError, "tokenize='none': these rows are tokens already"),
    ([[1]], [[1]], [[[1]]], {"lowercase": True}, ValueError, "token ids have no case"),
    (["a"], ["a"], ["a"], {"smooth": True}, TypeError, "write `smooth_method='laplace'`"),
    (["a"], ["a"], ["a"], {"confidence": 0.9}, TypeError, "`confidence` is not an option of diff"),
    (["a"], ["a"], ["a"], {"segments": True}, TypeError, "`segments` is not an option of diff"),
    (["a"], ["b"], ["a"], {"tokenize": raises}, ValueError, r"System 'A': predictions\[0\]: the tokenizer failed"),
    (["a"], ["b"], ["a"], {"tokenize": {"a": ["a"]}.__getitem__}, ValueError, r"System 'B': predictions\[0\]: the tokenizer failed"),
    (["a"], ["a"], [["a", "b"]], {"tokenize": {"a": ["a"]}.__getitem__}, ValueError, r"references\[0\]: the tokenizer failed"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "references", "options", "error", "message"), ERRORS, ids=[row[-1] for row in ERRORS])  # fmt: skip
def test_errors(bleu, first, second, references, options, error, message):
    with pytest.raises(error, match=message):
        bleu.diff({"A": first, "B": second}, references, **options)


CALLS = [
    (lambda bleu: bleu.diff(["a"], ["b"], ["a"]), TypeError, r"diff\(\) takes systems as a dict\. Write diff\("),
    (lambda bleu: bleu.diff(["a"], ["b"]), TypeError, "systems: expected a dict from names to predictions, or a DataFrame, got list"),
    (lambda bleu: bleu.diff({"A": ["a"], "B": ["b"]}, ["a"], ["x"]), TypeError, r"diff\(\) takes systems as a dict\. Write diff\("),
    (lambda bleu: bleu.diff({"A": ["a"]}, ["a"]), ValueError, "expected exactly two systems, got 1"),
    (lambda bleu: bleu.diff({"A": ["a"], "B": ["a"], "C": ["a"]}, ["a"]), ValueError, "expected exactly two systems, got 3"),
    (lambda bleu: bleu.diff(dict.fromkeys("AB", bleu.statistics(predictions=["a"], references=["a"])), ["a"]), TypeError, "diff\\(\\) compares texts, got statistics"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), CALLS, ids=[row[-1] for row in CALLS])
def test_errors_of_calls(bleu, call, error, message):
    with pytest.raises(error, match=message):
        call(bleu)


def test_a_tokenizers_error_names_the_row_of_the_corpus(bleu):
    tokenize = lambda text: text.split() if text != "odd" else 1
    first, references = ["a"] * 30, [["a", "a"]] * 29 + [["a", "odd"]]
    with (
        mock.patch.object(diff_file, "_SEGMENTS_PER_BLOCK", 7),
        pytest.raises(TypeError, match=r"references\[29\]: "),
    ):
        diff_file.diff_systems(
            {"A": first, "B": first}, references, None, Options(tokenize=tokenize)
        )


ZEROS = [
    (["x x x x", "y"], {}),
    (["", ""], {}),
    (["a b", "e"], {}),
    (["a b c x", "y"], {"smooth_method": "none"}),
    (["x x x x", "y"], {"smooth_method": "coco"}),
]


@pytest.mark.parametrize("names", [("good", "bad"), ("bad", "good")], ids=str)
@pytest.mark.parametrize(("texts", "options"), ZEROS, ids=str)
def test_a_score_of_0_has_the_reason_of_compute(bleu, names, texts, options):
    """The message names the system."""
    references = ["a b c d", "e f g h"]
    _, computed = record_warnings(
        lambda: bleu.compute(predictions=texts, references=references, **options)
    )
    systems = {"good": references, "bad": texts}
    _, messages = record_warnings(
        lambda: bleu.diff({name: systems[name] for name in names}, references, **options)
    )
    assert len(computed) == 1
    assert messages == [computed[0].replace("The score is", "The score of 'bad' is")]


def test_a_score_of_0_in_a_group_has_its_reason(bleu):
    references = ["a b c d", "e f g h"]
    systems = {"A": references, "B": ["a b c d", "x"]}
    _, messages = record_warnings(lambda: bleu.diff(systems, references, by=["news", "talks"]))
    assert messages == [
        "The score of 'B' in group 'talks' is 0: no token of the predictions occurs in the"
        " references."
    ]


def test_a_difference_that_rounds_to_0_is_not_negative(bleu):
    references = [f"{n} green bottles hanging on the wall of house {n * 7}" for n in range(9000)]
    other = ["0 green bottle hanging on the wall of house 0", *references[1:]]
    difference = bleu.diff({"A": references, "B": other}, references, by=["x"] * len(references))
    assert -0.005 < 100 * difference["systems"]["B"]["delta"] < 0
    for shown in (str(difference), difference.to_html(), difference.to_markdown()):
        assert "+0.00" in shown
        assert "-0.00" not in shown
