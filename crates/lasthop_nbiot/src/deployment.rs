//! Where cells and devices are, and what the radio path between them attenuates.
