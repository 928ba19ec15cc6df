"""Why two scores differ: published scores, settings of tools, the search."""
