use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;

use super::integer::{Unread, read_integer, write_integer, write_string};
use super::static_table::in_static_table;
use super::table::{Table, size_of};
use super::{QpackError, most_entries};

/// Encodes field sections, and maintains a dynamic table within the peer's limits.
///
/// What is said for the second time is inserted, and named from then on; nothing that the table lost is ever named.
#[derive(Debug)]
pub struct Encoder {
    table: Table,
    /// What it would use of the peer's room for a table.
    wanted: usize,
    /// The peer's room for a table, which numbers in sections are counted by.
    most_capacity: usize,
    /// How many streams may wait at the peer for entries that are on their way.
    most_blocked: usize,
    /// How many entries the peer has for certain.
    received: u64,
    /// The sections of each stream that the peer has not acknowledged: the oldest entry and how many entries it needs.
    sections: BTreeMap<u64, VecDeque<(u64, u64)>>,
    /// What was said of late, by its fingerprint: who takes one field for another inserts it too early, and no more.
    said: VecDeque<u64>,
    /// What came of an instruction that is not whole.
    partial: Vec<u8>,
    instructions: Vec<u8>,
    is_begun: bool,
}

/// An encoded field section, with the end of each field line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes for the stream of the section.
    pub section: Vec<u8>,
    /// The bytes for the encoder stream, sent before.
    pub instructions: Vec<u8>,
    /// The end of each field's line in the section, and of its instructions.
    pub ends: Vec<(usize, usize)>,
}

/// How a field goes.
enum Line {
    Static(usize),
    Dynamic(u64),
    NamedStatic(usize),
    NamedDynamic(u64),
    Literal,
}

/// A peer that acknowledges nothing is spoken to without a table from here on.
const MOST_UNACKNOWLEDGED: usize = 256;

/// Room for a section whose fields the table has.
const SECTION: usize = 64;

/// How many fields are remembered as said: those of some requests.
const REMEMBERED: usize = 64;

impl Encoder {
    /// Creates an encoder with a table of at most `wanted` bytes.
    #[must_use]
    pub fn new(wanted: usize) -> Self {
        Self {
            table: Table::default(),
            wanted,
            most_capacity: 0,
            most_blocked: 0,
            received: 0,
            sections: BTreeMap::new(),
            said: VecDeque::new(),
            partial: Vec::new(),
            instructions: Vec::new(),
            is_begun: false,
        }
    }

    /// Sets the peer's table capacity and its limit of blocked streams.
    pub fn allow(&mut self, most_capacity: usize, most_blocked: usize) {
        self.most_capacity = most_capacity;
        self.most_blocked = most_blocked;
        self.table.set_capacity(self.wanted.min(most_capacity));
    }

    /// Whether the table has capacity.
    #[must_use]
    pub fn has_table(&self) -> bool {
        self.table.capacity() > 0
    }

    /// Encodes the field lines of a stream. Each is marked as indexable or not.
    pub fn encode(&mut self, stream: u64, fields: &[(&[u8], &[u8], bool)]) -> Encoded {
        let mut encoded = Encoded {
            section: Vec::with_capacity(SECTION),
            ends: Vec::with_capacity(fields.len()),
            ..Encoded::default()
        };
        let may_block = self.may_block(stream);
        let (mut oldest, mut required) = (u64::MAX, 0);
        let mut lines = Vec::with_capacity(fields.len());
        for (name, value, is_remembered) in fields {
            let line = self.line(name, value, *is_remembered, may_block, oldest);
            if let Line::Dynamic(number) | Line::NamedDynamic(number) = line {
                oldest = oldest.min(number);
                required = required.max(number + 1);
            }
            lines.push((line, self.instructions.len()));
        }
        let into = &mut encoded.section;
        self.write_prefix(required, into);
        for ((line, end), (name, value, is_remembered)) in lines.into_iter().zip(fields) {
            let never = u8::from(!is_remembered);
            match line {
                Line::Static(index) => write_integer(192, 6, index as u64, into),
                Line::Dynamic(number) => write_integer(128, 6, required - 1 - number, into),
                Line::NamedStatic(index) => {
                    write_integer(80 | never << 5, 4, index as u64, into);
                    write_string(0, 7, value, into);
                }
                Line::NamedDynamic(number) => {
                    write_integer(64 | never << 5, 4, required - 1 - number, into);
                    write_string(0, 7, value, into);
                }
                Line::Literal => {
                    write_string(32 | never << 4, 3, name, into);
                    write_string(0, 7, value, into);
                }
            }
            encoded.ends.push((into.len(), end));
        }
        if required > 0 {
            let sections = self.sections.entry(stream).or_default();
            sections.push_back((oldest, required));
        }
        encoded.instructions = core::mem::take(&mut self.instructions);
        encoded
    }

    /// Whether a section of this stream may need entries that the peer may not have yet.
    fn may_block(&self, stream: u64) -> bool {
        let blocks = |sections: &VecDeque<(u64, u64)>| {
            let mut sections = sections.iter();
            sections.any(|(_, required)| *required > self.received)
        };
        if self.sections.get(&stream).is_some_and(blocks) {
            return true;
        }
        let blocked = self.sections.values().filter(|it| blocks(it)).count();
        blocked < self.most_blocked
    }

    /// How a field goes; what it needs of the table is inserted. Nothing from `oldest` on may be lost by that.
    fn line(
        &mut self,
        name: &[u8],
        value: &[u8],
        is_remembered: bool,
        may_block: bool,
        oldest: u64,
    ) -> Line {
        let (named, whole) = in_static_table(name, value);
        if let Some(index) = whole {
            return Line::Static(index);
        }
        if is_remembered && self.sections.len() < MOST_UNACKNOWLEDGED {
            let found = self.table.find(name, value);
            let usable = |number| may_block || number < self.received;
            let is_usable = found.is_some_and(usable);
            match found {
                Some(number) if is_usable => return Line::Dynamic(number),
                Some(_) => {}
                None if self.was_said(name, value) => {
                    let inserted = self.insert(name, value, named, oldest);
                    if let Some(number) = inserted.filter(|_| may_block) {
                        return Line::Dynamic(number);
                    }
                }
                None => {}
            }
        }
        if let Some(index) = named {
            return Line::NamedStatic(index);
        }
        let mut entries = self.table.youngest_first();
        let known = entries.find(|(number, field)| field.0 == name && *number < self.received);
        known.map_or(Line::Literal, |(number, _)| Line::NamedDynamic(number))
    }

    /// Whether a field was said before; from now on it was.
    fn was_said(&mut self, name: &[u8], value: &[u8]) -> bool {
        if self.wanted == 0 {
            return false;
        }
        let fingerprint = fingerprint_of(name, value);
        let was_said = self.said.contains(&fingerprint);
        if !was_said {
            if self.said.len() == REMEMBERED {
                self.said.pop_front();
            }
            self.said.push_back(fingerprint);
        }
        was_said
    }

    /// Inserts a field where there is room without what is still needed; gives its number.
    fn insert(
        &mut self,
        name: &[u8],
        value: &[u8],
        named: Option<usize>,
        oldest: u64,
    ) -> Option<u64> {
        let evicted = self.table.evictions_for(size_of(name, value))?;
        let sections = self.sections.values().flatten();
        let needed = sections.map(|(oldest, _)| *oldest).chain([oldest]).min();
        // What the peer may not have yet stays, too (RFC 9204 section 2.1.1).
        let stays = needed.unwrap_or(u64::MAX).min(self.received);
        if evicted > 0 && self.table.oldest() + evicted as u64 > stays {
            return None;
        }
        if !core::mem::replace(&mut self.is_begun, true) {
            let capacity = self.table.capacity() as u64;
            write_integer(32, 5, capacity, &mut self.instructions);
        }
        match named {
            Some(index) => write_integer(192, 6, index as u64, &mut self.instructions),
            None => write_string(64, 5, name, &mut self.instructions),
        }
        write_string(0, 7, value, &mut self.instructions);
        let number = self.table.inserted();
        let [name, value] = [name, value].map(Bytes::copy_from_slice);
        self.table.insert(name, value);
        Some(number)
    }

    /// RFC 9204 section 4.5.1: the base is what is required.
    fn write_prefix(&self, required: u64, into: &mut Vec<u8>) {
        let encoded = match required {
            0 => 0,
            _ => required % (2 * most_entries(self.most_capacity)) + 1,
        };
        write_integer(0, 8, encoded, into);
        into.push(0);
    }

    /// Processes bytes of the peer's decoder stream (RFC 9204 section 4.4).
    ///
    /// # Errors
    /// When it makes no sense.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), QpackError> {
        let mut all = core::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while let Some(first) = rest.first() {
            let before = rest;
            let prefix = if first & 128 != 0 { 7 } else { 6 };
            let value = match read_integer(&mut rest, prefix) {
                Ok(value) => value,
                Err(Unread::Short) => {
                    self.partial = before.to_vec();
                    return Ok(());
                }
                Err(Unread::Wrong) => return Err(QpackError::DecoderStream),
            };
            let is_sound = match first & 0b1100_0000 {
                0 => self.increment(value),
                64 => {
                    self.sections.remove(&value);
                    true
                }
                _ => self.acknowledge(value),
            };
            is_sound.then_some(()).ok_or(QpackError::DecoderStream)?;
        }
        Ok(())
    }

    fn increment(&mut self, by: u64) -> bool {
        let received = self.received.checked_add(by);
        let Some(received) = received.filter(|it| by > 0 && *it <= self.table.inserted()) else {
            return false;
        };
        self.received = received;
        true
    }

    fn acknowledge(&mut self, stream: u64) -> bool {
        let Some(sections) = self.sections.get_mut(&stream) else {
            return false;
        };
        let section = sections.pop_front();
        if sections.is_empty() {
            self.sections.remove(&stream);
        }
        let required = section.map_or(0, |(_, required)| required);
        self.received = self.received.max(required);
        section.is_some()
    }
}

/// FNV-1a of a field, name and value apart.
fn fingerprint_of(name: &[u8], value: &[u8]) -> u64 {
    let bytes = name.iter().chain(&[0]).chain(value);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
