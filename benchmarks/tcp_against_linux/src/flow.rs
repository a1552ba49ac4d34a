use core::str::FromStr;

use lasthop_link::DuplexLink;
use serde_json::{Value, json};

use crate::Cell;

/// One connection of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Under which conditions.
    pub cell: Cell,
    /// Which one of its cell.
    pub number: u16,
}

const FIRST_PORT: u16 = 10_000;

impl Flow {
    /// The port of all servers.
    pub const SERVER_PORT: u16 = 7000;

    const LAST_NUMBER: u16 = (u16::MAX - FIRST_PORT) / Cell::COUNT - 1;

    /// The flow of a client at this port.
    #[must_use]
    pub fn at_port(port: u16) -> Option<Self> {
        let place = port.checked_sub(FIRST_PORT)?;
        Some(Self {
            cell: Cell::at(place % Cell::COUNT)?,
            number: place / Cell::COUNT,
        })
    }

    /// The port of its client.
    #[must_use]
    pub fn port(&self) -> u16 {
        FIRST_PORT + self.number * Cell::COUNT + self.cell.index
    }

    /// What stands in a report: this flow, and these values.
    #[must_use]
    pub fn record(&self, values: &Value) -> Value {
        let mut record = json!({ "cell": self.cell.index, "flow": self.number });
        if let (Some(record), Some(values)) = (record.as_object_mut(), values.as_object()) {
            record.extend(values.clone());
        }
        record
    }

    /// Its path. Which packets are lost depends on the seed, the flow, the direction and the packet's place in it.
    #[must_use]
    pub fn link(&self, seed: u64) -> DuplexLink {
        let prefix = format!("cell/{}/flow/{}", self.cell.index, self.number);
        DuplexLink::new(&self.cell.path(), seed, &prefix)
    }
}

/// Reads the numbers of its cell and of itself, as in `3 17`.
impl FromStr for Flow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().map(str::parse);
        let (Some(Ok(cell)), Some(Ok(number)), None) = (words.next(), words.next(), words.next())
        else {
            return Err(format!("{text:?} is not the numbers of a cell and a flow"));
        };
        let cell = Cell::at(cell).ok_or_else(|| format!("there is no cell {cell}"))?;
        if number > Self::LAST_NUMBER {
            return Err(format!("there is no port for flow {number}"));
        }
        Ok(Self { cell, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_says_which_flow() {
        for port in FIRST_PORT..60_000 {
            assert_eq!(Flow::at_port(port).map(|flow| flow.port()), Some(port));
        }
        assert_eq!(Flow::at_port(FIRST_PORT - 1), None);
    }
}
