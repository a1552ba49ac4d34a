use crate::tables::Table;

/// A column that a medium adds to a run, for example how busy its channel was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediumColumn {
    /// The name in `runs.parquet`, with the unit as a suffix.
    pub name: &'static str,
    /// The value over the whole run.
    pub value: MediumValue,
}

/// A value of a medium column; `None` if no path has the medium or the divisor is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MediumValue {
    /// A number of events.
    Count(Option<u64>),
    /// A number in a unit, as `s` and `fraction`.
    Number(&'static str, Option<f64>),
}

impl MediumColumn {
    /// Creates a column with a number of events.
    #[must_use]
    pub const fn count(name: &'static str, count: Option<u64>) -> Self {
        Self {
            name,
            value: MediumValue::Count(count),
        }
    }

    /// Creates a column with a number in a unit.
    #[must_use]
    pub const fn number(name: &'static str, unit: &'static str, number: Option<f64>) -> Self {
        Self {
            name,
            value: MediumValue::Number(unit, number),
        }
    }

    pub(crate) fn add_to(self, table: &mut Table) {
        match self.value {
            MediumValue::Count(count) => {
                table.integers(self.name, None, core::iter::once(count));
            }
            MediumValue::Number(unit, number) => table.number(self.name, unit, number),
        }
    }
}

impl MediumValue {
    pub(crate) fn as_number(self) -> Option<f64> {
        match self {
            Self::Count(count) => count.map(|count| count as f64),
            Self::Number(_, number) => number,
        }
    }
}
