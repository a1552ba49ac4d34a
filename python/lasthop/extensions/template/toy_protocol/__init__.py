"""Example extension with a stack of its own in `toy_protocol._native`."""
