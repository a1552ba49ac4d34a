"""The two forms of a study, as pydantic models: each key, its type, its default and its help."""
