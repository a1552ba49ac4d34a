use core::fmt::{Debug, Display};
use core::ops::RangeInclusive;

use thiserror::Error;

/// An error in the configuration of an NB-IoT network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} {problem}")]
pub struct ConfigError {
    /// The path of the field, for example `levels[1].nprach.period_ms`.
    pub field: String,
    /// The problem, with the table that defines the allowed values.
    pub problem: String,
}

impl ConfigError {
    pub(super) fn new(field: &str, problem: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    /// The same error seen from the struct that holds the field's struct.
    pub(super) fn under(self, parent: &str) -> Self {
        Self {
            field: format!("{parent}.{}", self.field),
            problem: self.problem,
        }
    }
}

/// Powers of two up to 128: NPRACH, NPUSCH and its format 2.
pub(super) const UPLINK_REPETITIONS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// TS 36.213 table 16.4.1.3-2.
pub(super) const NPDSCH_REPETITIONS: [u16; 16] = [
    1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
];
/// TS 36.331 `npdcch-NumRepetitions`.
pub(super) const NPDCCH_RMAX: [u16; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

/// The value is one of a set.
pub(super) fn one_of<T: PartialEq + Display>(
    field: &str,
    value: T,
    allowed: &[T],
    table: &str,
    unit: &str,
) -> Result<(), ConfigError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let set = allowed
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    let unit = spaced(unit);
    Err(ConfigError::new(
        field,
        format!("is {value}{unit}; {table} allows {set}{unit}"),
    ))
}

/// Each value is one of a set, and there is one.
pub(super) fn all_of<T: PartialEq + Display + Copy>(
    field: &str,
    values: &[T],
    allowed: &[T],
    table: &str,
) -> Result<(), ConfigError> {
    if values.is_empty() {
        return Err(ConfigError::new(
            field,
            format!("is empty; name at least one value of {table}"),
        ));
    }
    for value in values {
        one_of(field, *value, allowed, table, "")?;
    }
    Ok(())
}

/// The real value is within bounds; not-a-number is not.
pub(super) fn within(
    field: &str,
    value: f64,
    bounds: RangeInclusive<f64>,
    table: &str,
    unit: &str,
) -> Result<(), ConfigError> {
    range(field, value, bounds, table, unit)
}

/// The whole number is within bounds.
pub(super) fn integer_within(
    field: &str,
    value: u64,
    bounds: RangeInclusive<u64>,
    table: &str,
    unit: &str,
) -> Result<(), ConfigError> {
    range(field, value, bounds, table, unit)
}

fn range<T: PartialOrd + Display + Debug>(
    field: &str,
    value: T,
    bounds: RangeInclusive<T>,
    table: &str,
    unit: &str,
) -> Result<(), ConfigError> {
    if bounds.contains(&value) {
        return Ok(());
    }
    let unit = spaced(unit);
    Err(ConfigError::new(
        field,
        format!(
            "is {value}{unit}; {table} allows {} to {}{unit}",
            bounds.start(),
            bounds.end()
        ),
    ))
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    }
}
