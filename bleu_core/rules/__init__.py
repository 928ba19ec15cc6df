"""The rules of BLEU, to be read beside the papers: tokenizers, counting, scoring, smoothing."""
