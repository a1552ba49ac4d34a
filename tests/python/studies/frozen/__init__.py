"""Results that do not move: what the shipped studies gave, as digests to hold new runs against."""
