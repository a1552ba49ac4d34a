"""The rules of a study, checked before its first run: one rule or subject a module."""
