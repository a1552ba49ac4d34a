"""Files of a released version, which later versions must read."""
