use core::ops::Range;

use smallvec::SmallVec;

use super::MessageError;

/// Whether an option is critical: a receiver that does not support it must reject the message (RFC 7252 section 5.4.1).
#[must_use]
pub const fn is_critical(number: u16) -> bool {
    number & 1 == 1
}

/// The byte that ends the options and begins the payload (RFC 7252 section 3).
pub(crate) const PAYLOAD_MARKER: u8 = 0xff;

/// Iterates over the options of a message in order, as numbers and values.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    rest: &'a [u8],
    number: u16,
}

impl<'a> Options<'a> {
    /// Creates an iterator over bytes that [`read_all`] has validated.
    pub(crate) const fn of(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            number: 0,
        }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = (u16, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let option = read(self.rest, self.number).ok()??;
        let value = &self.rest[option.value.clone()];
        self.rest = &self.rest[option.value.end..];
        self.number = option.number;
        Some((option.number, value))
    }
}

struct OptionPlace {
    number: u16,
    value: Range<usize>,
}

/// Reads the option at the start of `bytes`; `None` at the payload marker or the end.
#[inline]
fn read(bytes: &[u8], before: u16) -> Result<Option<OptionPlace>, MessageError> {
    let Some(&first) = bytes.first() else {
        return Ok(None);
    };
    if first == PAYLOAD_MARKER {
        return Ok(None);
    }
    let (delta, place) = extended(bytes, first >> 4, 1)?;
    let (length, place) = extended(bytes, first & 15, place)?;
    let number =
        u16::try_from(u32::from(before) + delta).map_err(|_| MessageError::OptionNumber)?;
    let value = place..place + length as usize;
    if value.end > bytes.len() {
        return Err(MessageError::OptionPastEnd);
    }
    Ok(Some(OptionPlace { number, value }))
}

/// A delta or length of four bits with what extends it, and the place behind (RFC 7252 section 3.1).
#[inline]
fn extended(bytes: &[u8], nibble: u8, place: usize) -> Result<(u32, usize), MessageError> {
    match nibble {
        0..=12 => Ok((u32::from(nibble), place)),
        13 => match bytes.get(place) {
            Some(&byte) => Ok((u32::from(byte) + 13, place + 1)),
            None => Err(MessageError::OptionPastEnd),
        },
        14 => match bytes.get(place..place + 2) {
            Some(&[high, low]) => Ok((u32::from(u16::from_be_bytes([high, low])) + 269, place + 2)),
            _ => Err(MessageError::OptionPastEnd),
        },
        _ => Err(MessageError::ReservedNibble),
    }
}

/// Validates all options. Returns where they end and where the payload begins.
///
/// # Errors
/// For options that are not well-formed, and for a marker with no payload behind it.
#[inline]
pub(crate) fn read_all(
    bytes: &[u8],
    mut note: impl FnMut(u16, &[u8]),
) -> Result<(usize, usize), MessageError> {
    let (mut place, mut number) = (0, 0);
    while let Some(option) = read(&bytes[place..], number)? {
        let value = place + option.value.start..place + option.value.end;
        place = value.end;
        number = option.number;
        note(number, &bytes[value]);
    }
    if place == bytes.len() {
        Ok((place, place))
    } else if place + 1 == bytes.len() {
        Err(MessageError::EmptyPayload)
    } else {
        Ok((place, place + 1))
    }
}

/// The bytes before a payload. They usually fit without an allocation.
pub(crate) type Head = SmallVec<[u8; 64]>;

/// Writes options in ascending order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct OptionWriter {
    bytes: Head,
    number: u16,
}

impl OptionWriter {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds an option. Option numbers must not decrease.
    pub(crate) fn add(&mut self, number: u16, value: &[u8]) -> &mut Self {
        debug_assert!(number >= self.number, "options are in order");
        let (delta, delta_more) = nibble(usize::from(number - self.number));
        let (length, length_more) = nibble(value.len());
        self.bytes.push(delta << 4 | length);
        self.bytes.extend_from_slice(&delta_more);
        self.bytes.extend_from_slice(&length_more);
        self.bytes.extend_from_slice(value);
        self.number = number;
        self
    }

    /// Adds an unsigned integer in its shortest form (RFC 7252 section 3.2).
    pub(crate) fn add_number(&mut self, number: u16, value: u32) -> &mut Self {
        let bytes = value.to_be_bytes();
        let zeros = value.leading_zeros() as usize / 8;
        self.add(number, &bytes[zeros..])
    }

    /// Adds a path as one option for each segment.
    pub(crate) fn add_path(&mut self, number: u16, path: &str) -> &mut Self {
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            self.add(number, segment.as_bytes());
        }
        self
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Four bits and what extends them. A value is at most 65,804 long (RFC 7252 section 3.1).
fn nibble(value: usize) -> (u8, SmallVec<[u8; 2]>) {
    match value {
        0..=12 => (value as u8, SmallVec::new()),
        13..=268 => (13, SmallVec::from_slice(&[(value - 13) as u8])),
        _ => (
            14,
            SmallVec::from_slice(&((value - 269) as u16).to_be_bytes()),
        ),
    }
}

/// Returns the unsigned integer in an option of at most four bytes (RFC 7252 section 3.2). Leading zeros are allowed.
pub(crate) fn number_of(value: &[u8]) -> Option<u32> {
    (value.len() <= 4).then(|| {
        value
            .iter()
            .fold(0, |number, byte| number << 8 | u32::from(*byte))
    })
}
