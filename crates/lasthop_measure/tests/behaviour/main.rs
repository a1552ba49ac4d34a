//! Behaviour of the meter in a run of toy machines.

mod energy;
mod toys;
