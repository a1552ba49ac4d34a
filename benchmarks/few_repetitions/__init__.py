"""How often the comparison of two arms is wrong, and how often it sees what is there."""
