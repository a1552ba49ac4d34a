use core::ops::Range;
use std::borrow::Cow;

use lasthop_contract::{Cause, Chunk, Layer, MessageId, Provenance};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use thiserror::Error;

use super::encoding::SentData;

/// A message of the protocol, parsed from a datagram without copying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Envelope<'a> {
    /// A subscription to a topic.
    Subscribe {
        /// The topic.
        topic: Cow<'a, str>,
        /// The challenge that the broker sent; empty if it sent none.
        echo: Cow<'a, str>,
    },
    /// A challenge: the client must repeat it in its subscription, to prove that it receives at its address.
    Challenge {
        /// The challenge.
        echo: Cow<'a, str>,
    },
    /// The confirmation of a subscription.
    Subscribed {
        /// The topic.
        topic: Cow<'a, str>,
    },
    /// The end of a subscription to a topic.
    Unsubscribe {
        /// The topic.
        topic: Cow<'a, str>,
    },
    /// The confirmation that a subscription has ended.
    Unsubscribed {
        /// The topic.
        topic: Cow<'a, str>,
    },
    /// A publication with a payload.
    Publish {
        /// The topic.
        topic: Cow<'a, str>,
        /// The range of the payload in the datagram. The quotes of a string are excluded.
        data: Range<usize>,
    },
}

/// The reason why bytes are not a valid envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EnvelopeError {
    /// The datagram is not JSON, or lacks a field of its operation.
    #[error("no JSON object with op and topic")]
    Malformed,
    /// The operation is not one of the protocol.
    #[error("the operation is not known")]
    UnknownOperation,
    /// A publication has no data.
    #[error("a publication has no data")]
    NoData,
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    op: Cow<'a, str>,
    #[serde(borrow)]
    topic: Cow<'a, str>,
    #[serde(borrow, default)]
    echo: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "any_value")]
    data: Option<&'a RawValue>,
}

/// The one message without an operation, so that no subscription is shorter than it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Challenge<'a> {
    #[serde(borrow)]
    echo: Cow<'a, str>,
}

/// What is there is a value, `null` too.
fn any_value<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

const SET_UP: Provenance = Provenance::new(Layer::Application, Cause::SessionSetUp);

impl<'a> Envelope<'a> {
    /// Parses a datagram.
    ///
    /// # Errors
    /// For anything but one of the six messages.
    pub fn parse(datagram: &'a [u8]) -> Result<Self, EnvelopeError> {
        // Serde would take an array of the fields for the object.
        if !datagram.trim_ascii_start().starts_with(b"{") {
            return Err(EnvelopeError::Malformed);
        }
        let Ok(fields) = serde_json::from_slice(datagram) else {
            let challenge = serde_json::from_slice(datagram);
            let Challenge { echo } = challenge.map_err(|_| EnvelopeError::Malformed)?;
            return Ok(Self::Challenge { echo });
        };
        let Fields {
            op,
            topic,
            echo,
            data,
        } = fields;
        match &*op {
            "sub" => Ok(Self::Subscribe { topic, echo }),
            "suback" => Ok(Self::Subscribed { topic }),
            "unsub" => Ok(Self::Unsubscribe { topic }),
            "unsuback" => Ok(Self::Unsubscribed { topic }),
            "pub" => {
                let text = data.ok_or(EnvelopeError::NoData)?.get();
                let quotes = usize::from(text.starts_with('"'));
                // The raw value borrows from the datagram, so its place is the distance of the two.
                let start = text.as_ptr().addr() - datagram.as_ptr().addr();
                let data = start + quotes..start + text.len() - quotes;
                Ok(Self::Publish { topic, data })
            }
            _ => Err(EnvelopeError::UnknownOperation),
        }
    }
}

/// The bytes of a subscription (`"sub"`) or of its end (`"unsub"`), or of the confirmation of either.
pub(super) fn session_message(operation: &str, topic: &str) -> String {
    let topic = serde_json::Value::from(topic);
    format!(r#"{{"op":"{operation}","topic":{topic}}}"#)
}

/// The bytes of a subscription that gives back what the broker asked for.
pub(super) fn proving_subscription(topic: &str, echo: &str) -> String {
    let [topic, echo] = [topic, echo].map(serde_json::Value::from);
    format!(r#"{{"op":"sub","topic":{topic},"echo":{echo}}}"#)
}

/// The bytes of a challenge.
pub(super) fn challenge(echo: &str) -> String {
    format!(r#"{{"echo":"{echo}"}}"#)
}

/// What stands before and after a payload in publications to a topic.
#[derive(Clone, Debug)]
pub(super) struct Framing {
    before_text: Box<str>,
}

impl Framing {
    pub(super) fn new(topic: &str) -> Self {
        let topic = serde_json::Value::from(topic);
        let before_text = format!(r#"{{"op":"pub","topic":{topic},"data":""#);
        Self {
            before_text: before_text.into(),
        }
    }

    /// Before and after a payload of ours: a JSON object stands as it is, text in quotes.
    pub(super) fn around(&self, payload: &[u8]) -> (&[u8], &'static [u8]) {
        self.around_value(payload.starts_with(b"{"))
    }

    /// Before and after what was made data.
    pub(super) fn around_data(&self, data: &SentData<'_>) -> (&[u8], &'static [u8]) {
        self.around_value(matches!(data, SentData::Object(_)))
    }

    fn around_value(&self, is_object: bool) -> (&[u8], &'static [u8]) {
        let before_text = self.before_text.as_bytes();
        match before_text.split_last() {
            Some((_quote, before_object)) if is_object => (before_object, b"}"),
            _ => (before_text, b"\"}"),
        }
    }
}

/// A publication in three chunks: framing, payload, framing.
pub(super) fn publication<'a>(
    id: Option<MessageId>,
    [before, payload, after]: [&'a [u8]; 3],
) -> [Chunk<'a>; 3] {
    let provenance = |cause| Provenance {
        layer: Layer::Application,
        cause,
        message: id,
    };
    let chunk = |bytes, cause| Chunk {
        bytes,
        provenance: provenance(cause),
    };
    [
        chunk(before, Cause::Header),
        chunk(payload, Cause::Payload),
        chunk(after, Cause::Header),
    ]
}

/// A session message as one chunk.
pub(super) fn session_chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: SET_UP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publication_gives_back_its_payload() {
        for payload in [&br#"{"id":"AAAAAAAB","spo2":98}"#[..], b"AAAAAAABabc"] {
            let framing = Framing::new("device/7");
            let (before, after) = framing.around(payload);
            let datagram = [before, payload, after].concat();
            let Ok(Envelope::Publish { topic, data }) = Envelope::parse(&datagram) else {
                panic!("{datagram:?}");
            };
            assert_eq!(topic, "device/7");
            assert_eq!(&datagram[data], payload);
        }
    }

    #[test]
    fn null_is_a_payload() {
        let datagram = br#"{"op":"pub","topic":"a","data":null}"#;
        let Ok(Envelope::Publish { data, .. }) = Envelope::parse(datagram) else {
            panic!("it is a publication");
        };
        assert_eq!(&datagram[data], b"null");
    }

    #[test]
    fn session_messages_survive_a_strange_topic() {
        let text = session_message("sub", "a\"b\\c");
        let (topic, echo) = ("a\"b\\c".into(), "".into());
        assert_eq!(
            Envelope::parse(text.as_bytes()),
            Ok(Envelope::Subscribe { topic, echo })
        );
    }

    #[test]
    fn a_challenge_is_given_back() {
        let text = challenge("0123456789ab");
        let Ok(Envelope::Challenge { echo }) = Envelope::parse(text.as_bytes()) else {
            panic!("{text}");
        };
        let text = proving_subscription("a", &echo);
        let (topic, echo) = ("a".into(), "0123456789ab".into());
        let subscription = Envelope::Subscribe { topic, echo };
        assert_eq!(Envelope::parse(text.as_bytes()), Ok(subscription));
    }

    #[test]
    fn refuses_what_is_no_envelope() {
        for bytes in [
            &b""[..],
            b"{}",
            b"[]",
            br#"{"op":"pub","topic":"a"}"#,
            br#"{"op":"fly","topic":"a"}"#,
            br#"{"op":"sub","topic":7}"#,
            br#"["sub","a",null]"#,
            b"\xff\xfe",
        ] {
            assert!(Envelope::parse(bytes).is_err(), "{bytes:?}");
        }
    }
}
