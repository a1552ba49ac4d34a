"""The version of lasthop, alone in its file so that nothing else is imported with it."""

__version__ = "0.1.0"
