"""Studies that are written from a few answers, and shipped ones to begin with."""
