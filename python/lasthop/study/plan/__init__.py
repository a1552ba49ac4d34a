"""A loaded study: its points, stacks, decision and planned runs."""
