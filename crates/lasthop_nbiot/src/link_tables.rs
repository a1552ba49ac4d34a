//! Block error rates over Es/N0 on the AWGN channel, from the committed tables.
