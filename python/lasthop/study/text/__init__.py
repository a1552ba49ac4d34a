"""The text of a study: YAML with the place of every value, and errors that point at one."""
