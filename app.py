"""Launches the demo: `python app.py` locally, and as a Space on the Hub by the header of README.md."""

from space.metric import warm_up
from space.page import LAUNCH, build_demo

demo = build_demo()  # gradio looks for this name in a Space

if __name__ == "__main__":
    warm_up()
    demo.launch(**LAUNCH)
