"""Who says what to whom, and when."""
