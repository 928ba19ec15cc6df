"""What is scored: any container of texts becomes a corpus; labels, documents and systems."""
