"""How certain a score or a difference is: units, resamples, tests, intervals."""
