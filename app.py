"""Launches the demo: `python app.py` locally, and as a Space on the Hub by the header of README.md."""

import signal
import sys

from space.metric import warm_up
from space.page import LAUNCH, build_demo

demo = build_demo()  # gradio looks for this name in a Space

if __name__ == "__main__":
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # without it, Python would end without deleting uploads
    sys.setswitchinterval(
        0.001
    )  # keystrokes need the GIL often, while a corpus is scored in other threads
    warm_up()
    demo.launch(**LAUNCH)
