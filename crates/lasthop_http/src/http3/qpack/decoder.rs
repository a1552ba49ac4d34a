use bytes::Bytes;

use super::integer::{Unread, read_integer, read_string, write_integer};
use super::static_table::STATIC_TABLE;
use super::table::{Field, Table, size_of};
use super::{QpackError, most_entries};

/// Decodes a peer's field sections and maintains the dynamic table of its encoder.
#[derive(Debug)]
pub struct Decoder {
    table: Table,
    /// What the peer was told that its table may take, and how much a section may.
    most_capacity: usize,
    most_section: usize,
    /// What came of an instruction that is not whole.
    partial: Vec<u8>,
    /// What the encoder knows to have come.
    told: u64,
    /// What it is to be told next.
    instructions: Vec<u8>,
}

/// Room for the fields of a section, most of which have no more.
const FIELDS: usize = 8;

/// The result of decoding a field section.
#[derive(Debug, PartialEq, Eq)]
pub enum Decoded {
    /// The decoded field lines.
    Fields(Vec<Field>),
    /// The section needs table entries that have not arrived.
    Blocked,
    /// The field lines exceed the size limit.
    TooLarge,
}

/// What is left of a section, and what its numbers count from.
struct Section<'a> {
    rest: &'a [u8],
    base: u64,
    required: u64,
}

impl Decoder {
    /// Creates a decoder with limits on the peer's table and sections, in bytes.
    #[must_use]
    pub fn new(most_capacity: usize, most_section: usize) -> Self {
        Self {
            table: Table::default(),
            most_capacity,
            most_section,
            partial: Vec::new(),
            told: 0,
            instructions: Vec::new(),
        }
    }

    /// Processes bytes of the peer's encoder stream.
    ///
    /// # Errors
    /// When it makes no sense.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), QpackError> {
        let mut all = core::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while !rest.is_empty() {
            let before = rest;
            match self.instruction(&mut rest) {
                Ok(()) => {}
                Err(Unread::Short) => {
                    self.partial = before.to_vec();
                    break;
                }
                Err(Unread::Wrong) => return Err(QpackError::EncoderStream),
            }
        }
        Ok(())
    }

    /// RFC 9204 section 4.3.
    fn instruction(&mut self, rest: &mut &[u8]) -> Result<(), Unread> {
        let first = *rest.first().ok_or(Unread::Short)?;
        if first & 0b1110_0000 == 0b0010_0000 {
            let capacity = read_integer(rest, 5)?;
            let capacity = usize::try_from(capacity).map_err(|_| Unread::Wrong)?;
            if capacity > self.most_capacity {
                return Err(Unread::Wrong);
            }
            self.table.set_capacity(capacity);
            return Ok(());
        }
        let most = self.table.capacity();
        let (name, value) = if first & 128 != 0 {
            let index = read_integer(rest, 6)?;
            let name = match first & 64 {
                0 => self.relative(index)?.0.clone(),
                _ => static_field(index)?.0,
            };
            (name, read_string(rest, 7, most)?)
        } else if first & 64 != 0 {
            let name = read_string(rest, 5, most)?;
            (name, read_string(rest, 7, most)?)
        } else {
            let index = read_integer(rest, 5)?;
            self.relative(index)?.clone()
        };
        let has_room = self.table.insert(name, value);
        has_room.then_some(()).ok_or(Unread::Wrong)
    }

    fn relative(&self, index: u64) -> Result<&Field, Unread> {
        let number = self.table.inserted().checked_sub(1 + index);
        let field = number.and_then(|number| self.table.get(number));
        field.ok_or(Unread::Wrong)
    }

    /// Reads a field section of a stream.
    ///
    /// # Errors
    /// When it makes no sense.
    pub fn decode(&mut self, stream: u64, bytes: &[u8]) -> Result<Decoded, QpackError> {
        let wrong = |_| QpackError::Decompression;
        let mut section = self.prefix(bytes).map_err(wrong)?;
        if section.required > self.table.inserted() {
            return Ok(Decoded::Blocked);
        }
        let required = section.required;
        let (mut fields, mut size) = (Vec::with_capacity(FIELDS), 0);
        let mut needed = 0;
        while !section.rest.is_empty() {
            let field = self.line(&mut section, &mut needed).map_err(wrong)?;
            size += size_of(&field.0, &field.1);
            if size > self.most_section {
                break;
            }
            fields.push(field);
        }
        if required > 0 {
            // Section Acknowledgment (RFC 9204 section 4.4.1).
            write_integer(128, 7, stream, &mut self.instructions);
            self.told = self.told.max(required);
        }
        Ok(match size > self.most_section {
            true => Decoded::TooLarge,
            false if needed != required => return Err(QpackError::Decompression),
            false => Decoded::Fields(fields),
        })
    }

    /// RFC 9204 section 4.5.1.
    fn prefix<'a>(&self, bytes: &'a [u8]) -> Result<Section<'a>, Unread> {
        let mut rest = bytes;
        let encoded = read_integer(&mut rest, 8)?;
        let is_negative = rest.first().is_some_and(|first| first & 128 != 0);
        let delta = read_integer(&mut rest, 7)?;
        let required = match encoded {
            0 => 0,
            _ => self.required(encoded).ok_or(Unread::Wrong)?,
        };
        let base = match is_negative {
            true => required.checked_sub(delta + 1),
            false => required.checked_add(delta),
        };
        let base = base.ok_or(Unread::Wrong)?;
        Ok(Section {
            rest,
            base,
            required,
        })
    }

    /// RFC 9204 section 4.5.1.1.
    fn required(&self, encoded: u64) -> Option<u64> {
        let most_entries = most_entries(self.most_capacity);
        let full = 2 * most_entries;
        if encoded > full {
            return None;
        }
        let most = self.table.inserted() + most_entries;
        let mut required = most / full * full + encoded - 1;
        if required > most {
            required = required.checked_sub(full).filter(|it| *it > 0)?;
        }
        (required > 0).then_some(required)
    }

    /// RFC 9204 sections 4.5.2 to 4.5.6.
    fn line(&self, section: &mut Section<'_>, needed: &mut u64) -> Result<Field, Unread> {
        let first = *section.rest.first().ok_or(Unread::Short)?;
        let most = self.most_section;
        let rest = &mut section.rest;
        let (base, required) = (section.base, section.required);
        let mut dynamic = |number: Option<u64>| {
            let number = number.filter(|number| *number < required);
            *needed = number.map_or(*needed, |number| (number + 1).max(*needed));
            let field = number.and_then(|number| self.table.get(number));
            field.ok_or(Unread::Wrong)
        };
        let relative = |index: u64| base.checked_sub(index.checked_add(1)?);
        if first & 128 != 0 {
            let index = read_integer(rest, 6)?;
            return match first & 64 {
                0 => Ok(dynamic(relative(index))?.clone()),
                _ => static_field(index),
            };
        }
        let name = if first & 64 != 0 {
            let index = read_integer(rest, 4)?;
            match first & 16 {
                0 => dynamic(relative(index))?.0.clone(),
                _ => static_field(index)?.0,
            }
        } else if first & 32 != 0 {
            read_string(rest, 3, most)?
        } else if first & 16 != 0 {
            let index = read_integer(rest, 4)?;
            return Ok(dynamic(base.checked_add(index))?.clone());
        } else {
            let index = read_integer(rest, 3)?;
            dynamic(base.checked_add(index))?.0.clone()
        };
        Ok((name, read_string(rest, 7, most)?))
    }

    /// Cancels a stream with unread sections (RFC 9204 section 4.4.2).
    pub fn cancel(&mut self, stream: u64) {
        if self.most_capacity > 0 {
            write_integer(64, 6, stream, &mut self.instructions);
        }
    }

    /// Returns the instructions for the peer's encoder, which can wait for other data.
    pub fn instructions(&mut self) -> Vec<u8> {
        let untold = self.table.inserted() - self.told;
        if untold > 0 {
            // Insert Count Increment (RFC 9204 section 4.4.3).
            write_integer(0, 6, untold, &mut self.instructions);
            self.told = self.table.inserted();
        }
        core::mem::take(&mut self.instructions)
    }
}

fn static_field(index: u64) -> Result<Field, Unread> {
    let field = usize::try_from(index)
        .ok()
        .and_then(|it| STATIC_TABLE.get(it));
    let (name, value) = field.ok_or(Unread::Wrong)?;
    let known = |it: &'static str| Bytes::from_static(it.as_bytes());
    Ok((known(name), known(value)))
}
