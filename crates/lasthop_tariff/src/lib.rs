//! The cost of data: which part of packets a tariff counts, how it rounds, and the cost of a SIM in a year.
//!
//! A [`Usage`] takes the packets of one SIM and gives a [`Month`]; a [`Tariff`] makes the cost of a year out of it.
//!
//! ```
//! use lasthop_tariff::{DataPlan, Rounding, RoundingUnit, Tariff, Usage};
//! use lasthop_units::Duration;
//!
//! let plan = DataPlan {
//!     rounding: Some(Rounding { step: 1000, minimum: 0, per: RoundingUnit::Session }),
//!     record: Some(Duration::from_secs(24 * 3600)),
//!     price_per_byte: 0.40 / 1e6,
//!     ..DataPlan::default()
//! };
//! let mut usage = Usage::default();
//! for hour in 0..48 {
//!     usage.add(&plan, Duration::from_secs(3600 * hour), 160);
//! }
//! let month = usage.month(&plan, Duration::from_secs(48 * 3600));
//! // 24 x 160 B = 3,840 B a day are 4,000 B.
//! assert!((month.billed_bytes - 30.4375 * 4000.0).abs() < 1e-6);
//! let tariff = Tariff { fee_per_year: 12.0, data: Some(plan), cloud: None };
//! assert!((tariff.cost_per_year(&month) - 12.5844).abs() < 1e-4);
//! ```

mod cloud;
mod data_plan;
mod tariff;
mod usage;

pub use cloud::{CloudPlan, CloudUsage, MeteredMessage};
pub use data_plan::{DataPlan, Prepaid, Rounding, RoundingUnit};
pub use tariff::{CostParts, Month, Tariff};
pub use usage::Usage;

use lasthop_units::Duration;

/// A twelfth of a year of 365.25 days.
pub const MONTH: Duration = Duration::from_secs(2_629_800);

/// The number of months in a year.
pub(crate) const MONTHS: f64 = 12.0;
