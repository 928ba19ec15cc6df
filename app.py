"""Launches the demo: `python app.py` locally, and as a Space on the Hub by README.md's header."""

import signal
import sys

from space.metric import warm_up
from space.page import LAUNCH, build_demo

demo = build_demo()  # gradio looks for this name in a Space

if __name__ == "__main__":
    # Without this, Python would end without deleting uploads.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Keystrokes need the GIL often, while a corpus is scored in other threads.
    sys.setswitchinterval(0.001)
    warm_up()
    demo.launch(**LAUNCH)
