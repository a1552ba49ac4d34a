//! The base station of a cell: random access, scheduling, HARQ.
