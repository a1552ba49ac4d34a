use core::fmt::Debug;
use std::path::Path;

use lasthop_gateway::{Attaches, Kind};

use super::GatewayError;

/// A connection to a gateway's database, either SQLite in a folder or a PostgreSQL server. Both have the same tables
/// and use the same SQL statements, with values `$1`, `$2` in order of appearance.
///
/// Devices with their keys (PEM, one behind the other); what they are to be like; what they said; who has read how far; what
/// was changed, for a server that runs; and which devices may speak for which.
pub(super) trait Database: Debug + Send {
    /// What a question finds.
    fn rows(&mut self, query: &str, values: &[Value<'_>]) -> Result<Vec<Row>, GatewayError>;

    /// Changes something; how many rows.
    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, GatewayError>;

    /// Begins a change of several steps, of which there is one at a time, whoever makes it.
    fn begin(&mut self) -> Result<(), GatewayError>;

    /// Ends it, and has a server that runs look what it was.
    fn commit_and_tell(&mut self) -> Result<(), GatewayError>;

    /// Undoes it.
    fn roll_back(&mut self);

    /// Writes messages behind those that are there: all, durably, or none.
    fn append(&mut self, messages: &[Message]) -> Result<(), GatewayError>;

    /// Copies the whole database, as it is at one moment, into a new file for its owner alone.
    fn back_up(&mut self, file: &Path) -> Result<(), GatewayError>;

    /// Releases what was kept back for the time when the disk is full; whether there was something.
    fn make_room(&mut self) -> Result<bool, GatewayError> {
        Ok(false)
    }

    /// Gives back to the disk what was removed, and keeps something back for the next time; whether there was room for that,
    /// where it is done here.
    fn give_back(&mut self) -> Result<Option<bool>, GatewayError> {
        Ok(None)
    }

    /// Whether a server has this database.
    fn is_served(&mut self) -> Result<bool, GatewayError>;

    /// Waits a second at most until somebody has changed something, perhaps; whether that is so.
    fn await_news(&mut self) -> Result<bool, GatewayError>;
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Text(&'a str),
    OptionalText(Option<&'a str>),
    Number(i64),
    Bytes(&'a [u8]),
}

/// A row of a result.
#[derive(Debug)]
pub(super) struct Row {
    cells: Vec<Cell>,
}

/// The value of a column in a row.
#[derive(Debug)]
pub(super) enum Cell {
    Nothing,
    Text(String),
    Number(i64),
    Bytes(Vec<u8>),
}

/// A message to be written to the database.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) device: Box<str>,
    pub(super) at: i64,
    pub(super) kind: Kind,
    pub(super) folder: Box<str>,
    pub(super) payload: Box<[u8]>,
}

impl Row {
    pub(super) const fn new(cells: Vec<Cell>) -> Self {
        Self { cells }
    }

    /// Returns the text of a column, which can be taken once.
    pub(super) fn text(&mut self, column: usize) -> String {
        self.optional_text(column).unwrap_or_default()
    }

    pub(super) fn optional_text(&mut self, column: usize) -> Option<String> {
        match self.take(column) {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&mut self, column: usize) -> i64 {
        match self.take(column) {
            Cell::Number(number) => number,
            _ => 0,
        }
    }

    pub(super) fn bytes(&mut self, column: usize) -> Vec<u8> {
        match self.take(column) {
            Cell::Bytes(bytes) => bytes,
            _ => Vec::new(),
        }
    }

    fn take(&mut self, column: usize) -> Cell {
        let cell = self.cells.get_mut(column);
        debug_assert!(cell.is_some(), "no question has column {column}");
        cell.map_or(Cell::Nothing, |cell| {
            core::mem::replace(cell, Cell::Nothing)
        })
    }
}

/// Returns which devices a device may attach, from the stored form.
pub(super) fn attaches_of(name: Option<String>) -> Option<Attaches> {
    let name = name?;
    Attaches::ALL.into_iter().find(|it| it.name() == name)
}
