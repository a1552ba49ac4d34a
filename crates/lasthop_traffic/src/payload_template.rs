use std::sync::Arc;

use lasthop_contract::FlowId;
use lasthop_units::DataSize;
use thiserror::Error;

use lasthop_contract::message_text::{ID_LENGTH, JSON_START, write_id};

/// What the payloads of a flow look like: alike but for the id of the message. Devices share one.
///
/// ```
/// use lasthop_contract::FlowId;
/// use lasthop_traffic::PayloadTemplate;
/// use lasthop_units::DataSize;
/// let template = PayloadTemplate::json(r#"{"heart_rate":72}"#, Some(DataSize::from_bytes(60)))?;
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

/// Why a payload cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// There is no room for the id of the message.
    #[error("a payload has at least 8 B: they say which message it is")]
    TooSmall,
    /// The fields alone are larger than the wanted size.
    #[error("the fields take {fields}, which is more than {wanted}")]
    FieldsTooLarge {
        /// What the fields and the id take.
        fields: DataSize,
        /// The wanted size.
        wanted: DataSize,
    },
    /// Not a JSON object.
    #[error("the fields are no JSON object: {0}")]
    NotAnObject(String),
    /// A field with the name of one of ours.
    #[error("the field \"{0}\" is reserved")]
    ReservedField(&'static str),
}

const FILLER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const PAD_START: &[u8] = br#","pad":""#;
const PAD_END: &[u8] = br#""}"#;

impl PayloadTemplate {
    /// Plain text of this size.
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

    /// A JSON object of the id and these fields, padded to a size where one is given.
    ///
    /// # Errors
    /// When the fields are no JSON object, use the names `id` or `pad`, or leave no room for the padding.
    pub fn json(fields: &str, size: Option<DataSize>) -> Result<Self, PayloadError> {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(fields).map_err(|e| PayloadError::NotAnObject(e.to_string()))?;
        if let Some(name) = ["id", "pad"].into_iter().find(|n| object.contains_key(*n)) {
            return Err(PayloadError::ReservedField(name));
        }
        let inner = fields.trim();
        let inner = inner[1..inner.len() - 1].trim();
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

    /// The size of every payload.
    #[must_use]
    pub fn size(&self) -> DataSize {
        DataSize::of(&self.text)
    }

    /// The payload of a message.
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

#[cfg(test)]
mod tests {
    use super::*;
    use lasthop_contract::message_text::message_id;

    #[test]
    fn every_payload_has_the_size_and_its_id() {
        let json = PayloadTemplate::json(r#"{ "a": 1 }"#, Some(DataSize::from_bytes(409))).unwrap();
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
            let template = PayloadTemplate::json(r#"{"spo2":98}"#, size).unwrap();
            let payload = template.payload(FlowId(0), 1);
            serde_json::from_slice::<serde_json::Value>(&payload).unwrap();
        }
    }

    #[test]
    fn refuses_what_cannot_be_a_payload() {
        assert!(PayloadTemplate::text(DataSize::from_bytes(7)).is_err());
        for fields in ["[1]", "", "{", r#"{"id":1}"#, r#"{"pad":1}"#] {
            assert!(PayloadTemplate::json(fields, None).is_err(), "{fields}");
        }
        assert!(PayloadTemplate::json(r#"{"a":1}"#, Some(DataSize::from_bytes(20))).is_err());
    }
}
