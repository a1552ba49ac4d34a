//! Variable-length integers of one, two, four or eight bytes (RFC 9000 section 16).

/// Appends an integer below 2^62.
pub(super) fn write_varint(value: u64, into: &mut Vec<u8>) {
    match value {
        0..0x40 => into.push(value as u8),
        0x40..0x4000 => into.extend((value as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => into.extend((value as u32 | 0x8000_0000).to_be_bytes()),
        _ => into.extend((value | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

/// Reads an integer from the front, if it is complete.
pub(super) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    let (number, behind) = bytes.split_at_checked(1 << (first >> 6))?;
    *bytes = behind;
    let value = number[1..]
        .iter()
        .fold(u64::from(first & 0x3f), |value, byte| {
            value << 8 | u64::from(*byte)
        });
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_the_rfc() {
        // RFC 9000 appendix A.1.
        for (value, bytes) in [
            (
                151_288_809_941_952_652,
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..],
            ),
            (494_878_333, &[0x9d, 0x7f, 0x3e, 0x7d]),
            (15_293, &[0x7b, 0xbd]),
            (37, &[0x25]),
        ] {
            let mut written = Vec::new();
            write_varint(value, &mut written);
            assert_eq!(written, bytes);
            assert_eq!(read_varint(&mut &written[..]), Some(value));
            assert_eq!(read_varint(&mut &written[..written.len() - 1]), None);
        }
    }
}
