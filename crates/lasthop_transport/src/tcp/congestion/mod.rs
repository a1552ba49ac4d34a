//! The congestion window: growth, reduction and restart after idle time.

mod cubic;
mod law;
mod window;

pub use law::{CongestionLaw, OwnLaw};
pub(crate) use window::{Acked, CongestionWindow, Usage};
