"""Launches the demo: `python app.py` locally, and as a Space on the Hub by the header of README.md."""

import signal

from space.metric import warm_up
from space.page import LAUNCH, build_demo

demo = build_demo()  # gradio looks for this name in a Space

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # without it, Python would end without deleting uploads
    warm_up()
    demo.launch(**LAUNCH)
