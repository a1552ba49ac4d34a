//! Removal of type lookup requests and replies (DDS-XTypes 1.3 §7.6.3.3), which `dust_dds` must not read.

use std::borrow::Cow;

use crate::submessage::{EntityId, HEADER_LENGTH, Submessage, submessages};

/// Replaces the type lookup samples of a message by gaps. They then count as received, so that they are not
/// retransmitted forever.
///
/// `dust_dds` takes memory for as many types as a request or an answer names before it reads one.
pub(crate) fn without_types(message: &[u8]) -> Cow<'_, [u8]> {
    if !submessages(message).any(|part| is_about_types(&part)) {
        return Cow::Borrowed(message);
    }
    let mut without = message[..HEADER_LENGTH].to_vec();
    for part in submessages(message) {
        match gap(&part).filter(|_| is_about_types(&part)) {
            Some(gap) => without.extend(gap),
            None => without.extend(&message[part.place()]),
        }
    }
    Cow::Owned(without)
}

/// Whether it comes from a writer of the service; a user's may have the same key, and another kind.
fn is_about_types(part: &Submessage<'_>) -> bool {
    part.is_data() && matches!(part.writer(), Some([0, 3, 0 | 1, 0xc3]))
}

/// The gap of one sample (DDSI-RTPS 2.5 §9.4.5.6), in place of that.
fn gap(part: &Submessage<'_>) -> Option<Vec<u8>> {
    let (reader, writer): (EntityId, EntityId) = (part.reader()?, part.writer()?);
    let number = part.sample()?.number;
    let behind = number.checked_add(1)?;
    let words = [number >> 32, number, behind >> 32, behind, 0];
    let words = words.map(|word| (word as u32).to_le_bytes()).concat();
    Some([&[0x08, 1, 28, 0][..], &reader, &writer, &words].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of a writer, its number 5, and a heartbeat behind it.
    fn message(writer: EntityId) -> Vec<u8> {
        let number = [0, 0, 0, 0, 5, 0, 0, 0];
        let sample = [
            &[0, 0, 16, 0, 0, 3, 1, 0xc4][..],
            &writer,
            &number,
            b"sometext",
        ]
        .concat();
        let heartbeat = [
            &[0, 3, 1, 0xc4][..],
            &writer,
            &number,
            &number,
            &[1, 0, 0, 0],
        ]
        .concat();
        [
            [&b"RTPS\x02\x05\x01\x10"[..], &[1; 12]].concat(),
            [&[0x15, 5, 28, 0][..], &sample].concat(),
            [&[0x07, 1, 28, 0][..], &heartbeat].concat(),
        ]
        .concat()
    }

    #[test]
    fn a_sample_of_a_user_with_the_same_key_stays() {
        for kind in [0x02, 0x03] {
            let all = message([0, 3, 0, kind]);
            assert_eq!(*without_types(&all), all);
        }
    }

    #[test]
    fn an_answer_about_types_counts_as_received() {
        let all = message([0, 3, 1, 0xc3]);
        let gap = [
            &[0x08, 1, 28, 0, 0, 3, 1, 0xc4, 0, 3, 1, 0xc3][..],
            &[0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0],
            &[0; 4],
        ];
        let expected = [&all[..20], &gap.concat(), &all[52..]].concat();
        assert_eq!(*without_types(&all), expected);
    }

    #[test]
    fn what_else_is_said_stays_as_it_is() {
        let all = message([0, 0, 4, 0xc2]);
        assert!(matches!(without_types(&all), Cow::Borrowed(same) if same == all));
        for end in 0..all.len() {
            assert_eq!(*without_types(&all[..end]), all[..end]);
        }
    }
}
