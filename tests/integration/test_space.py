"""The Space in a real browser, and its endpoints by gradio_client: what a visitor does, what comes out."""

import json
import random
import shutil
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pyarrow.parquet as pq
import pytest

sync_api = pytest.importorskip("playwright.sync_api")
gradio_client = pytest.importorskip("gradio_client")
if not shutil.which("chromium"):
    pytest.skip("Debian's chromium isn't there", allow_module_level=True)

from recipes import recipe
from space import chromium, served
from test_tutorials import CANDIDATE_1, REFERENCES

pytestmark = pytest.mark.filterwarnings("ignore")
expect = sync_api.expect
expect.set_options(timeout=15_000)  # a slow machine is no wrong answer

GENERATOR = random.Random(7)
WORDS = ["the", "a", "cat", "dog", "sat", "on", "under", "mat", ",", ".", "3.5", "naïve", "你", "好"]
PREDICTIONS = [" ".join(GENERATOR.choices(WORDS, k=GENERATOR.randrange(4, 12))) for _ in range(40)]
REFERENCE_SETS = [[" ".join(GENERATOR.choices(WORDS, k=9)) for _ in PREDICTIONS] for _ in range(2)]
ROWS = [list(row) for row in zip(*REFERENCE_SETS)]
OTHERS = [f"{row[0].rsplit(' ', 2)[0]} cat" for row in ROWS]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served(tmp_path_factory.mktemp("space")) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright, chromium(playwright) as browser:
        yield browser


@pytest.fixture
def open_page(address, browser):
    """Pages of visitors who don't know each other; nothing is asked of any other host, and no script fails."""
    contexts, wrong = [], []

    def open_page(width=1280, theme="light"):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
        page = contexts[-1].new_page()
        page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(f"{address}?__theme={theme}")
        expect(page.locator("#sentence strong").first).to_be_visible()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture(scope="module")
def client(address):
    return gradio_client.Client(address, verbose=False)


def tab(page, name):
    page.get_by_role("tab", name=name).click()
    page.wait_for_timeout(1000)  # Gradio fetches a tab's fields when it's first opened, and then puts their texts in


def text(page, selector):
    return page.locator(f"{selector} textarea, {selector} input").first


def fill(page, selector, value):
    """Fills a field, anew if the text that it has at first came late and took the place of what was filled in."""
    field = text(page, selector)
    field.fill(value)
    page.wait_for_timeout(300)
    if field.input_value() != value:
        field.fill(value)
    expect(field).to_have_value(value)


def choose(page, selector, option):
    text(page, selector).click()
    page.get_by_role("option", name=option, exact=True).click()


def upload(page, source, paths, column=None):
    """Uploads to a source and waits until the page has looked at what came."""
    page.set_input_files(f"#{source}-file input[type=file]", paths)
    if column:
        expect(text(page, f"#{source}-column")).to_be_visible()
    else:
        expect(page.locator(f"#{source}-note p")).not_to_contain_text("Text, CSV")


def score_of(page, selector, score):
    expect(page.locator(f"{selector} strong").first).to_have_text(f"{score:.2f}")


class TestSentence:
    def test_the_score_changes_while_one_types(self, page, load):
        score_of(page, "#sentence", 50.46)  # of the text "BLEU from scratch": 0.5045666840058485
        text(page, "#candidate").press("End")
        text(page, "#candidate").press_sequentially(" now")
        expected = load("nltk", lowercase=True).explain(f"{CANDIDATE_1} now", REFERENCES)
        score_of(page, "#sentence", expected["score"])
        expect(page.locator(".bleu-formula b").first).to_have_text(f"{expected['bleu']:.4f}")
        shown = page.locator(".bleu-tokens").first.locator(".token").all_inner_texts()
        wanted = zip(expected["prediction"]["tokens"], expected["prediction"]["longest_match"])
        assert ["".join(mark.split()) for mark in shown] == [
            token + (str(order) if order else "") for token, order in wanted
        ]

    def test_nothing_jumps_while_one_types(self, page):
        def places():
            seen = ("#candidate", "#references", "#sentence strong", "#sentence .bleu-tokens h4", "#sentence .token")
            return [(box["x"], box["y"]) for box in (page.locator(one).first.bounding_box() for one in seen)]

        before = places()
        text(page, "#candidate").press("End")
        text(page, "#candidate").press_sequentially(" party" * 12)
        expect(page.locator(".bleu-tokens").first).to_contain_text("30 tokens")
        assert places() == before

    def test_the_word_that_is_repeated_explains_itself(self, page):
        choose(page, "#example", "the the the the (Papineni et al., example 2)")
        chart = page.locator(".bleu-chart .group").first
        expect(chart.locator(".column").nth(0)).to_have_attribute("title", "Candidate, unclipped: 7 of 7 = 1.0000")
        expect(chart.locator(".column").nth(1)).to_have_attribute("title", "Candidate, clipped: 2 of 7 = 0.2857")
        page.locator(".bleu-ngrams summary").click()
        expect(page.locator(".bleu-ngrams")).to_contain_text("the (2 of 7 count)")

    def test_two_candidates_side_by_side(self, page):
        expect(page.locator("#sentence strong")).to_have_count(2)
        expect(page.locator(".bleu-chart .group").first.locator(".column")).to_have_count(4)
        fill(page, "#second", "")
        expect(page.locator("#sentence strong")).to_have_count(1)

    def test_options(self, page, bleu):
        page.locator("#sentence-options button").first.click()
        choose(page, "#sentence-convention", "default")
        options = {"effective_order": False}
        score_of(page, "#sentence", bleu.explain(CANDIDATE_1, REFERENCES, **options)["score"])
        choose(page, "#sentence-tokenize", "char")
        score_of(page, "#sentence", bleu.explain(CANDIDATE_1, REFERENCES, tokenize="char")["score"])

    @pytest.mark.parametrize(
        ("filled", "told"), [("", "empty prediction"), ("x y", "no 1-gram"), ("a" * 2001, "the limit is 2,000")]
    )
    def test_what_there_is_to_say(self, page, filled, told):
        fill(page, "#second", "")
        fill(page, "#candidate", filled)
        expect(page.locator("#sentence .bleu-message").first).to_contain_text(told)


def write(folder, kind):
    """The corpus in a format: what to upload as predictions and references, and the columns there."""
    frame = pd.DataFrame({"id": range(len(PREDICTIONS)), "prediction": PREDICTIONS, "reference": ROWS})
    if kind == "txt":
        paths = [folder / "system.de", folder / "a.txt", folder / "b.txt"]
        for path, lines in zip(paths, (PREDICTIONS, *REFERENCE_SETS)):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return paths[0], paths[1:], False
    path = folder / f"corpus.{kind}"
    if kind in ("csv", "tsv"):
        frame = frame.assign(reference=REFERENCE_SETS[0], reference_2=REFERENCE_SETS[1])
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True, force_ascii=False)
    else:
        frame.to_parquet(path)
    return path, [path], True


def score_files(page, folder):
    """The corpus as text files, uploaded to its tab and scored."""
    predictions, references, _ = write(folder, "txt")
    tab(page, "Corpus")
    upload(page, "predictions", predictions)
    upload(page, "references", references)
    page.locator("#score").click()
    expect(page.locator("#corpus-summary strong")).to_be_visible()


class TestCorpus:
    @pytest.mark.parametrize("kind", ["txt", "csv", "tsv", "jsonl", "parquet"])
    def test_each_format(self, page, bleu, tmp_path, kind):
        predictions, references, has_columns = write(tmp_path, kind)
        tab(page, "Corpus")
        upload(page, "predictions", predictions, has_columns)
        upload(page, "references", references, has_columns)
        page.locator("#score").click()
        result = bleu.compute(predictions=PREDICTIONS, references=ROWS, confidence=0.95)
        score_of(page, "#corpus-summary", result["score"])
        expect(text(page, "#signature")).to_have_value(result["signature"])
        low, high = result["confidence_interval"]
        expect(page.locator("#corpus-summary")).to_contain_text(f"{100 * low:.2f} to {100 * high:.2f}, 40 segments")
        for order, score in enumerate(result["bleu_by_order"], 1):
            expect(page.locator("#corpus-summary dl")).to_contain_text(f"BLEU-{order}{100 * score:.2f}")

    def test_pasted_text_with_options(self, page, load):
        tab(page, "Corpus")
        fill(page, "#predictions-text", "a b c d\na b\n")
        fill(page, "#references-text", "a b c d\ta b c\nb a\n")
        page.locator("#corpus-options button").first.click()
        choose(page, "#corpus-convention", "hf")
        page.locator("#score").click()
        result = load("hf").compute(predictions=["a b c d", "a b"], references=[["a b c d", "a b c"], ["b a"]])
        score_of(page, "#corpus-summary", result["score"])

    def test_a_segment_opens_in_the_first_tab(self, page, bleu, tmp_path):
        score_files(page, tmp_path)
        scores = bleu.compute(predictions=PREDICTIONS, references=ROWS, segments=True)["segment_bleu"]
        for end, best in (("lowest", min), ("highest", max)):
            tab(page, "Corpus")
            page.get_by_label(end).check()
            row = scores.index(best(scores))
            cell = page.locator("#segments [role=gridcell]").first
            expect(cell).to_contain_text(str(row + 1))
            cell.click()
            expect(text(page, "#candidate")).to_have_value(PREDICTIONS[row])
            expect(text(page, "#references")).to_have_value("\n".join(ROWS[row]))
            score_of(page, "#sentence", 100 * scores[row])

    def test_downloads_are_what_was_computed(self, page, bleu, tmp_path):
        score_files(page, tmp_path)
        result = bleu.compute(predictions=PREDICTIONS, references=ROWS, segments=True, confidence=0.95)
        csv = pd.read_csv(download(page, "csv", tmp_path))
        assert csv["bleu"].tolist() == pytest.approx(result["segment_bleu"], abs=1e-15)
        assert (csv["prediction"].tolist(), csv["references_2"].tolist()) == (PREDICTIONS, REFERENCE_SETS[1])
        parquet = pq.read_table(download(page, "parquet", tmp_path))
        assert parquet["bleu"].to_pylist() == result.pop("segment_bleu")
        assert parquet["references"].to_pylist() == ROWS
        assert parquet["matches_1"].to_numpy().sum() == result["counts"][0]
        assert json.loads(download(page, "json", tmp_path).read_text()) == result

    def test_two_visitors_have_their_own_results(self, open_page):
        pages = [open_page(), open_page()]
        for number, page in enumerate(pages):
            tab(page, "Corpus")
            fill(page, "#predictions-text", f"visitor {number} has a line\n" * (number + 1))
            fill(page, "#references-text", f"visitor {number} has a line\n" * (number + 1))
            page.locator("#score").click()
        for number, page in enumerate(pages):
            expect(page.locator("#corpus-summary")).to_contain_text(f"{number + 1} segment")
            page.locator("#segments [role=gridcell]").first.click()
            expect(text(page, "#candidate")).to_have_value(f"visitor {number} has a line")


def download(page, kind, folder):
    with page.expect_download() as expected:
        page.locator(f"#download-{kind}").click()
    expected.value.save_as(path := folder / f"download.{kind}")
    return path


WRONG = {
    "latin-1": ("a.txt", "na\nnaïve\n".encode("latin-1"), "a.txt is not in UTF-8 (line 2, byte 0xEF): save it as UTF-8."),
    "utf-16": ("a.txt", "a\n".encode("utf-16"), "a.txt is in UTF-16: save it as UTF-8."),
    "empty": ("a.txt", b"", "a.txt is empty: choose another file."),
    "text that is Parquet": ("a.txt", b"PAR1....PAR1", "a.txt is a Parquet file, not what its name says"),
    "text that is Excel": ("a.csv", b"PK\x03\x04....", "a.csv is an Excel or ZIP file, not what its name says"),
    "Parquet that is text": ("a.parquet", b"prediction\na\n", "a.parquet is no Parquet file, or a broken one"),
    "JSONL that is text": ("a.jsonl", b'{"prediction": "a"}\nb\n', "a.jsonl, line 2 is not JSON"),
    "JSON": ("a.json", b'[{"prediction": "a"}]', "a.json: give JSON as JSONL, one object a line."),
    "CSV with a cell too many": ("a.csv", b"x,y\n1,2\n1,2,3\n", "a.csv is no table with the same cells in every line"),
}  # fmt: skip


class TestWrongUploads:
    @pytest.mark.parametrize("case", WRONG)
    def test_told_at_once(self, page, tmp_path, case):
        name, data, told = WRONG[case]
        (tmp_path / name).write_bytes(data)
        tab(page, "Corpus")
        upload(page, "predictions", tmp_path / name)
        expect(page.locator("#predictions-note")).to_contain_text(told)
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text(told)
        expect(page.locator("#corpus")).not_to_be_visible()

    def test_different_numbers_of_lines(self, page, tmp_path):
        (tmp_path / "a.txt").write_text("a\nb\n")
        (tmp_path / "r.txt").write_text("a\nb\n\n")
        (tmp_path / "s.txt").write_text("a\n")
        tab(page, "Corpus")
        upload(page, "predictions", tmp_path / "a.txt")
        upload(page, "references", tmp_path / "r.txt")
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text("has 2 segments, and there are references for 3")
        page.set_input_files("#references-file input[type=file]", tmp_path / "s.txt")  # another one, to the first
        expect(page.locator("#references-note")).to_contain_text("s.txt: 1 segment")
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text("s.txt has 1 segment, and the references before 3")

    def test_a_missing_column(self, page, tmp_path):
        """Two files of references, the second without the column that was chosen in the first."""
        pd.DataFrame({"reference": ["a"]}).to_csv(tmp_path / "r.csv", index=False)
        pd.DataFrame({"target": ["a"]}).to_csv(tmp_path / "s.csv", index=False)
        tab(page, "Corpus")
        fill(page, "#predictions-text", "a")
        upload(page, "references", [tmp_path / "r.csv", tmp_path / "s.csv"], column=True)
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text(
            "s.csv: there is no column 'reference'. There are: target."
        )

    def test_a_file_of_200_megabytes(self, page, tmp_path):
        with open(tmp_path / "large.txt", "wb") as file:
            file.write(b"a line of text\n" * (200_000_000 // 15))
        tab(page, "Corpus")
        page.set_input_files("#predictions-file input[type=file]", tmp_path / "large.txt")
        expect(page.get_by_text('File(s) exceed the maximum allowed size of 50.0 Mb: "large.txt"')).to_be_visible()
        expect(page.locator("#predictions-note")).to_contain_text("Of a larger file give a part, or score it in Python")

    @pytest.mark.parametrize("value", ["null", "3"])
    def test_rows_that_are_no_text(self, page, tmp_path, value):
        (tmp_path / "a.jsonl").write_text(f'{{"prediction": "a"}}\n{{"prediction": {value}}}\n')
        tab(page, "Corpus")
        upload(page, "predictions", tmp_path / "a.jsonl", column=True)
        fill(page, "#references-text", "a\nb")
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text("predictions, row 1: found")


class TestSystems:
    def test_the_sentence_to_quote(self, page, bleu, tmp_path):
        predictions, references, _ = write(tmp_path, "txt")
        (tmp_path / "other.txt").write_text("\n".join(OTHERS))
        tab(page, "Systems")
        upload(page, "system-a", predictions)
        upload(page, "system-b", tmp_path / "other.txt")
        upload(page, "system-references", references)
        fill(page, "#name-b", "Cats")
        page.locator("#compare").click()
        comparison = bleu.compare({"System A": PREDICTIONS, "Cats": OTHERS}, ROWS)
        cats = comparison["systems"]["Cats"]
        low, high = cats["confidence_interval"]
        quote = page.locator(".bleu-quote")
        expect(quote).to_contain_text(
            f"Cats scores {cats['score']:.2f} BLEU (95% interval {100 * low:.2f} to {100 * high:.2f})"
        )
        expect(quote).to_contain_text(
            f"difference of {100 * cats['delta']:+.2f} (p = {cats['p_value']:.4f}, paired bootstrap"
        )
        expect(text(page, "#systems-signature")).to_have_value(comparison["signature"])
        scores = [
            bleu.compute(predictions=p, references=ROWS, segments=True)["segment_bleu"] for p in (PREDICTIONS, OTHERS)
        ]
        differences = [abs(b - a) for a, b in zip(*scores)]
        expect(page.locator(".bleu-pair h4").first).to_contain_text(
            f"Segment {differences.index(max(differences)) + 1}:"
        )
        expect(page.locator(".bleu-pair")).to_have_count(10)

    def test_randomization(self, page):
        tab(page, "Systems")
        page.get_by_label("paired approximate randomization").check()
        page.locator("#compare").click()
        expect(page.locator(".bleu-quote")).to_contain_text("paired approximate randomization, 1,000 resamples")

    def test_the_same_name_twice(self, page):
        tab(page, "Systems")
        fill(page, "#name-b", "System A")
        page.locator("#compare").click()
        expect(page.locator("#systems-message")).to_contain_text("Give the two systems different names.")


class TestDifference:
    def test_conventions_and_a_number_explained(self, page, bleu, tmp_path):
        predictions, references, _ = write(tmp_path, "txt")
        tab(page, "Why?")
        upload(page, "difference-predictions", predictions)
        upload(page, "difference-references", references)
        second = bleu.compute(predictions=PREDICTIONS, references=REFERENCE_SETS[1], tokenize="char")["score"]
        fill(page, "#reported", f"{second:.9f}")
        page.locator("#why").click()
        conventions, settings = (page.locator("#difference-page table").nth(i) for i in range(2))
        for name, one in bleu.conventions(PREDICTIONS, ROWS).items():
            expect(conventions.locator("tr", has=page.get_by_role("cell", name=name, exact=True))).to_contain_text(
                f"{one['score']:.2f}"
            )
        expect(settings).to_contain_text("references=1")
        expect(settings).to_contain_text("tokenize='char'")
        expect(settings).to_contain_text(bleu.reconcile(PREDICTIONS, ROWS, f"{second:.9f}")["matches"][0]["signature"])

    @pytest.mark.parametrize(
        ("number", "told"), [("27,3", "give a number"), ("127", "BLEU is from 0 to 1, or from 0 to 100")]
    )
    def test_what_is_no_score(self, page, number, told):
        tab(page, "Why?")
        fill(page, "#reported", number)
        page.locator("#why").click()
        expect(page.locator("#difference-message")).to_contain_text(told)


class TestHostileText:
    SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)> \"><b onmouseover='alert(3)'>"

    def test_text_is_shown_as_text(self, page):
        fill(page, "#candidate", self.SCRIPT)
        fill(page, "#references", self.SCRIPT)
        expect(page.locator(".bleu-tokens").first).to_contain_text("script")
        tab(page, "Corpus")
        for source in ("predictions", "references"):
            fill(page, f"#{source}-text", self.SCRIPT)
        page.locator("#score").click()
        expect(page.locator("#segments [role=row]").nth(1)).to_contain_text("<script>")
        tab(page, "Systems")
        fill(page, "#name-b", self.SCRIPT)
        for source in ("system-a", "system-b", "system-references"):
            fill(page, f"#{source}-text", self.SCRIPT)
        page.locator("#compare").click()
        expect(page.locator(".bleu-quote")).to_contain_text("<script>")
        assert (
            page.locator(
                "#sentence script, #sentence img, #systems img, #corpus img, .bleu-page b[onmouseover]"
            ).count()
            == 0
        )

    def test_a_file_name_is_shown_as_text(self, page, tmp_path):
        path = tmp_path / "<img src=x onerror=alert(4)>.txt"
        path.write_bytes(b"")
        tab(page, "Corpus")
        upload(page, "predictions", path)
        expect(page.locator("#predictions-note")).to_contain_text("is empty")
        assert page.locator("#predictions-note img").count() == 0

    def test_formulas_are_defused_in_csv(self, page, tmp_path):
        cells = ['=HYPERLINK("http://evil","x")', "+1", "-1", "@A1", "＝A1", "fine = text"]
        tab(page, "Corpus")
        for source in ("predictions", "references"):
            fill(page, f"#{source}-text", "\n".join(cells))
        page.locator("#score").click()
        expect(page.locator("#corpus-summary strong")).to_be_visible()
        frame = pd.read_csv(download(page, "csv", tmp_path))
        assert frame["prediction"].tolist() == [f"'{cell}" for cell in cells[:5]] + cells[5:]
        assert frame["references_1"].tolist() == frame["prediction"].tolist()
        assert pq.read_table(download(page, "parquet", tmp_path))["prediction"].to_pylist() == cells


def test_what_is_uploaded_and_made_of_it_is_deleted(browser, tmp_path):
    """After four seconds here, and whoever comes back to it is told."""
    (tmp_path / "a.txt").write_text("a line\n")
    with served(tmp_path, "import app_limits; app_limits.SECONDS_KEPT = 4") as address:
        page = browser.new_page()
        page.goto(address)
        tab(page, "Corpus")
        upload(page, "predictions", tmp_path / "a.txt")
        upload(page, "references", tmp_path / "a.txt")
        page.locator("#score").click()
        expect(page.locator("#corpus-summary strong")).to_be_visible()
        kept = lambda: {path.name for path in (tmp_path / "gradio").rglob("*.*")}  # noqa: E731
        assert kept() == {"a.txt", "segments.csv", "segments.parquet", "bleu.json"}
        deadline = time.monotonic() + 60
        while kept() and time.monotonic() < deadline:
            page.wait_for_timeout(500)
        assert kept() == set()
        page.locator("#score").click()
        expect(page.locator("#corpus-message")).to_contain_text("a.txt is no longer here")
        page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_telephone_shows_all_of_it(open_page, theme):
    """At 390 px nothing is wider than the window, and all tabs are in sight."""
    page = open_page(390, theme)
    for name in ("Sentence", "Corpus", "Systems", "Why?", "About"):
        tab(page, name)
        page.wait_for_timeout(300)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390, name


def test_about_says_how_to_load_and_cite_and_the_limits(page):
    tab(page, "About")
    expect(page.get_by_text("100,000 segments of 100,000 characters").first).to_be_visible()
    expect(page.locator(".cm-content").nth(0)).to_contain_text("evaluate.load")
    expect(page.locator(".cm-content").nth(1)).to_contain_text("papineni-etal-2002-bleu")
    page.locator("#card button").first.click()
    expect(page.get_by_role("heading", name="In sixty seconds")).to_be_visible()


class TestEndpoints:
    def test_explain(self, client, bleu):
        answer = client.predict("the the the", ["the cat is on the mat"], {"max_order": 2}, api_name="/explain")
        assert answer.pop("warnings") == []
        assert answer == bleu.explain("the the the", ["the cat is on the mat"], max_order=2)

    def test_score(self, client, bleu):
        answer = client.predict(
            predictions=PREDICTIONS, references=ROWS, options={"confidence": 0.9}, api_name="/score"
        )
        assert answer.pop("warnings") == []
        assert answer == bleu.compute(predictions=PREDICTIONS, references=ROWS, segments=True, confidence=0.9)

    def test_compare(self, client, bleu):
        systems = {"A": PREDICTIONS, "B": OTHERS}
        answer = client.predict(systems=systems, references=ROWS, test="randomization", api_name="/compare")
        assert answer.pop("warnings") == []
        assert answer == bleu.compare(systems, ROWS, test="randomization")

    def test_conventions_and_reconcile(self, client, bleu):
        answer = client.predict(PREDICTIONS, ROWS, api_name="/conventions")
        assert answer.pop("warnings") == []
        assert answer == bleu.conventions(PREDICTIONS, ROWS)
        answer = client.predict(PREDICTIONS, ROWS, "12.3", options={"tokenize": "zh"}, api_name="/reconcile")
        assert answer.pop("warnings") == []
        assert answer == bleu.reconcile(PREDICTIONS, ROWS, "12.3", tokenize="zh")

    def test_readmes_recipe(self, address, capsys):
        (code,) = recipe("The Space", level=2)
        exec(compile(code.replace("http://127.0.0.1:7860", address), "README.md", "exec"), {})
        assert len(capsys.readouterr().out.splitlines()) >= 3

    def test_a_warning_comes_with_the_answer(self, client):
        answer = client.predict("a", ["b"], api_name="/explain")
        assert "no 1-gram of the predictions" in answer["warnings"][0]

    def test_they_say_what_they_want(self, client):
        endpoints = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
        assert sorted(endpoints) == ["/compare", "/conventions", "/explain", "/reconcile", "/score"]
        for endpoint in endpoints.values():
            assert endpoint["description"]
            assert all(parameter["python_type"]["type"] for parameter in endpoint["parameters"])

    @pytest.mark.parametrize(
        ("endpoint", "arguments", "told"),
        [
            ("/score", {"predictions": ["a"], "references": []}, "1 predictions and 0 references"),
            ("/score", {"predictions": ["a", None], "references": ["a", "b"]}, "predictions, row 1: found None"),
            ("/score", {"predictions": ["a"], "references": [["a"] * 21]}, "give 20 at most"),
            ("/score", {"predictions": ["a" * 100_001], "references": ["a"]}, "Segment 1 has 100,001 characters"),
            ("/score", {"predictions": ["a"] * 100_001, "references": ["a"] * 100_001}, "this page takes 100,000"),
            (
                "/score",
                {"predictions": ["a"], "references": ["a"], "options": {"tokenize": "flores200"}},
                "Others need the metric",
            ),
            (
                "/score",
                {"predictions": ["a"], "references": ["a"], "options": {"max_order": 11}},
                "this page goes up to 10",
            ),
            (
                "/score",
                {"predictions": ["a"], "references": ["a"], "options": {"confidence": 0.9, "n_resamples": 10**9}},
                "up to 10,000",
            ),
            (
                "/score",
                {"predictions": ["a"], "references": ["a"], "options": {"tokeniser": "zh"}},
                "Did you mean `tokenize`",
            ),
            ("/score", {"predictions": 3, "references": 4}, "predictions"),
            ("/explain", {"prediction": 3, "references": ["a"]}, "predictions, row 0: found int"),
            ("/explain", {"prediction": "a" * 2001, "references": ["a"]}, "the limit is 2,000"),
            ("/explain", {"prediction": "a", "references": []}, "there is no reference"),
            ("/explain", {"prediction": "a", "references": 3}, "references, row 0: found int"),
            ("/explain", {"prediction": "a", "references": ["a"], "options": [1]}, "The options are an object"),
            ("/compare", {"systems": {"A": ["a"]}, "references": ["a"]}, "Give two or more"),
            ("/compare", {"systems": {n: ["a"] for n in "ABC"}, "references": ["a"]}, "this page compares two"),
            ("/reconcile", {"predictions": ["a"], "references": ["a"], "reported": "x"}, "give a number"),
            ("/compare", {"systems": 5, "references": ["a"]}, "a dict of predictions"),
            ("/reconcile", {"predictions": 3, "references": ["a"], "reported": 1}, "predictions: found int"),
            ("/compare", {"systems": ["a"], "references": ["a"]}, "a dict of predictions"),
            ("/compare", {"systems": {"A": ["a"], "B": ["b"]}, "references": ["a"], "test": "t"}, "choose one of"),
        ],
    )
    def test_errors_say_what_to_do(self, client, endpoint, arguments, told):
        with pytest.raises(Exception, match=told) as raised:
            client.predict(**arguments, api_name=endpoint)
        assert "Traceback" not in str(raised.value)

    def test_eight_clients_at_once_get_their_own_answers(self, address, bleu):
        def ask(number):
            own = gradio_client.Client(address, verbose=False)
            return [
                own.predict(texts(number, i), ROWS, {"confidence": 0.9}, api_name="/score")["score"] for i in range(5)
            ]

        def texts(number, i):
            return PREDICTIONS[number + i :] + PREDICTIONS[: number + i]

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, range(8)))
        assert answers == [
            [bleu.compute(predictions=texts(number, i), references=ROWS)["score"] for i in range(5)]
            for number in range(8)
        ]

    def test_a_path_that_was_not_uploaded_is_refused(self, client, address):
        """As a browser would send it, to the button of the corpus tab, but with a path of the server's."""
        config = client.config
        (scored,) = [d for d in config["dependencies"] if len(d["inputs"]) > 15 and len(d["outputs"]) == 11]
        data = [None] * len(scored["inputs"])
        data[0] = {"path": "/etc/passwd", "orig_name": "passwd", "meta": {"_type": "gradio.FileData"}}
        body = {"data": data, "fn_index": scored["id"], "session_hash": "stranger"}
        request = urllib.request.Request(
            f"{address}gradio_api/queue/join", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request, timeout=30).read()
        stream = urllib.request.urlopen(f"{address}gradio_api/queue/data?session_hash=stranger", timeout=30)
        answer = next(line for line in stream if b"process_completed" in line).decode()
        assert '"success":false' in answer.replace(" ", "")
        assert "root:" not in answer

    def test_files_of_the_server_are_not_served(self, address):
        for path in ("/etc/passwd", "app.py", "../log.txt"):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{address}gradio_api/file={path}", timeout=30)
