//! RLC, PDCP and the MAC data units.
