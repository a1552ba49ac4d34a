/// Returns the checksum of a frame's content: the sum of its bytes.
///
/// Fast DDS calls it a CRC (`RTCPMessageManager::addToCRC`). It carries what exceeds 32 bits to the lowest bit, which
/// no content of 64 KiB reaches.
pub(crate) fn checksum<'a>(content: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let bytes = content.into_iter().flatten();
    bytes.map(|byte| u32::from(*byte)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_sum_of_the_bytes_whatever_pieces_they_are_in() {
        assert_eq!(checksum([&[][..]]), 0);
        assert_eq!(checksum([&[0xff, 0x01][..], &[], &[0x80]]), 0x180);
        assert_eq!(checksum([&[0xff; 65_536][..]]), 65_536 * 255);
    }
}
