"""Runs on the workers of Ray; nothing here imports the package `ray` before it is asked for."""
