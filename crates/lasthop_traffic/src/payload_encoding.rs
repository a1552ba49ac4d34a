use std::io::Write as _;

use ciborium::Value;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lasthop_contract::message_text::{CBOR_ID_START, ID_LENGTH, JSON_START, PROTOBUF_ID_START};
use prost::encoding;
use serde::{Deserialize, Serialize};

use crate::PayloadError;

/// The encoding of payload fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// JSON (RFC 8259), with the white space of the given text.
    Json,
    /// CBOR (RFC 8949): numbers in their shortest form, names as text.
    Cbor,
    /// Protocol Buffers: fields are numbered from 2 on in their order (1 is the id), whole numbers are `sint64`, others `double`.
    Protobuf,
}

/// Readings as an encoder takes them: the fields of one, or a list of several alike.
pub(crate) struct Readings {
    text: String,
    fields: Vec<(Value, Value)>,
    count: u64,
}

/// A message that is written, with the place of its id.
pub(crate) struct Written {
    pub(crate) bytes: Vec<u8>,
    pub(crate) id_at: usize,
}

/// What stands in an id's place until a message has its own.
const NO_ID: [u8; ID_LENGTH] = [b'A'; ID_LENGTH];

const ID: &str = "id";
const READINGS: &str = "readings";

/// The number of the first field of a reading, and that of the list of several (id is 1).
const FIRST_FIELD: u32 = 2;

impl Readings {
    /// So many readings with the fields of this JSON object, in its order.
    ///
    /// # Errors
    /// When it is no JSON object of numbers, texts and truth values.
    pub(crate) fn new(fields: &str, count: u64) -> Result<Self, PayloadError> {
        let read = serde_json::from_str(fields)
            .map_err(|error| PayloadError::NotAnObject(error.to_string()))?;
        let Value::Map(fields_read) = read else {
            return Err(PayloadError::NotAnObject("it is another value".to_owned()));
        };
        let is_scalar = |value: &Value| {
            value.is_integer() || value.is_float() || value.is_text() || value.is_bool()
        };
        if !fields_read.iter().all(|(_, value)| is_scalar(value)) {
            return Err(PayloadError::NotAnObject("a field is no scalar".to_owned()));
        }
        Ok(Self {
            text: fields.to_owned(),
            fields: fields_read,
            count,
        })
    }

    /// All of them in one message. A deflated one (RFC 1950, level 6) has its id in front of what is deflated.
    pub(crate) fn write(&self, encoding: Encoding, is_deflated: bool) -> Written {
        let id = (!is_deflated).then_some(NO_ID.as_slice());
        let (bytes, id_at) = match encoding {
            Encoding::Json => (self.json(id), JSON_START.len()),
            Encoding::Cbor => self.cbor(id),
            Encoding::Protobuf => (self.protobuf(id), PROTOBUF_ID_START.len()),
        };
        if !is_deflated {
            return Written { bytes, id_at };
        }
        let mut deflated = ZlibEncoder::new(NO_ID.to_vec(), Compression::default());
        let written = deflated.write_all(&bytes).and_then(|()| deflated.finish());
        Written {
            bytes: written.expect("memory takes what is written"),
            id_at: 0,
        }
    }

    fn json(&self, id: Option<&[u8]>) -> Vec<u8> {
        let inner = json_fields(&self.text, self.count);
        let mut written = Vec::new();
        match id {
            Some(id) => {
                written.extend_from_slice(JSON_START);
                written.extend_from_slice(id);
                written.extend_from_slice(if inner.is_empty() { b"\"" } else { b"\"," });
            }
            None => written.push(b'{'),
        }
        written.extend_from_slice(inner.as_bytes());
        written.push(b'}');
        written
    }

    /// The map, and where its id is.
    fn cbor(&self, id: Option<&[u8]>) -> (Vec<u8>, usize) {
        let named = id.map(|id| {
            let text = String::from_utf8_lossy(id).into_owned();
            (Value::from(ID), Value::from(text))
        });
        let fields = match self.count {
            1 => self.fields.clone(),
            many => {
                let reading = Value::Map(self.fields.clone());
                let all = vec![reading; many as usize];
                vec![(Value::from(READINGS), Value::from(all))]
            }
        };
        let map = Value::Map(named.into_iter().chain(fields).collect());
        let mut written = Vec::new();
        ciborium::into_writer(&map, &mut written).expect("memory takes what is written");
        let head = written
            .windows(CBOR_ID_START.len())
            .position(|piece| piece == CBOR_ID_START);
        let id_at = head.map_or(0, |head| head + CBOR_ID_START.len());
        (written, id_at)
    }

    fn protobuf(&self, id: Option<&[u8]>) -> Vec<u8> {
        let mut written = Vec::new();
        if let Some(id) = id {
            encoding::bytes::encode(1, &id.to_vec(), &mut written);
        }
        match self.count {
            1 => write_fields(&self.fields, &mut written),
            many => {
                let mut reading = Vec::new();
                write_fields(&self.fields, &mut reading);
                for _ in 0..many {
                    encoding::bytes::encode(FIRST_FIELD, &reading, &mut written);
                }
            }
        }
        written
    }
}

/// What stands between the braces of an object of so many readings: the fields of one, or a list of several.
pub(crate) fn json_fields(fields: &str, readings: u64) -> String {
    let object = fields.trim();
    match readings {
        1 => object[1..object.len() - 1].trim().to_owned(),
        many => {
            let all = vec![object; many as usize].join(",");
            format!(r#""{READINGS}":[{all}]"#)
        }
    }
}

fn write_fields(fields: &[(Value, Value)], written: &mut Vec<u8>) {
    for (number, (_, value)) in (FIRST_FIELD..).zip(fields) {
        match value {
            Value::Text(text) => encoding::string::encode(number, text, written),
            Value::Bool(truth) => encoding::bool::encode(number, truth, written),
            Value::Float(real) => encoding::double::encode(number, real, written),
            Value::Integer(whole) => match i64::try_from(*whole) {
                Ok(whole) => encoding::sint64::encode(number, &whole, written),
                Err(_) => {
                    let whole = u64::try_from(*whole).unwrap_or(u64::MAX);
                    encoding::uint64::encode(number, &whole, written);
                }
            },
            _ => {}
        }
    }
}
