"""What users build on: pages that run as printed, and what a Space, pip and evaluate read of them."""

import ast
import doctest
import re
import shlex
import string

import evaluate
import pytest
from helpers import ROOT
from huggingface_hub import metadata_load
from packaging.requirements import Requirement
from pages import (
    FENCED,
    PAGES,
    RECIPES,
    cells,
    find_blocks,
    list_untracked,
    read_requirements,
    run_blocks,
    run_page,
    section,
)

DOCUMENTS = PAGES
README = DOCUMENTS["README.md"]
SHORT_SENTENCES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/faq.md"]
PAGES_WITH_CODE = [name for name in DOCUMENTS if find_blocks(name)]
BLOCKS_OF_RECIPES = [
    pytest.param(name, block, id=f"{name}:{block.line}")
    for name in RECIPES
    for block in find_blocks(name)
    if not block.needs and not block.file
]
CARD = [
    "Metric description", "Intended uses", "How to use", "Inputs", "Output values", "Limitations and bias", "Citation",
    "Further references",
]  # fmt: skip


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


@pytest.mark.usefixtures("clone")
def test_the_example_that_evaluate_shows(bleu):
    example = doctest.DocTestParser().get_doctest(
        bleu.inputs_description, {"evaluate": evaluate}, "info", None, 0
    )
    assert doctest.DocTestRunner().run(example) == (0, 4)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize(("name", "block"), BLOCKS_OF_RECIPES)
def test_a_recipe_runs_alone(name, block, tmp_path):
    """Pasted into an empty notebook in the clone's folder, it prints what the page shows. git ignores what it writes."""
    assert run_blocks(name, [block], {}) == []
    assert list_untracked(tmp_path) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("name", [name for name in PAGES_WITH_CODE if name not in RECIPES])
def test_a_page_runs_in_one_process(name, tmp_path):
    """All Python blocks run as printed, in order, in the clone's folder, except those that need more libraries.

    tests/ecosystem/test_pages.py runs the latter, too, each page again as a whole. git ignores what they write.
    """
    left_out = run_page(name, {})
    assert all(block.needs for block in left_out)
    assert list_untracked(tmp_path) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("clone")
@pytest.mark.more
def test_a_page_runs_twice_in_a_folder():
    """Files of the first time are written again."""
    for _ in range(2):
        run_page("docs/recipes.md", {})


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.usefixtures("clone")
def test_the_examples_of_the_reference_run_in_one_process():
    """Those of docs/api.md, from its first line to its last, without a warning."""
    examples = [code for info, code in FENCED.findall(DOCUMENTS["docs/api.md"]) if info == "pycon"]
    text = re.sub("^$", "<BLANKLINE>", "".join(examples).strip(), flags=re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(text, {}, "docs/api.md", None, 0)
    assert len(example.examples) > 10
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", PAGES_WITH_CODE)
def test_a_section_that_loads_the_metric_can_be_copied_alone(name):
    """It imports evaluate before it calls `evaluate.load`."""
    for part in re.split("^## ", DOCUMENTS[name], flags=re.MULTILINE):
        code = "".join(block for info, block in FENCED.findall(part) if info.startswith("python"))
        before, load, _ = code.partition("evaluate.load(")
        assert not load or "import evaluate\n" in before, part.partition("\n")[0]


def test_every_python_block_is_found():
    """By the regular expression of pages.py."""
    for name, text in DOCUMENTS.items():
        assert len(find_blocks(name)) == len(re.findall("^```python", text, re.MULTILINE)), name
    assert sum(len(find_blocks(name)) for name in PAGES_WITH_CODE) >= 60


class TestCard:
    def test_it_has_the_headings_of_a_metric_card_in_their_order(self):
        assert [
            heading for heading in re.findall("^## (.*)$", README, re.MULTILINE) if heading in CARD
        ] == CARD

    def test_the_first_screen(self):
        """What it is, one block for the shell, one for Python with its output, and the table of tasks."""
        first, _, _ = README.partition("\n## Install\n")
        assert [info for info, _ in FENCED.findall(first)] == ["bash", "python", "text"]
        assert first.index("BLEU for Hugging Face") < first.index("```bash")

    def test_the_ways_in(self):
        """A clone, the Hub and a package: each has a line to install and a line of Python, as they are to be written."""
        rows = cells("README.md", "Install")[1:]
        assert [name for name, *_ in rows] == ["a clone", "the Hub", "the package"]
        (clone, hub, package) = (re.findall("`(.*?)`", install) for _, install, _ in rows)
        assert clone == ["pip install -r requirements.txt"]
        assert f"\n{clone[0]}\n" in README.partition("\n## Install\n")[0]
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
        for key in bleu.compute(predictions=["a b"], references=["a b"]):
            assert f"`{key}`" in section("README.md", "Output values")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name):
    """Links lead to existing files, and to existing headings."""
    for link in re.findall(r"\]\((?!https?:)(.*?)\)", FENCED.sub("", DOCUMENTS[name])):
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(DOCUMENTS[str(target.resolve().relative_to(ROOT))]), link


@pytest.mark.parametrize("name", SHORT_SENTENCES)
def test_no_sentence_has_more_than_30_words(name):
    """Of prose: without code, tables, headings and addresses."""
    text = FENCED.sub("", re.sub(r"\A---\n.*?\n---\n", "", DOCUMENTS[name], flags=re.DOTALL))
    prose = re.sub(r"^(\||#).*$", "", re.sub(r"\]\([^)]*\)", "]", text), flags=re.MULTILINE)
    sentences = re.split(r"\n\n+|^- |(?<=[.?!])\s+(?=[A-Z`*\[])", prose, flags=re.MULTILINE)
    assert [sentence for sentence in sentences if len(sentence.split()) > 30] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_lines_of_prose_end_before_column_120(name):
    prose = FENCED.sub("", DOCUMENTS[name]).splitlines()
    assert [line for line in prose if len(line) > 120 and not line.startswith("|")] == []


def anchors(text):
    """Return the anchors that the Hub and GitHub make of the headings."""
    headings = re.findall("^#+ (.*)$", FENCED.sub("", text), re.MULTILINE)
    marks = str.maketrans("", "", string.punctuation.replace("-", "").replace("_", ""))
    return {heading.lower().translate(marks).replace(" ", "-") for heading in headings}
