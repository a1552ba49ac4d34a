"""Checks of a study before its first run. Each module has one rule or subject."""
