"""Tests of the study file: reading, checking, resolving."""
