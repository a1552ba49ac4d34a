"""Campaigns: every run of a study, on all cores, once."""
