"""Estimates from repetitions and their uncertainty. A repetition is the unit."""
