//! The congestion window: how it grows, shrinks and rests.

mod cubic;
mod window;

pub(crate) use window::{Acked, CongestionWindow, Usage};
