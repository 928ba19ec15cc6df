"""Documents match the code: examples in docstrings, code and tables in documents, and links."""

import ast
import doctest
import importlib
import re
import shlex
import string
import sys
import types

import api_reference
import bleuscore
import evaluate
import explain_picture
import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pyarrow as pa
import pytest
import sacrebleu.significance
import unicode_tables
import yaml
from bleu.bleu_inputs import read_corpus, read_texts
from bleu.bleu_options import (
    CONVENTIONS,
    REFERENCE_LENGTHS,
    SMOOTH_METHODS,
    TOKENIZERS,
    Options,
    __version__,
)
from conftest import needs_wmt21
from helpers import ROOT
from huggingface_hub import metadata_load
from packaging.requirements import Requirement
from pages import PAGES, find_blocks, list_untracked, run_page

MODULES = sorted(path.stem for path in ROOT.glob("bleu_*.py"))
DOCUMENTS = PAGES
README = DOCUMENTS["README.md"]
SHORT_SENTENCES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/faq.md"]
BLOCK = re.compile(
    r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE
)  # the text behind the backticks, and the code
PAGES_WITH_CODE = [name for name in DOCUMENTS if find_blocks(name)]
WRITTEN = (
    "*.md",
    "docs/*.md",
    "tests/*.md",
    "bleu_*.py",
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
CARD = [
    "Metric description", "Intended uses", "How to use", "Inputs", "Output values", "Limitations and bias", "Citation",
    "Further references",
]  # fmt: skip


@pytest.mark.filterwarnings("error::UserWarning")  # an example does not warn
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.usefixtures("clone")
def test_docstrings(name):
    module = importlib.import_module(f"bleu.{name}")
    results = doctest.testmod(
        module,
        extraglobs={
            "np": np,
            "pa": pa,
            "evaluate": evaluate,
            "Options": Options,
            "read_corpus": read_corpus,
            "read_texts": read_texts,
        },
    )
    assert results.failed == 0


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


def test_the_header_that_makes_a_space_of_it():
    """README.md has the header that the Hub requires of a Space, and the files that the header names exist."""
    header = metadata_load(ROOT / "README.md")
    assert (header["sdk"], header["app_file"], header["license"]) == (
        "gradio",
        "app.py",
        "apache-2.0",
    )
    assert (ROOT / header["app_file"]).exists()
    assert len(header["short_description"]) <= 60
    assert {header["colorFrom"], header["colorTo"]} <= {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}  # fmt: skip
    assert header["sdk_version"] in read_requirements("tests/requirements.txt")["gradio"]


def test_requirements_are_the_libraries_that_the_metric_imports():
    """gradio is not among them: a Space gets it from `sdk_version`, and transformers 4 rejects its huggingface_hub."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.glob("bleu_*.py")]
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


@pytest.mark.usefixtures("clone")
def test_the_example_that_evaluate_shows(bleu):
    example = doctest.DocTestParser().get_doctest(
        bleu.inputs_description, {"evaluate": evaluate}, "info", None, 0
    )
    assert doctest.DocTestRunner().run(example) == (0, 4)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("name", PAGES_WITH_CODE)
def test_a_page_runs_in_one_process(name, tmp_path):
    """All Python blocks run as printed, in order, in the clone's folder, except those that need more libraries.

    tests/integration/test_pages.py runs the latter, too, each page again as a whole. git ignores what they write.
    """
    left_out = run_page(name, {})
    assert all(block.needs for block in left_out)
    assert list_untracked(tmp_path) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("clone")
def test_a_page_runs_twice_in_a_folder():
    """Files of the first time are written again."""
    for _ in range(2):
        run_page("docs/recipes.md", {})


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.usefixtures("clone")
def test_the_examples_of_the_reference_run_in_one_process():
    """Those of docs/api.md, from its first line to its last, without a warning."""
    examples = [code for info, code in BLOCK.findall(DOCUMENTS["docs/api.md"]) if info == "pycon"]
    text = re.sub("^$", "<BLANKLINE>", "".join(examples).strip(), flags=re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(text, {}, "docs/api.md", None, 0)
    assert len(example.examples) > 50
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", PAGES_WITH_CODE)
def test_a_section_that_loads_the_metric_can_be_copied_alone(name):
    """It imports evaluate before it calls `evaluate.load`."""
    for part in re.split("^## ", DOCUMENTS[name], flags=re.MULTILINE):
        code = "".join(block for info, block in BLOCK.findall(part) if info.startswith("python"))
        before, load, _ = code.partition("evaluate.load(")
        assert not load or "import evaluate\n" in before, part.partition("\n")[0]


def test_every_python_block_is_found():
    """By the regular expression of pages.py."""
    for name, text in DOCUMENTS.items():
        assert len(find_blocks(name)) == len(re.findall("^```python", text, re.MULTILINE)), name
    assert sum(len(find_blocks(name)) for name in PAGES_WITH_CODE) >= 70


class TestCard:
    def test_it_has_the_headings_of_a_metric_card_in_their_order(self):
        assert [
            heading for heading in re.findall("^## (.*)$", README, re.MULTILINE) if heading in CARD
        ] == CARD

    def test_the_first_screen(self):
        """What it is, one block for the shell, one for Python with its output; then why."""
        first, _, _ = README.partition("\n## Why\n")
        assert [info for info, _ in BLOCK.findall(first)] == ["bash", "python", "text"]
        assert first.index("BLEU for Hugging Face") < first.index("```bash")

    def test_the_ways_in(self):
        """A clone, the Hub and a package: each has a line to install and a line of Python, as they are to be written."""
        rows = cells("README.md", "Install")[1:]
        assert [name for name, *_ in rows] == ["a clone", "the Hub", "the package"]
        (clone, hub, package) = (re.findall("`(.*?)`", install) for _, install, _ in rows)
        assert clone == ["pip install -r requirements.txt"]
        assert f"\n{clone[0]}\n" in README.partition("\n## Why\n")[0]
        required = read_requirements("requirements.txt")
        for word in shlex.split(hub[0])[2:]:
            requirement = Requirement(word)
            assert requirement.specifier in (required[requirement.name], ""), word
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        listed = project.partition("[project.optional-dependencies]\n")[2].partition("\n\n")[0]
        extras = set(re.findall("^(\\w+) = ", listed, re.MULTILINE))
        assert Requirement(shlex.split(package[1])[-1]).extras <= extras
        for name in re.findall(
            "`(.*?)`", re.search("The extra .*?everything", README, re.DOTALL)[0]
        ):
            assert name in extras
        for *_, load in rows:
            for line in re.findall("`(.*?)`", load):
                ast.parse(line)

    def test_the_test_command(self):
        """`.ci/run` takes it from here."""
        (command,) = re.findall("^.*python -m pytest tests.*$", README, re.MULTILINE)
        assert command.startswith("pip install -r requirements.txt -r tests/requirements.txt && ")
        assert command.endswith("python -m pytest tests -n auto --dist loadfile")

    def test_every_document_is_listed(self):
        """The README lists the files beside it, and docs/README.md those in its folder."""
        for name in DOCUMENTS.keys() - {"README.md"}:
            _, _, file = name.rpartition("/")
            assert f"]({name})" in README or re.search(
                rf"\]\({file}[)#]", DOCUMENTS["docs/README.md"]
            ), name

    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_output_values_names_every_key(self, bleu):
        texts, options = ["a b"] * 4, {"segments": True, "confidence": 0.9}
        result = bleu.compute(
            predictions=texts, references=texts, by=["x", "x", "y", "y"], **options
        )
        for key in result:
            assert re.search(
                rf"^\|.*`{key}`.*\|$", section("README.md", "Output values"), re.MULTILINE
            ), key

    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_the_comparison(self, bleu):
        """Each yes and no is what the tool does; bleuscore, its port to Rust, stands for evaluate's `bleu`."""
        rows = {"predictions": ["a b c d e f"], "references": [["a b c d e", "a b c d x f g"]]}
        varying = {
            "predictions": ["a b c d", "a b c d"],
            "references": [["a b c d"], ["a b c d", "a b c"]],
        }
        token_ids = {"predictions": [[1, 2, 3, 4]], "references": [[[1, 2, 3, 4]]]}
        expected = sacrebleu.corpus_bleu(rows["predictions"], list(zip(*rows["references"]))).score

        def compute(tool, columns, **options):
            try:
                return tool.compute(**columns, **options)
            except (TypeError, ValueError):
                return {}

        def has(*names):  # as a method of the object, or as a name of the package
            return lambda tool: any(hasattr(tool, name) for name in names)

        checks = {
            "same score as sacreBLEU 2.6": lambda tool: (
                pytest.approx(expected) in compute(tool, rows).values()
            ),
            "signature with the score": lambda tool: "signature" in compute(tool, rows),
            "number of references may vary by segment": lambda tool: compute(tool, varying),
            "scores of single segments": lambda tool: (
                compute(tool, rows, segments=True) or has("sentence_bleu")(tool)
            ),
            "confidence intervals, paired significance tests": has("compare", "significance"),
            "tests of whole documents, rankings with clusters": has("rank"),
            "settings behind a published score, `diff`, `explain`": has("reconcile"),
            "accepts tokens and token ids": lambda tool: compute(tool, token_ids),
            "chrF, TER, downloads of test sets, a command line": has("sentence_chrf"),
        }
        tools = [bleu, Sacrebleu(), *map(EvaluatesModules().load, ["sacrebleu", "bleu"])]
        lines = [
            line.strip("| ").split(" | ") for line in README.splitlines() if line.startswith("| ")
        ]
        found = {name: answers for name, *answers in lines if name in checks}
        assert found == {
            name: ["yes" if check(one) else "no" for one in tools] for name, check in checks.items()
        }

    @needs_wmt21
    def test_published_values(self, bleu, monkeypatch):
        monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
        table = importlib.import_module("published").table(bleu)
        assert table in section("docs/conventions.md", "Published scores")


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


def same_numbers(tool):
    """Return pairs of calls from the table for users of other tools: the tool's call, and this metric's."""
    text = section("docs/conventions.md", "Coming from another tool")
    return re.findall(rf"^\| {tool} \| `(.*)` \| `(.*)` \|$", text, re.MULTILINE)


def rows_of_the_example():
    """Return the variables that the calls of the table use."""
    text = section("docs/conventions.md", "Coming from another tool")
    (code,) = [code for info, code in BLOCK.findall(text) if info == "python"]
    tree = ast.parse(code)
    tree.body = [
        line
        for line in tree.body
        if isinstance(line, ast.Assign) and not isinstance(line.value, ast.Call)
    ]
    namespace: dict = {"path": str(ROOT / "bleu_metric.py"), "evaluate": evaluate}
    exec(compile(tree, "docs/conventions.md", "exec"), namespace)
    return namespace


class Sacrebleu:
    """sacreBLEU with the arguments of `compute`; its own names are attributes."""

    def __getattr__(self, name):
        return getattr(sacrebleu, name)

    def compute(self, predictions, references):
        most = max(map(len, references))
        references = [
            [*row, *[None] * (most - len(row))] for row in references
        ]  # as sacreBLEU wants missing ones
        bleu = sacrebleu.BLEU()
        score = bleu.corpus_score(predictions, list(zip(*references)))
        return {"score": score.score, "signature": str(bleu.get_signature())}


class EvaluatesModules:
    """`evaluate.load("sacrebleu")` and `("bleu")` without a network: a module around sacreBLEU, and bleuscore."""

    def load(self, name, *rest, **options):
        if name == "bleu":
            return types.SimpleNamespace(
                compute=lambda predictions, references, **arguments: bleuscore.compute(
                    references, predictions, **arguments
                )
            )
        path = ROOT / "tests" / "evaluates_sacrebleu.py" if name == "sacrebleu" else name
        return evaluate.load(str(path), *rest, **options)


@pytest.mark.parametrize(
    ("tool", "calls"),
    [
        ("evaluate's `sacrebleu`", 1),
        ("evaluate's `bleu`", 1),
        ("sacreBLEU", 2),
        ("NLTK", 2),
        ("bleuscore", 1),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_same_number_as_there(tool, calls):
    names = rows_of_the_example() | {
        "evaluate": EvaluatesModules(),
        "sacrebleu": sacrebleu,
        "bleuscore": bleuscore,
    }
    names |= vars(nltk_bleu) | {"BLEU": sacrebleu.BLEU}
    found = same_numbers(tool)
    assert len(found) == calls
    for there, here in found:
        expected = eval(there, names)
        assert 0 < expected == pytest.approx(eval(here, names), abs=1e-9), there


def test_make_bench_runs_every_benchmark():
    (names,) = re.findall(
        r"^bench:.*\n\tfor name in ([a-z ]+);", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    imported = ["common", "look_cost"]  # by the others
    assert sorted([*names.split(), *imported]) == sorted(
        path.stem for path in ROOT.glob("tests/benchmarks/*.py")
    )


def test_the_changelog_begins_with_this_version():
    assert re.search(r"^## (\S+)", DOCUMENTS["CHANGELOG.md"], re.MULTILINE).group(1) == __version__


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


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name):
    """Links lead to existing files, and to existing headings."""
    for link in re.findall(r"\]\((?!https?:)(.*?)\)", BLOCK.sub("", DOCUMENTS[name])):
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(DOCUMENTS[str(target.resolve().relative_to(ROOT))]), link


@pytest.mark.parametrize("name", SHORT_SENTENCES)
def test_no_sentence_has_more_than_30_words(name):
    """Of prose: without code, tables, headings and addresses."""
    text = BLOCK.sub("", re.sub(r"\A---\n.*?\n---\n", "", DOCUMENTS[name], flags=re.DOTALL))
    prose = re.sub(r"^(\||#).*$", "", re.sub(r"\]\([^)]*\)", "]", text), flags=re.MULTILINE)
    sentences = re.split(r"\n\n+|^- |(?<=[.?!])\s+(?=[A-Z`*\[])", prose, flags=re.MULTILINE)
    assert [sentence for sentence in sentences if len(sentence.split()) > 30] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_lines_of_prose_end_before_column_120(name):
    prose = BLOCK.sub("", DOCUMENTS[name]).splitlines()
    assert [line for line in prose if len(line) > 120 and not line.startswith("|")] == []


def read_requirements(name):
    """Return the versions that a file of requirements allows, by library."""
    lines = [
        line.partition("#")[0].strip()
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
    ]
    return {one.name: one.specifier for one in map(Requirement, filter(None, lines))}


def section(name, title):
    """Return the text below a heading of a document, up to the next heading of the same level."""
    return re.search(
        rf"^## {title}\n(.*?)(?=^## |\Z)", DOCUMENTS[name], re.DOTALL | re.MULTILINE
    ).group(1)


def cells(name, title):
    """Return the rows of the table below a heading as lists of cells, without the line below the head."""
    lines = [line for line in section(name, title).splitlines() if line.startswith("|")]
    return [
        [cell.strip() for cell in line.strip("|").split(" |")] for line in [lines[0], *lines[2:]]
    ]


def anchors(text):
    """Return the anchors that the Hub and GitHub make of the headings."""
    headings = re.findall("^#+ (.*)$", BLOCK.sub("", text), re.MULTILINE)
    marks = str.maketrans("", "", string.punctuation.replace("-", "").replace("_", ""))
    return {heading.lower().translate(marks).replace(" ", "-") for heading in headings}


def test_unicode_tables_are_those_of_regex():
    _, block = unicode_tables.split_module()
    assert block == unicode_tables.make_block()


def test_the_picture_is_that_of_the_readmes_example():
    assert explain_picture.PICTURE.read_text(encoding="utf-8") == explain_picture.make_picture()
    for text in (explain_picture.PREDICTION, *explain_picture.REFERENCES):
        assert f'"{text}"' in README


def test_the_api_reference_is_generated():
    """`make api` writes it again after a change of docstrings or options."""
    assert DOCUMENTS["docs/api.md"] == api_reference.make_document()


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
