"""The paths of a study: hops, their impairments, named links."""
