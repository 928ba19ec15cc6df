"""Put this folder on PYTHONPATH, and numba can't be imported: the readable definition runs instead."""

raise ImportError("numba is made unimportable for a test")
