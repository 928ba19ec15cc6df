"""The address of the page: a reload, a shared link and a restart of the server bring back what was typed."""

import socket
import time

import pytest
from space_server import serve_space

from .visitor import (
    BUTTONS,
    choose,
    expect,
    expect_view,
    fill,
    origin,
    paste,
    score,
    score_files,
    score_of,
    tab,
    text,
    unfold,
    upload,
    wait_for_fields,
)

pytestmark = pytest.mark.filterwarnings("ignore")

TYPED = {
    "#candidate": "the cat & the “hat” #1",
    "#second": "ein Hut = 100 %",
    "#references": "the cat\n猫 + the hat",
}


def type_all(page):
    unfold(page, "#second-fold")
    for selector, value in TYPED.items():
        fill(page, selector, value)
    unfold(page, "#sentence-options")
    page.locator("#sentence-lowercase input").check()
    choose(page, "#sentence-tokenize", "char")
    fill(page, "#sentence-max-order", "3")
    expect(page.locator("#sentence-options > button")).to_contain_text("n-grams go up to 3")


def expect_all(page):
    for selector, value in TYPED.items():
        expect(text(page, selector)).to_have_value(value)
    chip = page.locator("#sentence-options > button")
    for phrase in ("split into characters", "case is ignored", "n-grams go up to 3"):
        expect(chip).to_contain_text(phrase)
    expect(page.locator("#sentence-score strong")).to_have_count(2)


def test_a_reload_and_a_shared_link_bring_back_texts_options_and_view(page, open_page, address):
    type_all(page)
    tab(page, "About")
    page.wait_for_function(
        "location.hash.includes('tab=about') && location.hash.includes('max_order=3')"
    )
    link = page.evaluate("location.hash")
    page.reload()
    other = open_page(link=link)
    for shown in (page, other):
        expect_view(shown, "About")
        tab(shown, "Sentence")
        expect_all(shown)


def test_a_link_to_an_example_and_to_corpus(open_page):
    page = open_page(link="#example=the+the+the+the&tab=corpus")
    expect(page.locator(".bleu-verdict")).to_be_visible()
    tab(page, "Sentence")
    expect(text(page, "#candidate")).to_have_value("the the the the the the the")
    expect(page.locator("#sentence-options > button")).to_contain_text("this example’s choice")
    page.get_by_role("button", name="two words", exact=True).click()
    page.wait_for_function("location.hash === '#example=two+words'")
    page.get_by_role("button", name="Papineni, example 1", exact=True).click()
    page.wait_for_function("location.hash === ''")  # the page opens with it


@pytest.mark.parametrize("name", ["Corpus", "About"])
def test_the_view_is_in_the_address_before_anything_is_typed(page, name):
    page.get_by_role("button", name=BUTTONS[name], exact=True).click()
    page.wait_for_function(f"location.hash === '#tab={name.lower()}'")
    page.reload()
    expect_view(page, name)
    tab(page, "Sentence")
    page.wait_for_function("location.hash === ''")


def test_the_page_around_a_frame_learns_the_address(browser, address):
    """As on the Hub: the demo runs in a frame of huggingface.co, which puts the hash into its own address."""
    context = browser.new_context(
        permissions=["local-network-access"]
    )  # the server of the tests is on this machine
    page = context.new_page()
    script = "addEventListener('message', ({ data }) => 'hash' in Object(data) && (location.hash = data.hash))"
    body = f'<script>{script}</script><iframe src="{address}" width="1200" height="800"></iframe>'
    page.route(
        "https://huggingface.co/**",
        lambda route: route.fulfill(body=body, content_type="text/html"),
    )
    page.goto("https://huggingface.co/spaces/user/bleu_metric")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Try an example").click()
    page.wait_for_function("location.hash === '#tab=corpus'")
    frame.get_by_role("button", name="BLEU", exact=True).click()
    frame.locator("#steps a", has_text="Clipping").click()
    page.wait_for_function("location.hash === '#step=clipping'")
    frame.get_by_role("button", name="two words", exact=True).click()
    page.wait_for_function("location.hash === '#example=two+words&step=clipping'")
    context.close()


def test_a_step_is_part_of_a_link_to_a_text(page, open_page):
    fill(page, "#candidate", "the the cat")
    page.locator("#steps a", has_text="Clipping").click()
    page.wait_for_function(
        "location.hash.includes('the+the+cat') && location.hash.endsWith('&step=clipping')"
    )
    other = open_page(link=page.evaluate("location.hash"))
    expect(other.locator("#sentence [data-step]:visible")).to_contain_text(
        "None is too many: 2/3 count."
    )
    other.evaluate(
        "location.hash = '#step=mean'"
    )  # as a link on another page, for the text that is there
    expect(other.locator("#sentence [data-step=mean]")).to_be_visible()
    expect(text(other, "#candidate")).to_have_value("the the cat")


def test_a_link_to_a_step_counts_while_the_page_writes_its_address(page):
    """The event of a link comes later than the address that is written after it."""
    fill(page, "#candidate", "the the cat")
    page.locator("#steps a", has_text="Clipping").click()
    page.wait_for_function("location.hash.endsWith('&step=clipping')")
    page.evaluate(
        "() => { const { hash } = location; location.hash = '#step=mean'; history.replaceState(null, '', hash); }"
    )
    expect(page.locator("#sentence [data-step=mean]")).to_be_visible()


def test_copy_link_copies_the_address(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    fill(page, "#candidate", "a guide")
    page.wait_for_function("location.hash.includes('a+guide')")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("body > p.bleu-unseen")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_what_is_too_long_for_a_link_says_so_and_survives_a_reload(page):
    fill(page, "#references", "\n".join(["我们用的是中文 " * 20] * 10))
    expect(page.get_by_text("Too long for a link")).to_be_visible()
    expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
    assert page.evaluate("location.hash") == ""
    page.reload()
    expect(text(page, "#references")).to_have_value("\n".join(["我们用的是中文 " * 20] * 10))
    fill(page, "#references", "the guide")
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()


LINKED = "#corpus-message .bleu-linked"
FROM_A_LINK = "From a link: texts and p are not checked."


def test_a_result_is_in_the_address_which_opens_read_only_and_has_no_texts(
    page, open_page, tmp_path
):
    """A reload shows it as the visitor to whom it's sent sees it: scores, verdict and settings."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    paths = write_systems(tmp_path)
    tab(page, "Corpus")
    upload(page, "references", paths["ref"])
    upload(page, "systems", [paths["alpha"], paths["beta"]])
    unfold(page, "#corpus-options")
    page.locator("#corpus-lowercase input").check()
    score(page)
    page.wait_for_function("location.hash.startsWith('#tab=corpus&result=')")
    page.locator("#corpus-summary").get_by_role("button", name="Copy link").click()
    expect(page.locator("body > p.bleu-unseen")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    verdict = page.locator("#corpus-summary .bleu-verdict").inner_text()
    table = page.locator("#corpus-summary table").inner_text()
    link = page.evaluate("location.hash")
    page.reload()
    other = open_page(link=link)
    for shown in (page, other):
        expect_view(shown, "Corpus")
        expect(shown.locator(LINKED)).to_contain_text(FROM_A_LINK)
        assert shown.locator(f"{LINKED} .bleu-verdict").inner_text() == verdict
        assert shown.locator(f"{LINKED} table").inner_text() == table
        expect(shown.locator(f"{LINKED} .bleu-signature")).to_contain_text("case:lc")
        expect(shown.locator("#corpus")).to_be_hidden()
        assert shown.evaluate("location.hash") == link
        shown.locator(LINKED).get_by_role("button", name="Copy link").click()
        expect(shown.locator("body > p.bleu-unseen")).to_have_text("Copied")
    assert other.evaluate("navigator.clipboard.readText()") == other.url


def test_a_link_to_a_result_has_no_text_of_a_sentence(page, open_page, tmp_path):
    """Which the visitor typed before, and gets back after a reload; no other visitor does."""
    fill(page, "#candidate", "my private guide")
    score_files(page, tmp_path)
    page.wait_for_function("location.hash.startsWith('#tab=corpus&result=')")
    assert "private" not in page.url
    other = open_page(link=page.evaluate("location.hash"))
    page.reload()
    expect(page.locator(LINKED)).to_be_visible()
    back = page.locator("header").get_by_role("button", name="Result")
    expect(back).to_be_hidden()
    for _ in range(2):
        tab(page, "Sentence")
        expect(text(page, "#candidate")).to_have_value("my private guide")
        page.wait_for_function("location.hash.includes('my+private+guide')")
        back.click()
        expect(page.locator(LINKED)).to_be_visible()
        tab(page, "Sentence")
        page.reload()
    expect(other.locator(LINKED)).to_be_visible()
    tab(other, "Sentence")
    expect(text(other, "#candidate")).not_to_have_value("my private guide")


@pytest.mark.parametrize("before", ["", "#step=clipping"])
def test_back_leads_from_a_link_to_what_was_there_before(open_page, tmp_path, before):
    page = open_page()
    score_files(page, tmp_path)
    page.wait_for_function("location.hash.includes('&result=')")
    other = open_page(link=before)
    expect(other.locator("#steps a[aria-current]")).to_have_count(1)
    # As the page writes its address before it learns of the link.
    other.evaluate(
        "(link) => { const { hash } = location; location.hash = link; history.replaceState(null, '', hash || '#'); }",
        page.evaluate("location.hash"),
    )
    expect(other.locator(LINKED)).to_be_visible()
    other.go_back()
    expect_view(other, "Sentence")
    expect(text(other, "#candidate")).to_be_visible()
    assert other.evaluate("location.hash") == before
    other.go_forward()
    expect(other.locator(LINKED)).to_be_visible()


def write_systems(folder):
    lines = [f"The ferry number {i} leaves the harbour at {i % 12} o'clock." for i in range(40)]
    texts = {
        "ref": lines,
        "alpha": [line.replace("leaves", "left") for line in lines],
        "beta": [line.replace("the harbour", "a port") for line in lines],
    }
    paths = {name: folder / f"{name}.txt" for name in texts}
    for name, own in texts.items():
        paths[name].write_text("\n".join(own))
    return paths


def test_a_link_is_left_for_own_files_and_by_the_keyboard(page, open_page, tmp_path):
    score_files(page, tmp_path)
    page.wait_for_function("location.hash.includes('&result=')")
    other = open_page(link=page.evaluate("location.hash"))
    expect(other.locator(LINKED)).to_be_visible()
    other.locator(".bleu-skip").focus()
    other.keyboard.press("Enter")
    assert other.evaluate("document.activeElement.className") == "bleu-linked"
    other.keyboard.press("Tab")
    assert other.evaluate("document.activeElement.textContent") == "Copy link"
    paths = write_systems(tmp_path)
    upload(other, "references", paths["ref"])
    upload(other, "systems", paths["alpha"])
    expect(other.locator(LINKED)).to_have_count(0)
    expect(other.locator("#corpus-summary .bleu-score")).to_be_visible()


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("eJyNUk2PmzAQ", "This link is damaged."),
        ("%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "This link is damaged."),
        ("猫", "This link is damaged."),
        ("a" * 8001, "This link is too long: a link has at most 8,000 characters."),
    ],
)
def test_a_link_to_a_result_that_is_not_valid_is_told_in_a_sentence(open_page, link, told):
    page = open_page(link=f"#tab=corpus&result={link}")
    expect_view(page, "Corpus")
    expect(page.locator("#corpus-message [role=alert]")).to_contain_text(told)
    expect(page.locator("#corpus-message p")).to_have_count(1)
    assert page.locator(".bleu-page img").count() == 0
    page.reload()
    expect(page.locator("#corpus-message [role=alert]")).to_contain_text(told)  # not the example


def test_pasted_lines_survive_a_reload(page):
    """Before they're scored, and after it, when the result is in the address as well."""
    paste(page, "the cat sat on mats\na dog", "the cat sat on the mat\na dog runs")
    page.reload()
    expect(page.locator("#corpus-summary .bleu-score")).to_be_visible()
    expect(text(page, "#system-text")).to_have_value("the cat sat on mats\na dog")
    expect(text(page, "#references-text")).to_have_value("the cat sat on the mat\na dog runs")
    page.wait_for_function("location.hash.includes('&result=')")
    page.reload()
    expect(page.locator(LINKED)).to_contain_text(FROM_A_LINK)
    expect(text(page, "#system-text")).to_have_value("the cat sat on mats\na dog")
    origin(page, "Files")
    wait_for_fields(page)
    page.reload()
    expect(page.locator(LINKED)).to_be_visible()
    expect(text(page, "#system-text")).to_be_hidden()


def test_a_result_that_waits_for_a_choice_is_in_no_link(page):
    """A reload asks again."""
    lines = [f"the cat number {number} sat on the mat" for number in range(30)]
    paste(page, "\n".join(f"Answer: {line}" for line in lines), "\n".join(lines))
    page.locator("#score").click()
    expect(page.locator(".bleu-undecided")).to_be_visible()
    page.wait_for_function("location.hash === '#tab=corpus'")
    page.reload()
    expect(page.locator(".bleu-undecided")).to_be_visible()


def test_the_example_with_other_settings_has_a_link_of_its_own(page, open_page):
    tab(page, "Corpus")
    page.wait_for_function("location.hash === '#tab=corpus'")
    unfold(page, "#corpus-options")
    page.locator("#corpus-lowercase input").check()
    score(page)
    page.wait_for_function("location.hash.includes('&result=')")
    other = open_page(link=page.evaluate("location.hash"))
    expect(other.locator(f"{LINKED} .bleu-signature")).to_contain_text("case:lc")


@pytest.mark.parametrize(
    "link",
    [
        "#example=none",
        "#tab=none",
        "#candidate=a&tokenize=%00&max_order=-1&smooth_method=magic&lowercase=3",
        "#candidate=<img src=x onerror=alert(1)>&max_order=99999999999999999999999",
        "#constructor=1&__proto__=2",
    ],
)
def test_a_link_that_is_not_valid_does_no_harm(open_page, link):
    page = open_page(link=link)
    page.wait_for_timeout(1000)
    fill(page, "#candidate", "It is a guide")
    fill(page, "#references", "It is a guide")
    score_of(page, "#sentence-score", 100)
    assert page.locator(".bleu-page img").count() == 0


@pytest.mark.slow
def test_a_restart_of_the_server_deletes_uploads_and_loses_no_text(browser, tmp_path):
    """By SIGTERM, as the Hub stops a Space: with a page open, and with an upload that was interrupted."""
    page = browser.new_page()
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    (tmp_path / "a.txt").write_text("a line\n")
    with serve_space(first) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        page.goto(address)
        tab(page, "Corpus")
        upload(page, "systems", tmp_path / "a.txt")
        assert kept(first) != []
        with begin_an_upload(port):
            deadline = time.monotonic() + 60
            while not begun(first) and time.monotonic() < deadline:
                page.wait_for_timeout(100)
            assert begun(first) != []
        tab(page, "Sentence")
        type_all(page)
        page.wait_for_function("location.hash.includes('max_order=3')")
    assert kept(first) == []
    with serve_space(second, port=port):
        page.reload()
        expect_all(page)
        fill(page, "#second", "")
        fill(page, "#candidate", TYPED["#references"].split("\n")[0])
        score_of(page, "#sentence-score", 100)
        page.close()  # for an open page, a server that ends waits for five seconds


def begin_an_upload(port):
    """Send the beginning of a file, and return the connection."""
    client = socket.create_connection(("127.0.0.1", port))
    head = b"POST /gradio_api/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n"
    kind = b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    part = b'--b\r\nContent-Disposition: form-data; name="files"; filename="cut.txt"\r\n\r\n'
    client.sendall(head + kind + part + b"a" * 500)
    return client


def kept(folder):
    return [path for path in (folder / "temporary").glob("bleu-*/**/*") if path.is_file()]


def begun(folder):
    """Return the files of uploads that have not ended, which are in no folder of their own yet."""
    return [path for path in (folder / "temporary").glob("bleu-*/*") if path.is_file()]
