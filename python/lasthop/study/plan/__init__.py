"""A loaded study: its grid of points, its stacks, what decides, and the runs that follow."""
