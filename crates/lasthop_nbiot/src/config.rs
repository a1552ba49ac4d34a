//! The settings of a network, checked against the sets that 3GPP allows.
