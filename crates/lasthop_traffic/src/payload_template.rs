use std::sync::Arc;

use lasthop_contract::FlowId;
use lasthop_units::DataSize;
use thiserror::Error;

use lasthop_contract::message_text::{ID_LENGTH, JSON_START, write_id};

use crate::Encoding;
use crate::payload_encoding::{Readings, json_fields};

/// The payload template of a flow. Payloads differ in the message ID only, and devices share it.
///
/// ```
/// use lasthop_contract::FlowId;
/// use lasthop_traffic::PayloadTemplate;
/// use lasthop_units::DataSize;
/// let template = PayloadTemplate::json(r#"{"heart_rate":72}"#, 1, Some(DataSize::from_bytes(60)))?;
/// let payload = template.payload(FlowId(0), 1);
/// assert!(payload.starts_with(br#"{"id":"AAAAAAAB","heart_rate":72,"pad":""#));
/// assert_eq!(payload.len(), 60);
/// # Ok::<(), lasthop_traffic::PayloadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PayloadTemplate {
    text: Arc<[u8]>,
    id_at: usize,
}

/// The reason why a payload cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// The size is too small for the message ID.
    #[error("a payload has at least 8 B: they say which message it is")]
    TooSmall,
    /// The fields alone are larger than the wanted size.
    #[error("the fields take {fields}, which is more than {wanted}")]
    FieldsTooLarge {
        /// The size of the fields and the message ID.
        fields: DataSize,
        /// The requested size.
        wanted: DataSize,
    },
    /// The fields are not a JSON object.
    #[error("the fields are no JSON object: {0}")]
    NotAnObject(String),
    /// A field has a reserved name.
    #[error("the field \"{0}\" is reserved")]
    ReservedField(&'static str),
}

const FILLER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const PAD_START: &[u8] = br#","pad":""#;
const PAD_END: &[u8] = br#""}"#;

impl PayloadTemplate {
    /// Creates plain text of this size.
    ///
    /// # Errors
    /// [`PayloadError::TooSmall`] below 8 B.
    pub fn text(size: DataSize) -> Result<Self, PayloadError> {
        let size = size.as_bytes() as usize;
        if size < ID_LENGTH {
            return Err(PayloadError::TooSmall);
        }
        let text = FILLER.iter().copied().cycle().take(size).collect();
        Ok(Self { text, id_at: 0 })
    }

    /// Creates a JSON object with the ID and `readings` copies of the fields, padded to a given size.
    ///
    /// # Errors
    /// When the fields are no JSON object, use the names `id` or `pad`, or leave no room for the padding.
    pub fn json(fields: &str, readings: u64, size: Option<DataSize>) -> Result<Self, PayloadError> {
        check_names(fields)?;
        let inner = json_fields(fields, readings);
        let mut text = JSON_START.to_vec();
        let id_at = text.len();
        text.extend_from_slice(&[b'A'; ID_LENGTH]);
        text.push(b'"');
        if !inner.is_empty() {
            text.push(b',');
            text.extend_from_slice(inner.as_bytes());
        }
        match size.map(|size| size.as_bytes() as usize) {
            None => text.push(b'}'),
            Some(wanted) if wanted == text.len() + 1 => text.push(b'}'),
            Some(wanted) => {
                let taken = text.len() + PAD_START.len() + PAD_END.len();
                let pad = wanted
                    .checked_sub(taken)
                    .ok_or(PayloadError::FieldsTooLarge {
                        fields: DataSize::from_bytes(taken as u64),
                        wanted: DataSize::from_bytes(wanted as u64),
                    })?;
                text.extend_from_slice(PAD_START);
                text.extend(FILLER.iter().cycle().take(pad));
                text.extend_from_slice(PAD_END);
            }
        }
        Ok(Self {
            text: text.into(),
            id_at,
        })
    }

    /// Creates a payload with the ID and `readings` copies of the fields (a JSON object of scalars) in an encoding. It
    /// can be compressed by deflate after the ID (RFC 1950).
    ///
    /// # Errors
    /// When the fields are no JSON object of scalars, or use the names `id` or `pad`.
    pub fn encoded(
        fields: &str,
        readings: u64,
        encoding: Encoding,
        is_deflated: bool,
    ) -> Result<Self, PayloadError> {
        check_names(fields)?;
        let written = Readings::new(fields, readings)?.write(encoding, is_deflated);
        Ok(Self {
            text: written.bytes.into(),
            id_at: written.id_at,
        })
    }

    /// Returns the size of every payload.
    #[must_use]
    pub fn size(&self) -> DataSize {
        DataSize::of(&self.text)
    }

    /// Returns the payload of a message.
    #[must_use]
    pub fn payload(&self, flow: FlowId, number: u32) -> Vec<u8> {
        let mut payload = self.text.to_vec();
        let id = payload[self.id_at..]
            .first_chunk_mut::<ID_LENGTH>()
            .expect("the constructors leave room for the id");
        write_id(flow, number, id);
        payload
    }
}

fn check_names(fields: &str) -> Result<(), PayloadError> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(fields).map_err(|e| PayloadError::NotAnObject(e.to_string()))?;
    match ["id", "pad"].into_iter().find(|n| object.contains_key(*n)) {
        Some(name) => Err(PayloadError::ReservedField(name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasthop_contract::message_text::message_id;

    #[test]
    fn every_payload_has_the_size_and_its_id() {
        let json =
            PayloadTemplate::json(r#"{ "a": 1 }"#, 1, Some(DataSize::from_bytes(409))).unwrap();
        let text = PayloadTemplate::text(DataSize::from_bytes(409)).unwrap();
        for template in [json, text] {
            let payload = template.payload(FlowId(3), 77);
            assert_eq!(payload.len(), 409);
            let id = message_id(&payload).unwrap();
            assert_eq!((id.flow.0, id.number.get()), (3, 77));
        }
    }

    #[test]
    fn a_json_payload_is_json() {
        for size in [None, Some(27), Some(50)] {
            let size = size.map(DataSize::from_bytes);
            let template = PayloadTemplate::json(r#"{"spo2":98}"#, 1, size).unwrap();
            let payload = template.payload(FlowId(0), 1);
            serde_json::from_slice::<serde_json::Value>(&payload).unwrap();
        }
    }

    fn encoded(fields: &str, readings: u64, encoding: Encoding, is_deflated: bool) -> Vec<u8> {
        let template = PayloadTemplate::encoded(fields, readings, encoding, is_deflated).unwrap();
        template.payload(FlowId(3), 77)
    }

    #[test]
    fn every_encoding_carries_the_id_where_it_is_read() {
        let many: Vec<String> = (0..300).map(|place| format!(r#""f{place}":1.5"#)).collect();
        let many = format!("{{{}}}", many.join(","));
        for encoding in [Encoding::Json, Encoding::Cbor, Encoding::Protobuf] {
            for is_deflated in [false, true] {
                for fields in [
                    "{}",
                    r#"{"a":1}"#,
                    r#"{ "t": "x\u00e9", "on": true }"#,
                    &many,
                ] {
                    for readings in [1, 2, 40] {
                        let payload = encoded(fields, readings, encoding, is_deflated);
                        let id = message_id(&payload).map(|id| (id.flow.0, id.number.get()));
                        assert_eq!(id, Some((3, 77)), "{encoding:?} {is_deflated} {readings}");
                    }
                }
            }
        }
    }

    #[test]
    fn encodings_have_the_bytes_of_their_standards() {
        let fields = r#"{"t":-3,"v":1.5,"on":true,"s":"ab"}"#;
        // RFC 8949 appendix A has -3 as 22, 1.5 as f93e00, true as f5, texts as 60 and their length.
        let cbor = encoded(fields, 1, Encoding::Cbor, false);
        let expected = b"\xa5\x62id\x68AAADAABN\x61t\x22\x61v\xf9\x3e\x00\x62on\xf5\x61s\x62ab";
        assert_eq!(cbor, expected);
        // Zigzag of -3 is 5; tags are number << 3 | wire type.
        let protobuf = encoded(fields, 1, Encoding::Protobuf, false);
        let expected = b"\x0a\x08AAADAABN\x10\x05\x19\0\0\0\0\0\0\xf8\x3f\x20\x01\x2a\x02ab";
        assert_eq!(protobuf, expected);
        let json = encoded(fields, 1, Encoding::Json, false);
        assert_eq!(
            json,
            PayloadTemplate::json(fields, 1, None)
                .unwrap()
                .payload(FlowId(3), 77)
        );
    }

    #[test]
    fn what_is_deflated_comes_back() {
        let fields = r#"{"temperature":21.5}"#;
        let payload = encoded(fields, 3, Encoding::Json, true);
        let mut text = String::new();
        let mut inflating = flate2::read::ZlibDecoder::new(&payload[ID_LENGTH..]);
        std::io::Read::read_to_string(&mut inflating, &mut text).unwrap();
        assert_eq!(
            text,
            format!(r#"{{"readings":[{fields},{fields},{fields}]}}"#)
        );
    }

    #[test]
    fn refuses_what_cannot_be_a_payload() {
        assert!(PayloadTemplate::text(DataSize::from_bytes(7)).is_err());
        for fields in ["[1]", "", "{", r#"{"id":1}"#, r#"{"pad":1}"#] {
            assert!(PayloadTemplate::json(fields, 1, None).is_err(), "{fields}");
        }
        for fields in ["[1]", "", r#"{"id":1}"#, r#"{"a":[1]}"#, r#"{"a":null}"#] {
            let refused = PayloadTemplate::encoded(fields, 1, Encoding::Cbor, false);
            assert!(refused.is_err(), "{fields}");
        }
        assert!(PayloadTemplate::json(r#"{"a":1}"#, 1, Some(DataSize::from_bytes(20))).is_err());
    }
}
