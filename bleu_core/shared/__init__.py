"""What all folders use: arrays, messages, warnings, the types of results, pickling."""
