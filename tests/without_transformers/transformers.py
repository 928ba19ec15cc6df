"""Put this folder on PYTHONPATH, and evaluate doesn't import transformers, which takes each process four seconds."""

raise ImportError("transformers is made unimportable for processes that only score")
