"""Executes runs on Ray workers. The package `ray` is imported only on use."""
