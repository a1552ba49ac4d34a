use lasthop_contract::{Cause, Layer, Span};

/// Bytes by layer and cause. Memory is used only for non-zero amounts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    rows: Vec<AccountRow>,
}

/// Bytes of one layer and cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountRow {
    /// The layer that sent the bytes.
    pub layer: Layer,
    /// The purpose of the bytes.
    pub cause: Cause,
    /// The number of bytes.
    pub bytes: u64,
}

impl Account {
    /// Adds the bytes of spans.
    pub fn add(&mut self, spans: &[Span]) {
        for span in spans {
            let (layer, cause) = (span.provenance.layer, span.provenance.cause);
            let bytes = u64::from(span.length);
            let is_it = |row: &&mut AccountRow| (row.layer, row.cause) == (layer, cause);
            match self.rows.iter_mut().find(is_it) {
                Some(row) => row.bytes += bytes,
                None => self.rows.push(AccountRow {
                    layer,
                    cause,
                    bytes,
                }),
            }
        }
    }

    /// Returns the non-zero amounts by layer and cause.
    #[must_use]
    pub fn rows(&self) -> Vec<AccountRow> {
        let mut rows = self.rows.clone();
        rows.sort_unstable();
        rows
    }

    /// Returns the number of all bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.bytes).sum()
    }

    /// Returns the bytes of a cause over all layers.
    #[must_use]
    pub fn of_cause(&self, cause: Cause) -> u64 {
        let rows = self.rows.iter().filter(|row| row.cause == cause);
        rows.map(|row| row.bytes).sum()
    }
}
