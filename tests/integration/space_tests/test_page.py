"""The page as a whole."""

import pytest

from .visitor import tab

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_telephone_shows_all_of_it(open_page, theme):
    """At 390 px nothing is wider than the window, and all tabs are in sight."""
    page = open_page(390, theme)
    for name in ("Sentence", "Corpus", "Systems", "Why?", "About"):
        tab(page, name)
        page.wait_for_timeout(300)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390, name
