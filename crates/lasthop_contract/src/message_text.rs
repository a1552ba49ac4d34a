//! Message IDs in payloads and device names in topics, so that any software can carry them and any receiver can read
//! them.

use core::num::NonZeroU32;

use crate::{DeviceId, FlowId, MessageId};

/// The number of characters of a message ID.
pub const ID_LENGTH: usize = 8;

/// The highest flow number and message number that can be written.
pub const MAX_PART: u32 = (1 << 24) - 1;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What a character has in [`VALUES`] that is not of the alphabet: no values together make it.
const NO_VALUE: u8 = u8::MAX;

/// The place of every character in the alphabet.
const VALUES: [u8; 256] = {
    let mut values = [NO_VALUE; 256];
    let mut place = 0;
    while place < ALPHABET.len() {
        values[ALPHABET[place] as usize] = place as u8;
        place += 1;
    }
    values
};

const TOPIC_START: &str = "device/";

/// The bytes before the ID in a JSON payload.
pub const JSON_START: &[u8] = br#"{"id":""#;

/// The bytes before the ID in a CBOR map, after its head.
///
/// They are the name `id` and the head of a text of eight characters (RFC 8949 section 3.1).
pub const CBOR_ID_START: &[u8] = b"\x62id\x68";

/// The bytes before the ID in a Protocol Buffers message: field 1, eight bytes.
pub const PROTOBUF_ID_START: &[u8] = b"\x0a\x08";

/// Writes a flow and a message number as eight base64url characters (RFC 4648 section 5).
///
/// Both must be below 2^24. Number 0 marks a greeting, not a message.
pub fn write_id(flow: FlowId, number: u32, into: &mut [u8; ID_LENGTH]) {
    let bits = u64::from(flow.0 & MAX_PART) << 24 | u64::from(number & MAX_PART);
    for (place, character) in into.iter_mut().enumerate() {
        *character = ALPHABET[(bits >> (42 - 6 * place)) as usize & 63];
    }
}

/// Reads the flow and number at the start of a payload. They stand alone, or in the first field of a JSON object, a
/// CBOR map or a Protocol Buffers message.
#[must_use]
pub fn read_id(payload: &[u8]) -> Option<(FlowId, u32)> {
    let text = payload.strip_prefix(JSON_START).unwrap_or(payload);
    id_at_start(text).or_else(|| id_at_start(in_binary(payload)?))
}

fn id_at_start(text: &[u8]) -> Option<(FlowId, u32)> {
    let characters = text.first_chunk::<ID_LENGTH>()?;
    let (mut bits, mut all) = (0, 0);
    for character in characters {
        let value = VALUES[usize::from(*character)];
        bits = bits << 6 | u64::from(value);
        all |= value;
    }
    (all != NO_VALUE).then_some((FlowId((bits >> 24) as u32), bits as u32 & MAX_PART))
}

/// Returns the bytes from the ID on in a binary message.
fn in_binary(payload: &[u8]) -> Option<&[u8]> {
    let after_head = match payload.first()? {
        0x0a => return payload.strip_prefix(PROTOBUF_ID_START),
        // The head of a map says its length itself, or in one or two bytes more.
        0xa1..=0xb7 => 1,
        0xb8 => 2,
        0xb9 => 3,
        _ => return None,
    };
    payload.get(after_head..)?.strip_prefix(CBOR_ID_START)
}

/// Reads the message ID of a payload. Returns `None` for a payload that lasthop did not make.
#[must_use]
pub fn message_id(payload: &[u8]) -> Option<MessageId> {
    let (flow, number) = read_id(payload)?;
    let number = NonZeroU32::new(number)?;
    Some(MessageId { flow, number })
}

/// Returns the topic of a flow: `device/7`, or `device/7/2` for a further flow on channel 2.
#[must_use]
pub fn topic_of(flow: FlowId) -> String {
    let DeviceId(device) = flow.device();
    match flow.channel() {
        0 => format!("{TOPIC_START}{device}"),
        channel => format!("{TOPIC_START}{device}/{channel}"),
    }
}

/// Returns the topic of a device's responses in a flow.
///
/// The requests to the device use the topic of the flow.
#[must_use]
pub fn device_topic_of(flow: FlowId) -> String {
    topic_of(flow) + "/up"
}

/// Returns the flow of a topic. Returns `None` for a topic without a flow.
#[must_use]
pub fn flow_of(topic: &str) -> Option<FlowId> {
    let text = topic.strip_prefix(TOPIC_START)?;
    let (device, channel) = text.split_once('/').unwrap_or((text, "0"));
    let (device, channel) = (device.parse().ok()?, channel.parse().ok()?);
    let devices = match channel {
        0 => FlowId::DEVICES,
        _ => FlowId::DEVICES_WITH_SEVERAL,
    };
    let is_one = channel < FlowId::PER_DEVICE && device < devices;
    is_one.then(|| FlowId::of(DeviceId(device), channel))
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
    fn a_topic_names_its_flow() {
        for (text, device, channel) in
            [("device/0", 0, 0), ("device/7", 7, 0), ("device/7/8", 7, 8)]
        {
            let flow = FlowId::of(DeviceId(device), channel);
            assert_eq!((topic_of(flow).as_str(), flow_of(text)), (text, Some(flow)));
        }
        for nobodys in [
            "",
            "device/",
            "device/x",
            "device/7/9",
            "device/7/1/1",
            &device_topic_of(FlowId(7)),
            "device/1048576/1",
        ] {
            assert_eq!(flow_of(nobodys), None, "{nobodys}");
        }
    }

    #[test]
    fn reads_the_id_of_a_json_payload() {
        let payload = br#"{"id":"AAAAAAAB","heart_rate":72}"#;
        assert_eq!(message_id(payload).map(|id| id.number.get()), Some(1));
    }

    #[test]
    fn a_character_that_is_not_of_the_alphabet_makes_no_id_anywhere() {
        for character in 0..=u8::MAX {
            let value = ALPHABET.iter().position(|it| *it == character);
            for place in 0..ID_LENGTH {
                let mut text = *b"AAAAAAAA";
                text[place] = character;
                let bits = value.map(|value| (value as u64) << (42 - 6 * place));
                let id = bits.map(|bits| (FlowId((bits >> 24) as u32), bits as u32 & MAX_PART));
                assert_eq!(read_id(&text), id, "{character} at {place}");
            }
        }
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
