"""One file per public method, and what collects segments before them."""
