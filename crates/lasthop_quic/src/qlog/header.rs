//! Packet headers (RFC 9000 section 17) in the fields of qlog.

use serde_json::{Value, json};

use super::hex;
use crate::crypto::PlainPacket;
use crate::profile::ID_LENGTH;

/// Returns the header of a packet in qlog's form.
pub(super) fn header(packet: &PlainPacket) -> Value {
    let first = packet.header.first().copied().unwrap_or(0);
    let kind = match (first & 0x80 != 0, first >> 4 & 3) {
        (true, 0) => "initial",
        (true, 1) => "0RTT",
        (true, 2) => "handshake",
        (true, _) => "retry",
        (false, _) => "1RTT",
    };
    let mut header = json!({"packet_type": kind, "packet_number": packet.number});
    let ids = ids(&packet.header);
    header["dcid"] = hex(ids[0]).into();
    if first & 0x80 != 0 {
        header["scid"] = hex(ids[1]).into();
    }
    header
}

/// Whether a datagram is a Retry packet (RFC 9000 section 17.2.5).
pub(crate) fn is_retry(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|first| first & 0xf0 == 0xf0)
}

/// Returns the header of a Retry packet, which has no other content than its integrity tag.
pub(super) fn of_retry(packet: &[u8]) -> Value {
    let [destination, source] = ids(packet);
    let before = 1 + VERSION_LENGTH + 1 + destination.len() + 1 + source.len();
    let end = packet.len().saturating_sub(INTEGRITY_TAG_LENGTH);
    let token = packet.get(before..end).unwrap_or(&[]);
    json!({
        "packet_type": "retry",
        "dcid": hex(destination),
        "scid": hex(source),
        "token": {"type": "retry", "raw": {"data": hex(token)}},
    })
}

/// Returns the destination connection ID of a packet.
pub(super) fn destination(header: &[u8]) -> String {
    hex(ids(header)[0])
}

/// The connection ids of both ends; a short header has that of its destination alone.
fn ids(header: &[u8]) -> [&[u8]; 2] {
    let Some((first, rest)) = header.split_first() else {
        return [&[]; 2];
    };
    if first & 0x80 == 0 {
        return [rest.get(..ID_LENGTH).unwrap_or(&[]), &[]];
    }
    let mut rest = rest.get(VERSION_LENGTH..).unwrap_or(&[]);
    [(); 2].map(|()| {
        let (length, behind) = rest.split_first().unwrap_or((&0, &[]));
        let (id, behind) = behind
            .split_at_checked(usize::from(*length))
            .unwrap_or((&[], &[]));
        rest = behind;
        id
    })
}

const VERSION_LENGTH: usize = 4;
const INTEGRITY_TAG_LENGTH: usize = 16;
