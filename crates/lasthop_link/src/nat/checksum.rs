/// An internet checksum after some of the words under it changed: RFC 1624 equation 3, HC' = ~(~HC + ~m + m').
///
/// A wrong checksum stays as wrong as it was, since only differences enter.
///
/// `old` and `new` are of one even length and start at an even place.
pub(super) fn updated(checksum: u16, old: &[u8], new: &[u8]) -> u16 {
    let inverted = old.chunks_exact(2).map(|word| u32::from(!word_of(word)));
    let added = new.chunks_exact(2).map(|word| u32::from(word_of(word)));
    let sum = u32::from(!checksum) + inverted.sum::<u32>() + added.sum::<u32>();
    !folded(sum)
}

fn word_of(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}

fn folded(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_example_of_rfc_1624() {
        // Section 4: the word 0x5555 becomes 0x3285 under the checksum 0xdd2f.
        let old = 0x5555_u16.to_be_bytes();
        let new = 0x3285_u16.to_be_bytes();
        assert_eq!(updated(0xdd2f, &old, &new), 0x0000);
    }
}
