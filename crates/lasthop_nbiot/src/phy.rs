//! Time and resources: subframes, search spaces, transport blocks, repetitions.
