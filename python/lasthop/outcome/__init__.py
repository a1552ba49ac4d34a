"""Results of a study read back: tables, short answer and test cases for CI."""
