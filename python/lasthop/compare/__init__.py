"""Two result folders held against each other: what got better, worse, or stayed the same."""
