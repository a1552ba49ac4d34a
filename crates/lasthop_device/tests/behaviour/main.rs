//! Behaviour of the energy account and of batteries.

mod account;
mod battery;
mod profile;
mod published;
