//! The frames of packets (RFC 9000 section 19, RFC 9221) in the names and fields of qlog.

use serde_json::{Value, json};

use super::hex;
use crate::frames::{RESET_TOKEN_LENGTH, Reader};

/// Returns the frames of a packet.
pub(super) fn frames(bytes: &[u8]) -> Vec<Value> {
    let mut reader = Reader { rest: bytes };
    let mut frames = Vec::new();
    while !reader.rest.is_empty() {
        let before = reader.rest;
        let Some(frame) = frame(&mut reader) else {
            // What follows cannot be told apart.
            let kind = Reader { rest: before }.number();
            frames.push(unknown(kind.unwrap_or_default()));
            break;
        };
        frames.push(frame);
    }
    frames
}

fn unknown(kind: u64) -> Value {
    json!({"frame_type": "unknown", "raw_frame_type": kind})
}

fn frame(reader: &mut Reader<'_>) -> Option<Value> {
    let kind = reader.number()?;
    Some(match kind {
        0x00 => {
            let more = reader.rest.iter().take_while(|byte| **byte == 0).count();
            reader.skip(more)?;
            json!({"frame_type": "padding", "length": more + 1, "payload_length": more})
        }
        0x01 => json!({"frame_type": "ping"}),
        0x02 | 0x03 => acknowledgement(reader, kind == 0x03)?,
        0x04 => json!({
            "frame_type": "reset_stream",
            "stream_id": reader.number()?,
            "error_code": reader.number()?,
            "final_size": reader.number()?,
        }),
        0x05 => json!({
            "frame_type": "stop_sending",
            "stream_id": reader.number()?,
            "error_code": reader.number()?,
        }),
        0x06 => {
            let (offset, length) = (reader.number()?, reader.length()?);
            reader.skip(length)?;
            json!({"frame_type": "crypto", "offset": offset, "length": length})
        }
        0x07 => {
            let length = reader.length()?;
            let token = hex(reader.skip(length)?);
            json!({"frame_type": "new_token", "token": {"type": "resumption", "raw": {"data": token}}})
        }
        0x08..=0x0f => {
            let stream = reader.number()?;
            let offset = if kind & 4 != 0 { reader.number()? } else { 0 };
            let length = reader.length_if(kind & 2 != 0)?;
            reader.skip(length)?;
            json!({
                "frame_type": "stream",
                "stream_id": stream,
                "offset": offset,
                "length": length,
                "fin": kind & 1 != 0,
            })
        }
        0x10 => json!({"frame_type": "max_data", "maximum": reader.number()?}),
        0x11 => json!({
            "frame_type": "max_stream_data",
            "stream_id": reader.number()?,
            "maximum": reader.number()?,
        }),
        0x12 | 0x13 => json!({
            "frame_type": "max_streams",
            "stream_type": direction(kind),
            "maximum": reader.number()?,
        }),
        0x14 => json!({"frame_type": "data_blocked", "limit": reader.number()?}),
        0x15 => json!({
            "frame_type": "stream_data_blocked",
            "stream_id": reader.number()?,
            "limit": reader.number()?,
        }),
        0x16 | 0x17 => json!({
            "frame_type": "streams_blocked",
            "stream_type": direction(kind),
            "limit": reader.number()?,
        }),
        0x18 => {
            let (sequence, retired) = (reader.number()?, reader.number()?);
            let length = usize::from(reader.skip(1)?[0]);
            let id = hex(reader.skip(length)?);
            reader.skip(RESET_TOKEN_LENGTH)?;
            json!({
                "frame_type": "new_connection_id",
                "sequence_number": sequence,
                "retire_prior_to": retired,
                "connection_id_length": length,
                "connection_id": id,
            })
        }
        0x19 => json!({"frame_type": "retire_connection_id", "sequence_number": reader.number()?}),
        0x1a => json!({"frame_type": "path_challenge", "data": hex(reader.skip(8)?)}),
        0x1b => json!({"frame_type": "path_response", "data": hex(reader.skip(8)?)}),
        0x1c | 0x1d => closing(reader, kind == 0x1c)?,
        0x1e => json!({"frame_type": "handshake_done"}),
        0x30 | 0x31 => {
            let length = reader.length_if(kind & 1 != 0)?;
            reader.skip(length)?;
            json!({"frame_type": "datagram", "length": length})
        }
        // IMMEDIATE_ACK and ACK_FREQUENCY, for which qlog has no name.
        0x1f => unknown(kind),
        0xaf => {
            reader.numbers(4)?;
            unknown(kind)
        }
        _ => return None,
    })
}

fn acknowledgement(reader: &mut Reader<'_>, counts_congestion: bool) -> Option<Value> {
    let mut largest = reader.number()?;
    let delay = reader.number()? << ACK_DELAY_EXPONENT;
    let more = reader.number()?;
    let mut smallest = largest.checked_sub(reader.number()?)?;
    let mut ranges = vec![[smallest, largest]];
    for _ in 0..more {
        largest = smallest.checked_sub(reader.number()? + 2)?;
        smallest = largest.checked_sub(reader.number()?)?;
        ranges.push([smallest, largest]);
    }
    let mut frame = json!({
        "frame_type": "ack",
        "ack_delay": delay as f64 / MICROSECONDS_A_MILLISECOND,
        "acked_ranges": ranges,
    });
    if counts_congestion {
        for name in ["ect0", "ect1", "ce"] {
            frame[name] = reader.number()?.into();
        }
    }
    Some(frame)
}

/// That of the library, which is the default of RFC 9000 section 18.2.
const ACK_DELAY_EXPONENT: u32 = 3;
const MICROSECONDS_A_MILLISECOND: f64 = 1e3;

fn closing(reader: &mut Reader<'_>, is_of_transport: bool) -> Option<Value> {
    let code = reader.number()?;
    let trigger = match is_of_transport {
        true => Some(reader.number()?),
        false => None,
    };
    let length = reader.length()?;
    let reason = String::from_utf8_lossy(reader.skip(length)?).into_owned();
    let mut frame = json!({
        "frame_type": "connection_close",
        "error_space": if is_of_transport { "transport" } else { "application" },
        "error_code": code,
        "reason": reason,
    });
    if let Some(trigger) = trigger {
        frame["trigger_frame_type"] = trigger.into();
    }
    Some(frame)
}

const fn direction(kind: u64) -> &'static str {
    match kind & 1 {
        0 => "bidirectional",
        _ => "unidirectional",
    }
}
