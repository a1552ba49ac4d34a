"""Text of a study: YAML with the position of every value, and errors that name it."""
