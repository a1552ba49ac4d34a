//! Physical quantities as types. The type is the unit, and only meaningful operators exist.
//!
//! ```
//! use lasthop_units::{BitRate, DataSize, Duration};
//! let wait = DataSize::from_bytes(625) / BitRate::from_bits_per_second(50_000)?;
//! assert_eq!(wait, Duration::from_millis(100));
//! # Ok::<(), lasthop_units::QuantityError>(())
//! ```

mod bit_rate;
mod data_size;
mod decibel_milliwatts;
mod decibels;
mod duration;
mod energy;
mod instant;
mod power;
mod probability;

pub use bit_rate::BitRate;
pub use data_size::DataSize;
pub use decibel_milliwatts::DecibelMilliwatts;
pub use decibels::Decibels;
pub use duration::Duration;
pub use energy::Energy;
pub use instant::Instant;
pub use power::Power;
pub use probability::Probability;

/// Why a number is not a valid quantity.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum QuantityError {
    /// A probability outside 0 to 1, or not a number.
    #[error("{0} is no probability; it must be between 0 and 1")]
    NotAProbability(f64),
    /// A data rate of zero.
    #[error("a rate must be above 0 bit/s")]
    ZeroRate,
}
