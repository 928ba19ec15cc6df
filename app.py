"""Launches the page: `python app.py` here, and README.md's header as a Space on the Hub."""

from space.metric import warm_up
from space.page import LAUNCH, page

if __name__ == "__main__":
    warm_up()
    page().launch(**LAUNCH)
