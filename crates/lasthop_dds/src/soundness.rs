//! Validation of messages for `dust_dds`, which trusts the numbers in them.

use crate::discovery::is_bounded;
use crate::submessage::{Numbers, Submessage, is_builtin, submessages};

/// More samples at once than a reader skips in earnest; `dust_dds` counts through all of them.
const MOST_SKIPPED: i64 = 1 << 20;

/// Far below where numbers of samples overflow.
const LAST_NUMBER: i64 = 1 << 62;

/// The maximum size of a number set in a submessage (DDSI-RTPS 2.5 §9.4.2.6, §9.4.2.8), which also limits the fragments
/// of a sample that a reader can request.
pub(crate) const MOST_OF_A_SET: u32 = 256;

/// More than what is said of one of our endpoints takes, in bytes.
const LARGEST_ANNOUNCEMENT: usize = 1024;

/// Whether every submessage is valid: it has the bytes that it announces, and its numbers are in order (DDSI-RTPS 2.5
/// §8.3.8, the "validity" of each submessage). Without this check, `dust_dds` counts up to 2^63 for a GAP, divides by
/// the fragment size, and writes past the set of a NACK_FRAG. Discovery data must also be complete, and unfragmented
/// unless this end sends it in fragments itself. An INFO_REPLY is invalid, because `dust_dds` panics at it.
pub(crate) fn is_sound(message: &[u8], fragment_size: usize) -> bool {
    let mut parts = submessages(message);
    parts.all(|part| {
        !part.is_info_reply()
            && is_in_order(&part)
            && is_told_soundly(message, &part, fragment_size)
    })
}

fn is_told_soundly(message: &[u8], part: &Submessage<'_>, fragment_size: usize) -> bool {
    if !part.is_data() || !part.writer().is_some_and(is_builtin) {
        return true;
    }
    let sample = &message[part.sample_start()..part.place().end];
    match part.is_fragment() {
        true => fragment_size < LARGEST_ANNOUNCEMENT,
        false => is_bounded(sample),
    }
}

fn is_in_order(part: &Submessage<'_>) -> bool {
    let is_number = |number: i64| (1..LAST_NUMBER).contains(&number);
    match part.numbers() {
        None => false,
        Some(Numbers::None) => true,
        Some(Numbers::Sample(number)) => is_number(number),
        Some(Numbers::Fragments {
            sample,
            first,
            count,
            size,
            of,
        }) => {
            let last = first.checked_add(u32::from(count)).map(|end| end - 1);
            let all = (size > 0).then(|| of.div_ceil(u32::from(size)));
            let is_within = |(last, all)| last <= all && all <= MOST_OF_A_SET;
            is_number(sample) && first > 0 && count > 0 && last.zip(all).is_some_and(is_within)
        }
        Some(Numbers::Available { first, last }) => {
            is_number(first) && (first - 1..LAST_NUMBER).contains(&last)
        }
        Some(Numbers::Skipped { first, base, bits }) => {
            is_number(first)
                && base >= first
                && base - first <= MOST_SKIPPED
                && bits <= MOST_OF_A_SET
        }
        Some(Numbers::Wanted { base, bits }) => {
            // An ACKNACK that knows of nothing names 0.
            (0..LAST_NUMBER).contains(&base) && bits <= MOST_OF_A_SET
        }
        Some(Numbers::WantedFragments { sample, base, bits }) => {
            is_number(sample) && base > 0 && bits <= MOST_OF_A_SET
        }
    }
}

#[cfg(test)]
mod tests {
    fn is_sound(message: &[u8]) -> bool {
        super::is_sound(message, 1344)
    }

    /// A message of one part whose body begins with two entities, and these words behind them.
    fn message(kind: u8, words: &[u32]) -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        let body: Vec<u8> = [0; 8].into_iter().chain(words).collect();
        let length = u16::try_from(body.len()).unwrap().to_le_bytes();
        let header = [&b"RTPS\x02\x05\x01\x01"[..], &[1; 12]].concat();
        [&header[..], &[kind, 1, length[0], length[1]], &body].concat()
    }

    /// The upper half of a sequence number comes first.
    const ONE: [u32; 2] = [0, 1];
    const HIGHEST: [u32; 2] = [0x7fff_ffff, 0xffff_ffff];

    #[test]
    fn a_gap_skips_no_more_than_can_be_counted() {
        let gap = |first: [u32; 2], base: [u32; 2], bits: u32| {
            is_sound(&message(
                0x08,
                &[first[0], first[1], base[0], base[1], bits],
            ))
        };
        assert!(gap(ONE, [0, 2], 0) && gap(ONE, [0, 1 << 20], 256));
        assert!(!gap(ONE, HIGHEST, 0));
        assert!(!gap(ONE, [0, (1 << 20) + 2], 0));
        assert!(!gap([0, 2], ONE, 0));
        assert!(!gap([0, 0], ONE, 0));
        assert!(!gap(ONE, [0, 2], 257));
    }

    #[test]
    fn a_heartbeat_tells_of_no_sample_or_of_those_in_order() {
        let heartbeat = |first: [u32; 2], last: [u32; 2]| {
            is_sound(&message(0x07, &[first[0], first[1], last[0], last[1], 1]))
        };
        assert!(heartbeat(ONE, [0, 0]) && heartbeat(ONE, [0, 5]));
        assert!(!heartbeat([0, 3], ONE));
        assert!(!heartbeat([0, 0], ONE));
        assert!(!heartbeat(ONE, HIGHEST));
        assert!(!heartbeat([0x8000_0000, 1], ONE));
    }

    #[test]
    fn a_set_has_at_most_256_places() {
        let ack_nack = |bits| is_sound(&message(0x06, &[0, 0, bits, 0, 1]));
        assert!(ack_nack(256) && !ack_nack(257));
        let nack_frag = |base, bits| is_sound(&message(0x12, &[0, 1, base, bits, 0, 1]));
        assert!(nack_frag(1, 256) && !nack_frag(1, 257) && !nack_frag(0, 1));
    }

    #[test]
    fn a_fragment_has_a_size_and_lies_in_its_sample() {
        let fragment = |first: u32, count: u32, size: u32, of: u32| {
            let writer = 0;
            is_sound(&message(
                0x16,
                &[writer, 0, 1, first, count | size << 16, of],
            ))
        };
        assert!(fragment(1, 1, 100, 250) && fragment(3, 1, 100, 250));
        assert!(!fragment(1, 1, 0, 250));
        assert!(!fragment(0, 1, 100, 250) && !fragment(1, 0, 100, 250));
        assert!(!fragment(4, 1, 100, 250) && !fragment(u32::MAX, 2, 100, 250));
        assert!(fragment(1, 1, 100, 25_600) && !fragment(1, 1, 100, 25_601));
    }

    #[test]
    fn announcements_come_whole_where_ours_do() {
        let fragment = |writer| message(0x16, &[writer, 0, 1, 1, 1 | 100 << 16, 250]);
        let (of_users, of_discovery) = (fragment(0x0201_0000), fragment(0xc203_0000));
        assert!(is_sound(&of_users) && !is_sound(&of_discovery));
        assert!(super::is_sound(&of_discovery, 256));
    }

    #[test]
    fn nobody_is_told_where_to_answer() {
        assert!(is_sound(&message(0x09, &[])));
        assert!(!is_sound(&message(0x0f, &[])));
    }

    #[test]
    fn a_part_that_ends_before_its_numbers_is_not_sound() {
        for kind in [0x06, 0x07, 0x08, 0x12, 0x15, 0x16] {
            assert!(!is_sound(&message(kind, &[])), "{kind:#x}");
        }
    }
}
