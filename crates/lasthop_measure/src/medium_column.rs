use crate::tables::Table;

/// A column that a medium tells of a run: how busy its channel was, how many frames met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediumColumn {
    /// As in `runs.parquet`, with its unit behind.
    pub name: &'static str,
    /// Its value over the whole run.
    pub value: MediumValue,
}

/// What a medium tells; nothing where no path has it, or where there is nothing to divide by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MediumValue {
    /// How often something happened.
    Count(Option<u64>),
    /// A number in a unit, as `s` and `fraction`.
    Number(&'static str, Option<f64>),
}

impl MediumColumn {
    /// How often something happened.
    #[must_use]
    pub const fn count(name: &'static str, count: Option<u64>) -> Self {
        Self {
            name,
            value: MediumValue::Count(count),
        }
    }

    /// A number in a unit.
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
