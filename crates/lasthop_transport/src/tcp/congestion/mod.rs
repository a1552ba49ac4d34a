//! The congestion window: how it grows, shrinks and rests.

mod cubic;
mod law;
mod window;

pub use law::{CongestionLaw, OwnLaw};
pub(crate) use window::{Acked, CongestionWindow, Usage};
