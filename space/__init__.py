"""The page that shows BLEU at work, and its endpoints for programs; `app.py` launches it.

The files stand in docs/design.md from top to bottom. Importing the package itself loads nothing.
"""
