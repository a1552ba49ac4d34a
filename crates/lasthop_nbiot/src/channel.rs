//! What becomes of a transmission: fading, channel estimation, interference.
