"""From texts to statistics rows: batches and threads, kernels, tables."""
