//! QPACK integers with a prefix, and strings (RFC 9204 section 4.1).

use bytes::Bytes;

use super::huffman;

/// Why an integer or string cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// More bytes are needed.
    Short,
    /// The encoding is invalid, or the value is too large.
    Wrong,
}

/// Appends an integer. `first` has the bits before its prefix.
pub(super) fn write_integer(first: u8, prefix: u32, value: u64, into: &mut Vec<u8>) {
    let most = (1_u64 << prefix) - 1;
    if value < most {
        into.push(first | value as u8);
        return;
    }
    into.push(first | most as u8);
    let mut rest = value - most;
    while rest >= 128 {
        into.push(rest as u8 | 128);
        rest >>= 7;
    }
    into.push(rest as u8);
}

/// Reads an integer from the front.
pub(super) fn read_integer(bytes: &mut &[u8], prefix: u32) -> Result<u64, Unread> {
    let (first, mut rest) = bytes.split_first().ok_or(Unread::Short)?;
    let most = (1_u64 << prefix) - 1;
    let mut value = u64::from(*first) & most;
    if value == most {
        let mut shift = 0;
        loop {
            let (byte, behind) = rest.split_first().ok_or(Unread::Short)?;
            rest = behind;
            // Beyond 62 bits nobody has to follow (RFC 9204 section 4.1.1).
            if shift > 56 {
                return Err(Unread::Wrong);
            }
            value += u64::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                break;
            }
        }
    }
    *bytes = rest;
    Ok(value)
}

/// Appends a string in the shorter of its two forms, plain or Huffman.
pub(super) fn write_string(first: u8, prefix: u32, string: &[u8], into: &mut Vec<u8>) {
    let packed = huffman::length(string);
    if packed < string.len() {
        write_integer(first | 1 << prefix, prefix, packed as u64, into);
        huffman::encode(string, into);
    } else {
        write_integer(first, prefix, string.len() as u64, into);
        into.extend_from_slice(string);
    }
}

/// Reads a string of at most `most` bytes from the front.
pub(super) fn read_string(bytes: &mut &[u8], prefix: u32, most: usize) -> Result<Bytes, Unread> {
    let mut rest = *bytes;
    let is_packed = rest.first().is_some_and(|first| first >> prefix & 1 == 1);
    let length = read_integer(&mut rest, prefix)?;
    let length = usize::try_from(length).map_err(|_| Unread::Wrong)?;
    // The code at most halves and a bit more: what is longer is too long in any case.
    if length > most.saturating_mul(4) {
        return Err(Unread::Wrong);
    }
    let (string, behind) = rest.split_at_checked(length).ok_or(Unread::Short)?;
    let string = match is_packed {
        true => huffman::decode(string, most).ok_or(Unread::Wrong)?.into(),
        false if length > most => return Err(Unread::Wrong),
        false => Bytes::copy_from_slice(string),
    };
    *bytes = behind;
    Ok(string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_come_back_from_behind_any_prefix() {
        for prefix in 3..=8 {
            for value in [0, 1, 6, 7, 30, 31, 127, 128, 1337, 1 << 30, (1 << 62) - 1] {
                let mut written = Vec::new();
                write_integer(0, prefix, value, &mut written);
                for cut in 0..written.len() {
                    let short = read_integer(&mut &written[..cut], prefix);
                    assert_eq!(short, Err(Unread::Short));
                }
                assert_eq!(read_integer(&mut &written[..], prefix), Ok(value));
            }
        }
    }

    #[test]
    fn an_integer_that_does_not_end_is_none() {
        let endless = [0xff; 20];
        assert_eq!(read_integer(&mut &endless[..], 7), Err(Unread::Wrong));
    }
}
