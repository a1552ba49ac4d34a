//! Bundles: several messages in one payload. JSON objects become a list in one object, all else becomes netstrings (D.
//! J. Bernstein, 1997).

use lasthop_contract::MessageId;
use lasthop_contract::message_text::{ID_LENGTH, JSON_START, write_id};

use super::Message;

/// What a message takes in a bundle at most, without the head of the bundle.
pub(super) fn length(payload: &[u8]) -> usize {
    payload.len() + "60000:,".len()
}

/// The bundle of this id: it begins with it, as every payload does. A message that is alone is the same but for its id.
pub(super) fn write(id: MessageId, messages: &[Message]) -> Vec<u8> {
    let mut name = [0; ID_LENGTH];
    write_id(id.flow, id.number.get(), &mut name);
    let is_object = |it: &Message| it.payload.starts_with(JSON_START);
    if let [alone] = messages {
        let mut bytes = alone.payload.clone();
        let place = if is_object(alone) {
            JSON_START.len()
        } else {
            0
        };
        bytes[place..place + ID_LENGTH].copy_from_slice(&name);
        return bytes;
    }
    if messages.iter().all(is_object) {
        let objects: Vec<&[u8]> = messages.iter().map(|it| &*it.payload).collect();
        return [
            JSON_START,
            &name,
            br#"","readings":["#,
            &objects.join(&b','),
            b"]}",
        ]
        .concat();
    }
    let mut bytes = Vec::from(name);
    for message in messages {
        bytes.extend_from_slice(message.payload.len().to_string().as_bytes());
        bytes.push(b':');
        bytes.extend_from_slice(&message.payload);
        bytes.push(b',');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use lasthop_contract::FlowId;
    use lasthop_contract::message_text::message_id;

    use super::*;

    fn message(number: u32, payload: &[u8]) -> Message {
        Message {
            id: id(number),
            payload: payload.to_vec(),
        }
    }

    fn id(number: u32) -> MessageId {
        MessageId {
            flow: FlowId(3),
            number: NonZeroU32::new(number).unwrap(),
        }
    }

    #[test]
    fn a_bundle_says_which_it_is_and_holds_every_payload() {
        let texts = [message(1, b"AAAAAAABxyz"), message(2, b"AAAAAAAC")];
        let bundle = write(id(9), &texts);
        assert_eq!(message_id(&bundle), Some(id(9)));
        assert_eq!(bundle[8..], *b"11:AAAAAAABxyz,8:AAAAAAAC,");
        let bound: usize = texts.iter().map(|it| length(&it.payload)).sum();
        assert!(bundle.len() <= ID_LENGTH + bound);
    }

    #[test]
    fn what_goes_alone_has_another_id_and_is_else_the_same() {
        for payload in [&b"AAAAAAABxyz"[..], br#"{"id":"AAAAAAAB","t":1}"#] {
            let alone = write(id(9), &[message(1, payload)]);
            assert_eq!(message_id(&alone), Some(id(9)));
            assert_eq!((alone.len(), alone.last()), (payload.len(), payload.last()));
        }
    }

    #[test]
    fn objects_make_an_object() {
        let one = br#"{"id":"AAAAAAAB","t":1}"#;
        let bundle = write(id(9), &[message(1, one), message(2, one)]);
        assert_eq!(message_id(&bundle), Some(id(9)));
        let text = String::from_utf8(bundle).unwrap();
        let one = core::str::from_utf8(one).unwrap();
        assert!(
            text.ends_with(&format!(r#"","readings":[{one},{one}]}}"#)),
            "{text}"
        );
    }
}
