"""Put this folder on PYTHONPATH, and numba can't be imported: the Python implementations run."""

raise ImportError("numba is made unimportable for a test")
