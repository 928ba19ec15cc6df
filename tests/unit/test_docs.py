"""Docstrings, tables and generated parts of documents are those of the code, and their words those of the field."""

import ast
import doctest
import importlib
import re
import sys

import api_reference
import evaluate
import explain_picture
import numpy as np
import pyarrow as pa
import pytest
import sacrebleu
import unicode_tables
import yaml
from bleu.bleu_core.options.options import CONVENTIONS
from bleu.bleu_core.rules.counting import REFERENCE_LENGTHS
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from bleu.bleu_core.rules.tokenizers import TOKENIZERS
from bleu.bleu_core.shared.pickling import __version__
from helpers import ROOT
from huggingface_hub import metadata_load
from pages import PAGES, cells, read_requirements, section

MODULES = ["bleu_metric"]
for path in sorted((ROOT / "bleu_core").rglob("*.py")):
    MODULES.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
# What an example may use without an import.
NAMES = {"np": np, "pa": pa, "evaluate": evaluate}
for name in MODULES:
    module = importlib.import_module(f"bleu.{name}")
    NAMES |= {name: value for name, value in vars(module).items() if name[:2] != "__"}
WRITTEN = (
    "*.md",
    "docs/*.md",
    "tests/**/*.md",
    "bleu_metric.py",
    "bleu_core/**/*.py",
    "package/*.py",
    "space/*.py",
    "tests/**/*.py",
    "examples/*.ipynb",
)
WORDING = sorted(path for pattern in WRITTEN for path in ROOT.glob(pattern))
PHRASES = re.compile(
    r"(?<!there )\b(is|are|was|were) no\b(?! (longer|more)\b)|\b(is|are) (?-i:none)\b|\b(no|some)body\b|\bnothing\b"
    r"|\bwhoever\b|\bneedn't\b|\banew\b|\bat hand\b|\bbroken off\b|\bmend(s|ed)?\b|\btwins?\b|\blikewise\b|\bmade-up\b"
    r"|\bby matplotlib\b|\bso many\b|\brefus(e|es|ed|al)\b|\bmost telling\b|\bstands? alone\b|\bscripts? without spaces\b"
    r"|\brooms?\b|\bwith a face\b|\bhas a say\b|\bhooks?\b|\bwhat \w+ makes of\b|\btokenis(ed|ing|ation)\b|\bcolour|\bfavour|\bcapitalis"
    r"|\b(one|an?) [\w-]+ an? (row|segment|prediction|order|text|process|label|system|token|reference|function)\b",
    re.IGNORECASE,
)


@pytest.mark.filterwarnings("error::UserWarning")  # an example does not warn
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.usefixtures("clone")
def test_docstrings(name):
    module = importlib.import_module(f"bleu.{name}")
    results = doctest.testmod(module, extraglobs=NAMES)
    assert results.failed == 0


def test_the_table_of_conventions_is_complete():
    """One row per convention, and no other row."""
    first_cells = "".join(row[0] for row in cells("docs/conventions.md", "Conventions by name")[1:])
    assert set(re.findall("`(.*?)`", first_cells)) == set(CONVENTIONS)


def test_tokenizers_by_language():
    """The table names every tokenizer, and first of all those that sacreBLEU chooses by language."""
    rows = cells("docs/conventions.md", "Tokenizers by language")[1:]
    named = {language: re.findall('`"(.*?)"`', names) for language, names, _ in rows}
    of_sacrebleu = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}
    assert {
        code: named[language][0] for code, language in of_sacrebleu.items()
    } == sacrebleu.BLEU._TOKENIZER_MAP
    unnamed = {"spm", "spBLEU-1K"}
    found = {name for name in unnamed.union(*named.values()) if not name.startswith("moses-")}
    assert {*TOKENIZERS, *sacrebleu.BLEU.TOKENIZERS} == found


def test_every_smoothing_method_stands_with_its_default_value():
    found = {
        method.strip("`"): value
        for method, value, *_ in cells("docs/conventions.md", "Smoothing methods")[1:]
    }
    defaults = {
        name: "" if method.value is None else f"{method.value:g}"
        for name, method in SMOOTH_METHODS.items()
    }
    assert found == defaults


def test_every_reference_length_is_named():
    for reference_length in REFERENCE_LENGTHS:
        assert f'`"{reference_length}"`' in section("docs/conventions.md", "Options")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_glossary_has_the_unit_of_every_number(bleu):
    """Of the keys whose values are numbers with a fraction, or lists of such numbers."""
    words = ["a", "b", "c", "d", "e"]
    texts = [f"{word} {other} e" for word in words for other in words]
    rows = {"by": ["x", "y"] * 12 + ["x"], "documents": list(range(25)), "confidence": 0.9}
    systems = {"one": texts, "two": texts[::-1]}
    runs = {name: {"r": column, "s": column[::-1]} for name, column in systems.items()}
    results = [
        bleu.compute(predictions=texts, references=texts[::-1], segments=True, **rows),
        bleu.compare(systems, texts, test="bootstrap", n_resamples=10, **rows),
        bleu.compare(runs, texts, **rows),
        bleu.rank(systems, texts, n_resamples=10),
        bleu.diff(systems, texts),
        bleu.self_bleu(texts),
        bleu.reconcile(texts, texts[::-1], 50.0),
    ]
    units = section("docs/glossary.md", "Units").partition("| --- |")[2]
    keys = {key for result in results for key in list_numbers(result)}
    names = {*systems, "value", "reported"}
    assert {key for key in keys - names if f"`{key}`" not in units} == set()
    assert len(keys) > 30


def list_numbers(result):
    """Yield the keys whose values are numbers with a fraction, or lists of such numbers, at any depth."""
    for key, value in result.items():
        items = value if isinstance(value, list) else [value]
        for item in items:
            if isinstance(item, float):
                yield key
            elif isinstance(item, dict):
                yield from list_numbers(item)


def test_the_changelog_begins_with_this_version():
    assert re.search(r"^## (\S+)", PAGES["CHANGELOG.md"], re.MULTILINE).group(1) == __version__


def test_the_citation_is_of_this_version_and_of_the_same_papers(bleu):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"].lower() == metadata_load(ROOT / "README.md")["license"]
    assert f"Copyright 2026 {citation['authors'][0]['name']}" in (ROOT / "LICENSE").read_text(
        encoding="utf-8"
    )
    assert [paper["doi"] for paper in citation["references"]] == re.findall(
        'doi = "(.*)"', bleu.citation
    )
    assert [paper["url"] for paper in citation["references"]] == bleu.info.reference_urls


def test_unicode_tables_are_those_of_regex():
    _, block = unicode_tables.split_module()
    assert block == unicode_tables.make_block()


def test_make_bench_runs_every_benchmark():
    (names,) = re.findall(
        r"^bench:.*\n\tfor name in ([a-z ]+);", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    imported = ["common", "look_cost"]  # by the others
    assert sorted([*names.split(), *imported]) == sorted(
        path.stem for path in ROOT.glob("tests/benchmarks/*.py")
    )


def test_the_stages_of_ci_name_files_that_exist():
    """The stages of a release would fail at the release only."""
    lists = re.findall(
        r"printf 'tests/(\S+) ' ((?:[^)\\]|\\\n)+)\)", (ROOT / ".ci" / "run").read_text()
    )
    assert len(lists) == 3
    for pattern, names in lists:
        for name in names.replace("\\", " ").split():
            assert list((ROOT / "tests").glob(pattern.replace("%s", name))), name


def test_requirements_are_the_libraries_that_the_metric_imports():
    """gradio is not among them: a Space gets it from `sdk_version`, and transformers 4 rejects its huggingface_hub."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for path in (ROOT / "bleu_metric.py", ROOT / "bleu_core.py")
    ]
    imported = {
        node.module
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and not node.level
    }
    imported |= {
        name.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Import)
        for name in node.names
    }
    libraries = {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names)
    # numba and scipy are imported late, and evaluate imports filelock without requiring it.
    late = {"numba", "scipy", "filelock"}
    demo = {"lxml", "charset-normalizer"}  # a Space installs nothing but this file and gradio
    assert set(read_requirements("requirements.txt")) == libraries | late | demo


def test_the_api_reference_is_generated():
    """`make api` writes it again after a change of docstrings or options."""
    assert PAGES["docs/api.md"] == api_reference.make_document()


def test_a_docstring_as_markdown():
    """Sections become lists and paragraphs, arguments can be left out, and examples are not wrapped."""
    text = """Add.

    Args:
        a, b: two
            numbers.
        c: left out.
    Returns:
        A dict:
            sum: of
                both.
        One sum.
        `more`: a key,
        continued.

    >>> print("a\\n\\nb")
    a
    <BLANKLINE>
    b
    """
    assert api_reference.format_docstring(text, without=["c"]).split("\n\n") == [
        "Add.",
        "**Args**",
        "- `a`, `b`: two numbers.",
        "**Returns**",
        "A dict:",
        "- `sum`: of both.",
        "One sum.",
        "- `more`: a key, continued.",
        '```pycon\n>>> print("a\\n\\nb")\na',
        "b\n```",
    ]


def test_the_picture_is_that_of_the_readmes_example():
    assert explain_picture.PICTURE.read_text(encoding="utf-8") == explain_picture.make_picture()
    for text in (explain_picture.PREDICTION, *explain_picture.REFERENCES):
        assert f'"{text}"' in PAGES["README.md"]


@pytest.mark.parametrize("path", WORDING, ids=lambda path: str(path.relative_to(ROOT)))
def test_wording(path):
    """Write "is not", "missing", "per", "callback", "tokenize"; not the phrases that read as translated."""
    text = "" if path.name == "test_docs.py" else path.read_text(encoding="utf-8")
    found = [
        f"{number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for match in PHRASES.finditer(line)
    ]
    assert found == []
