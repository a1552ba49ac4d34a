"""Campaigns: execute all runs of a study on all cores."""
