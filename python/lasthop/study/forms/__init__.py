"""Pydantic models of both forms of a study: keys, types, defaults and descriptions."""
