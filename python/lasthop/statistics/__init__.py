"""What repetitions say and how far they can be trusted; a repetition is the unit."""
