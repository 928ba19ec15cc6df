"""Launches the page: `python app.py` here, and README.md's header as a Space on the Hub."""

from space.html import STYLE
from space.limits import FILE_MEGABYTES
from space.metric import warm_up
from space.page import STYLE_SHEET, THEME, page

if __name__ == "__main__":
    warm_up()
    page().launch(
        max_file_size=f"{FILE_MEGABYTES}mb",
        theme=THEME,
        css=STYLE,
        css_paths=STYLE_SHEET,
        ssr_mode=False,
        footer_links=["api"],
    )
