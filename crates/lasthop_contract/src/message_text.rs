//! How a payload says which message it is, so that any software can carry it and any end recognise it.

use core::num::NonZeroU32;

use crate::{FlowId, MessageId};

/// How many characters of a payload say which message it is.
pub const ID_LENGTH: usize = 8;

/// The largest flow and message number that fit.
pub const MAX_PART: u32 = (1 << 24) - 1;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What a JSON payload begins with, before the id.
pub const JSON_START: &[u8] = br#"{"id":""#;

/// Writes a flow and a message number, both below 2^24, as eight characters of the base64url alphabet
/// (RFC 4648 §5). Number 0 is no message: a greeting.
pub fn write_id(flow: FlowId, number: u32, into: &mut [u8; ID_LENGTH]) {
    let bits = u64::from(flow.0 & MAX_PART) << 24 | u64::from(number & MAX_PART);
    for (place, character) in into.iter_mut().enumerate() {
        *character = ALPHABET[(bits >> (42 - 6 * place)) as usize & 63];
    }
}

/// The flow and number at the start of a payload, bare or as the first field of a JSON object.
#[must_use]
pub fn read_id(payload: &[u8]) -> Option<(FlowId, u32)> {
    let text = payload.strip_prefix(JSON_START).unwrap_or(payload);
    let characters = text.first_chunk::<ID_LENGTH>()?;
    let bits = characters.iter().try_fold(0_u64, |bits, character| {
        Some(bits << 6 | u64::from(value_of(*character)?))
    })?;
    Some((FlowId((bits >> 24) as u32), bits as u32 & MAX_PART))
}

/// Which message a payload is, or `None` when it is no message of ours.
#[must_use]
pub fn message_id(payload: &[u8]) -> Option<MessageId> {
    let (flow, number) = read_id(payload)?;
    let number = NonZeroU32::new(number)?;
    Some(MessageId { flow, number })
}

const fn value_of(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character - b'A'),
        b'a'..=b'z' => Some(character - b'a' + 26),
        b'0'..=b'9' => Some(character - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_wrote() {
        for (flow, number) in [(0, 1), (5, 2400), (MAX_PART, MAX_PART), (1234, 0)] {
            let mut text = [0; ID_LENGTH];
            write_id(FlowId(flow), number, &mut text);
            assert_eq!(read_id(&text), Some((FlowId(flow), number)));
        }
    }

    #[test]
    fn reads_the_id_of_a_json_payload() {
        let payload = br#"{"id":"AAAAAAAB","heart_rate":72}"#;
        assert_eq!(message_id(payload).map(|id| id.number.get()), Some(1));
    }

    #[test]
    fn what_is_no_message_has_no_id() {
        for payload in [
            &b""[..],
            b"AAAAAAA",
            b"AAAAAAAA",
            b"AAAA AAB",
            br#"{"id":"AA"#,
        ] {
            assert_eq!(message_id(payload), None, "{payload:?}");
        }
    }
}
