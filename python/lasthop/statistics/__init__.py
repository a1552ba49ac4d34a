"""Statistics over repetitions: estimates, intervals and comparisons. The unit is a repetition."""
