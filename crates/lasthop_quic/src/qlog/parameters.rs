//! Transport parameters (RFC 9000 section 18.2) in the names of qlog.

use quinn_proto::transport_parameters::TransportParameters;
use serde_json::{Map, Value, json};

use super::hex;
use crate::frames::Reader;

/// Returns the parameters of an end by their qlog names, or by number if qlog has no name.
pub(super) fn parameters(owner: &str, declared: &TransportParameters) -> Value {
    let mut bytes = Vec::new();
    declared.write(&mut bytes);
    let mut reader = Reader { rest: &bytes };
    let (mut known, mut unknown) = (Map::new(), Vec::new());
    known.insert("owner".to_owned(), owner.into());
    while let Some((id, value)) = parameter(&mut reader) {
        let number = || Reader { rest: value }.number().map(Value::from);
        let (name, value) = match id {
            0x00 => (
                "original_destination_connection_id",
                Some(hex(value).into()),
            ),
            // The token of stateless resets, which is a secret.
            0x02 => continue,
            0x0c => ("disable_active_migration", Some(true.into())),
            0x0f => ("initial_source_connection_id", Some(hex(value).into())),
            0x10 => ("retry_source_connection_id", Some(hex(value).into())),
            _ => match numbered(id) {
                Some(name) => (name, number()),
                None => {
                    unknown.push(json!({"id": id, "value": hex(value)}));
                    continue;
                }
            },
        };
        known.extend(value.map(|value| (name.to_owned(), value)));
    }
    known.insert("unknown_parameters".to_owned(), unknown.into());
    known.into()
}

fn numbered(id: u64) -> Option<&'static str> {
    Some(match id {
        0x01 => "max_idle_timeout",
        0x03 => "max_udp_payload_size",
        0x04 => "initial_max_data",
        0x05 => "initial_max_stream_data_bidi_local",
        0x06 => "initial_max_stream_data_bidi_remote",
        0x07 => "initial_max_stream_data_uni",
        0x08 => "initial_max_streams_bidi",
        0x09 => "initial_max_streams_uni",
        0x0a => "ack_delay_exponent",
        0x0b => "max_ack_delay",
        0x0e => "active_connection_id_limit",
        0x20 => "max_datagram_frame_size",
        _ => return None,
    })
}

fn parameter<'a>(reader: &mut Reader<'a>) -> Option<(u64, &'a [u8])> {
    let id = reader.number()?;
    let length = reader.length()?;
    Some((id, reader.skip(length)?))
}
