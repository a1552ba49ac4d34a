"""The version of lasthop. This module imports nothing else."""

__version__ = "0.1.0"
