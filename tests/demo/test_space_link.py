"""A result in a link: it is shown as it was, from its counts, and no link does harm."""

import base64
import importlib
import json
import random
import re
import zlib

import pytest

pytest.importorskip("gradio")

pytestmark = [
    pytest.mark.usefixtures("space_can_be_imported"),
    pytest.mark.filterwarnings("ignore"),  # few lines, which the page says
]

WORDS = ["the", "cat", "sat", "on", "a", "mat", "under", "my", "old", "tree", "and", "birds"]
REFERENCES = [" ".join(random.Random(n).choices(WORDS, k=12)) for n in range(40)]


def make_system(share, seed):
    """Return the references with some words replaced."""
    generator = random.Random(seed)
    return [
        " ".join("x" if generator.random() < share else word for word in text.split())
        for text in REFERENCES
    ]


def compute(names, joins_runs=False, prefix="", **options):
    systems = {name: make_system(0.1 + 0.02 * n, n) for n, name in enumerate(names)}
    return compute_all(systems, joins_runs, prefix, **options)


def compute_all(systems, joins_runs=False, prefix="", choices=(), **options):
    corpus, option_fields, files = (
        importlib.import_module(f"space.{name}") for name in ("corpus", "options", "files")
    )
    defaults = option_fields.read_options(option_fields.convention_values("default"))
    submission = files.Submission(systems, [[text] for text in REFERENCES])
    return corpus.compute_result(
        submission,
        {**defaults, "confidence": 0.95, **options},
        joins_runs=joins_runs,
        choices=dict(choices),
        prefix=prefix,
    )


def render(link):
    return importlib.import_module("space.link").render_link(link)


def pack(content):
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode())).decode()


def unpack(link):
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(f"{link}===")))


def list_shown(html):
    """Return the verdict, the lead, and the rows of the table."""
    board = html.partition('data-announce="')[2].partition('<p class="bleu-copies"')[0]
    return re.sub("<[^>]*>", "|", board).rstrip("|")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lowercase": True, "max_order": 2, "smooth_method": "floor", "smooth_value": 0.5},
        {"confidence": None, "effective_order": True, "reference_length": "shortest"},
        {"minimum_total": 1, "tokenize": "char", "max_order": 6},
    ],
)
@pytest.mark.parametrize("count", [2, 3, 12])
def test_a_link_shows_the_table_and_the_verdict_of_the_result(count, options):
    computed = compute([f"system {n}" for n in range(count)], prefix="wmt.", **options)
    shown = render(computed.rendered.link)
    assert list_shown(shown) == list_shown(computed.rendered.summary)
    assert computed.results["system 0"]["signature"].partition("|")[0] in shown
    assert "From a link: texts and p are not checked." in shown


def test_a_link_to_a_single_system_has_score_interval_size_and_signature():
    computed = compute(["A"])
    shown = render(computed.rendered.link)
    result = computed.results["A"]
    low, high = result["confidence_interval"]
    assert f"<strong>{result['score']:.2f}</strong>" in shown
    assert f"A, interval {100 * low:.1f} to {100 * high:.1f}, 40 lines, 1 reference" in shown
    assert result["signature"] in shown


def test_a_link_to_training_runs_has_their_means():
    computed = compute(["new.seed1", "new.seed2", "base.seed1", "base.seed2"], joins_runs=True)
    shown = render(computed.rendered.link)
    assert list_shown(shown) == list_shown(computed.rendered.summary)
    assert shown.count('class="run"') == 4


def test_thirty_systems_with_long_names_fit_into_a_link():
    names = [
        f"{n:02}-{base64.b64encode(random.Random(n).randbytes(42)).decode()}" for n in range(30)
    ]
    computed = compute(names)
    link = computed.rendered.link
    assert len(f"#tab=corpus&result={link}") <= 8000
    assert list_shown(render(link)) == list_shown(computed.rendered.summary)


def test_a_link_has_no_texts():
    content = json.dumps(unpack(compute(["A", "B"]).rendered.link))
    assert not any(f"{word} " in content for word in WORDS)


def test_a_caution_in_a_link_quotes_no_text():
    """On the page it does; a reader of the link learns what was found, but not the text."""
    begun = {"A": [f"My secret: {text}" for text in REFERENCES]}
    rendered = compute_all(begun, choices={"labels": ("keep", {})}).rendered
    content = json.dumps(unpack(rendered.link), ensure_ascii=False)
    assert "My secret: " in rendered.summary
    assert "secret" not in content
    assert "line 1 begins with '…', like 40 of 40 predictions" in content


def test_scores_are_those_of_the_counts():
    """Changed counts have another score, whatever else the link says."""
    content = unpack(compute(["A", "B"]).rendered.link)
    false = {"score": 1.0, "delta": 9, "precisions": [0.123], "runs": {"A": {"score": 1.0}}}
    content[1]["A"] |= {"rows": [[10, 9, 8, 7, 10, 9, 8, 7, 10, 10]], **false}
    shown = render(pack(content))
    assert "<b>100.0</b>" in shown
    assert "100.0/100.0/100.0/100.0" in shown
    assert 'class="run"' not in shown


def list_damaged():
    """Return links that are not valid, by what is wrong with them."""
    good = compute(["A", "B", "C"]).rendered.link
    content = unpack(good)
    version, systems, *about = content
    of_a = systems["A"]

    def with_a(**changes):
        return pack([version, {**systems, "A": {**of_a, **changes}}, *about])

    def with_about(at, value):
        return pack([version, systems, *about[:at], value, *about[at + 1 :]])

    swapped = good[:50] + ("A" if good[50] != "A" else "B") + good[51:]
    yield from {
        "empty": "",
        "half": good[: len(good) // 2],
        "all but its end": good[:-6],
        "a character": swapped,
        "other text": "hello world",
        "not ASCII": "猫" * 40,
        "not JSON": base64.urlsafe_b64encode(zlib.compress(b"<b>")).decode(),
        "a number": pack(7),
        "nested": base64.urlsafe_b64encode(zlib.compress(b"[" * 19_000)).decode(),
        "unpacked, very long": base64.urlsafe_b64encode(zlib.compress(b" " * 5_000_000)).decode(),
        "too few values": pack(content[:4]),
        "no system": pack([version, {}, *about]),
        "no baseline": with_about(0, "D"),
        "31 systems": pack([version, {f"{n}": of_a for n in range(31)} | systems, *about]),
        "31 runs": with_a(rows=of_a["rows"] * 31),
        "no run": with_a(rows=[]),
        "nine counts": with_a(rows=[of_a["rows"][0][:9]]),
        "no counts": with_a(rows=[[]]),
        "more matches than n-grams": with_a(rows=[[9, 9, 9, 9, 1, 1, 1, 1, 1, 1]]),
        "negative": with_a(rows=[[-1] * 10]),
        "huge": with_a(rows=[[10**30] * 10]),
        "text as counts": with_a(rows=[["<b>"] * 10]),
        "NaN": with_a(confidence_interval=[float("nan")] * 2),
        "infinite": with_a(confidence_interval=[0, float("inf")]),
        "text as interval": with_a(confidence_interval=["<b>", "</b>"]),
        "three ends": with_a(confidence_interval=[0.1, 0.2, 0.3]),
        "text as p": with_a(p_value="<b>"),
        "a list as name": with_about(0, ["A"]),
        "a list as size": with_about(3, ["A"]),
        "not a signature": with_about(5, "<b>nrefs:1</b>"),
    }.items()


def test_a_link_that_is_damaged_is_told_in_a_sentence():
    told = "This link is damaged. Copy it again, from its beginning to its end."
    sentence = f'<p class="bleu-message error" role="alert">{told}</p><i data-result='
    assert {name for name, link in list_damaged() if sentence not in render(link)} == set()


@pytest.mark.parametrize("link", [None, 7, ["a"], {"a": 1}])
def test_what_a_program_sends_as_a_link_is_told_in_a_sentence(link):
    assert "This link is damaged." in render(link)


def test_a_link_that_is_too_long_or_of_another_version_is_told_so():
    assert "This link is too long: a link has at most 8,000 characters." in render("a" * 8001)
    _version, *content = unpack(compute(["A"]).rendered.link)
    assert "This link is from another version of the page." in render(pack([2, *content]))


MARKUP = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize("count", [1, 2, 3, 12])
def test_markup_in_a_link_is_text(count):
    """Wherever a text may be: in names, and in all that is said of them."""
    version, systems, *_ = unpack(compute([f"system {n}" for n in range(count)]).rendered.link)
    names = {name: f"{MARKUP}{name}" for name in systems}
    marked = {names[name]: {**system, MARKUP: MARKUP} for name, system in systems.items()}
    if count > 2:
        marked[names["system 1"]]["rank_range"] = [1, MARKUP]
        marked[names["system 2"]]["rank_range"] = [1, 3]
    first, *others = names.values()
    identical = dict.fromkeys(others, first)
    link = pack([version, marked, first, identical, MARKUP, MARKUP, f'"{MARKUP}', "nrefs:1"])
    shown = render(link)
    assert "<img" not in shown
    assert not re.search(r"<[^>]*onerror=alert\(1\)>", re.sub('"[^"]*"', "", shown))
