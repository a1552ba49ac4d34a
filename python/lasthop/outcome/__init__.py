"""The outcome of a study: its results read back, its short answer, its test cases for CI."""
