"""Paths of a study: hops, their impairments and named links."""
