"""Multiverses: studies whose arms and sweeps are the readings that another study leaves open."""
