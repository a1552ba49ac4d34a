/// Upper bounds of the levels of a buffer status report (TS 36.321 table 6.1.3.1-1); level 63 is above the last.
const BUFFER_SIZE_BYTES: [u32; 63] = [
    0, 10, 12, 14, 17, 19, 22, 26, 31, 36, 42, 49, 57, 67, 78, 91, 107, 125, 146, 171, 200, 234,
    274, 321, 376, 440, 515, 603, 706, 826, 967, 1132, 1326, 1552, 1817, 2127, 2490, 2915, 3413,
    3995, 4677, 5476, 6411, 7505, 8787, 10287, 12043, 14099, 16507, 19325, 22624, 26487, 31009,
    36304, 42502, 49759, 58255, 68201, 79846, 93479, 109_439, 128_125, 150_000,
];

/// Upper bounds of the levels of the data volume in Msg3 (TS 36.321 table 6.1.3.10-1); level 15 is above the last.
const DATA_VOLUME_BYTES: [u32; 15] = [
    0, 10, 14, 19, 26, 36, 49, 67, 91, 125, 171, 234, 321, 768, 1500,
];

/// Returns the buffer status index for this many bytes.
#[must_use]
pub fn buffer_size_index(waiting_bytes: u32) -> u8 {
    BUFFER_SIZE_BYTES.partition_point(|bound| *bound < waiting_bytes) as u8
}

/// Returns the maximum number of bytes for a buffer status index; `None` if it is unbounded.
#[must_use]
pub fn buffer_size_bytes(index: u8) -> Option<u32> {
    BUFFER_SIZE_BYTES.get(usize::from(index)).copied()
}

/// Returns the data volume index of Msg3 for this many bytes.
#[must_use]
pub fn data_volume_index(waiting_bytes: u32) -> u8 {
    DATA_VOLUME_BYTES.partition_point(|bound| *bound < waiting_bytes) as u8
}

/// Returns the maximum number of bytes for a data volume index of Msg3; `None` if it is unbounded.
#[must_use]
pub fn data_volume_bytes(index: u8) -> Option<u32> {
    DATA_VOLUME_BYTES.get(usize::from(index)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_the_lowest_whose_bound_holds_the_bytes() {
        for (bytes, buffer, volume) in [
            (0, 0, 0),
            (1, 1, 1),
            (10, 1, 1),
            (11, 2, 2),
            (73, 14, 8),
            (448, 26, 13),
            (1500, 33, 14),
            (1501, 33, 15),
            (150_000, 62, 15),
            (150_001, 63, 15),
            (u32::MAX, 63, 15),
        ] {
            assert_eq!(buffer_size_index(bytes), buffer, "{bytes} B");
            assert_eq!(data_volume_index(bytes), volume, "{bytes} B");
        }
    }

    #[test]
    fn every_level_of_msg3_is_one_of_the_report_or_above_321_bytes() {
        for bound in DATA_VOLUME_BYTES {
            assert!(
                bound > 321 || BUFFER_SIZE_BYTES.contains(&bound),
                "{bound} B"
            );
        }
    }

    #[test]
    fn the_bound_of_a_level_has_that_level() {
        for index in 0..=u8::MAX {
            if let Some(bytes) = buffer_size_bytes(index) {
                assert_eq!(buffer_size_index(bytes), index);
            }
            if let Some(bytes) = data_volume_bytes(index) {
                assert_eq!(data_volume_index(bytes), index);
            }
        }
    }
}
