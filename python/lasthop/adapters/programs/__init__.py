"""Servers that are made with a library, as programs of their own."""
