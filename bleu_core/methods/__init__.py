"""One file per public method, what several share, and the segments added before them."""
