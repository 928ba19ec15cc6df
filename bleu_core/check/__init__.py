"""Whether the input is what was meant: damages, measurements, rows that moved."""
