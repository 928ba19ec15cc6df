"""The demo of the metric, and its endpoints for programs; `app.py` launches it.

docs/design.md lists the modules from top to bottom. Importing the package itself loads no module.
"""
