"""The comparison of two result folders: what got better, worse, or stayed the same."""
