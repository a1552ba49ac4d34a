use core::net::SocketAddr;

use lasthop_contract::{IpView, TCP_PROTOCOL};

use crate::capture::{Frame, Link, strip};
use crate::tcp::Segment;

/// An MQTT PUBLISH in a captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The sender's address and port.
    pub sender: SocketAddr,
    /// The TCP sequence number of the first byte.
    pub sequence: u32,
    /// The two QoS bits, 0 to 3.
    pub qos: u8,
    /// The packet identifier, which QoS 0 lacks.
    pub identifier: Option<u16>,
    /// Whether DUP is set: the message may be a retransmission.
    pub is_again: bool,
}

/// The fixed header of a packet of MQTT (MQTT 5 section 2.1).
struct Head {
    first: u8,
    length: usize,
    rest: usize,
}

const PUBLISH: u8 = 3;

/// Returns the PUBLISH packets in a frame that contain a text. Encrypted packets, and packets that continue in another
/// frame, are not found.
#[must_use]
pub fn publications(frame: &Frame<'_>, text: &[u8]) -> Vec<Publication> {
    found_in(frame, text).unwrap_or_default()
}

fn found_in(frame: &Frame<'_>, text: &[u8]) -> Option<Vec<Publication>> {
    let Link::Ip { bytes, length, .. } = strip(frame) else {
        return None;
    };
    let ip = IpView::read_beginning(bytes, length)?;
    if ip.protocol() != TCP_PROTOCOL || ip.is_fragment() {
        return None;
    }
    let payload = ip.payload();
    let kept = bytes.get(payload.start..payload.end.min(bytes.len()))?;
    let segment = Segment::read(kept, payload.len())?;
    let sender = SocketAddr::new(ip.source(bytes), segment.ports.0);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(head) = Head::read(&segment.kept[at..]) {
        let end = at + head.length + head.rest;
        let Some(packet) = segment.kept.get(at..end) else {
            break;
        };
        let holds = packet.windows(text.len()).any(|it| it == text);
        if head.first >> 4 == PUBLISH && holds {
            found.extend(publication(sender, segment.seq, at, packet, &head));
        }
        at = end;
    }
    Some(found)
}

fn publication(
    sender: SocketAddr,
    sequence: u32,
    at: usize,
    packet: &[u8],
    head: &Head,
) -> Option<Publication> {
    let half = |at: usize| Some(u16::from_be_bytes(*packet.get(at..)?.first_chunk()?));
    let topic = usize::from(half(head.length)?);
    let qos = head.first >> 1 & 3;
    let identifier = match qos {
        0 => None,
        _ => Some(half(head.length + 2 + topic)?),
    };
    Some(Publication {
        sender,
        sequence: sequence.wrapping_add(at as u32),
        qos,
        identifier,
        is_again: head.first & 8 != 0,
    })
}

impl Head {
    fn read(bytes: &[u8]) -> Option<Self> {
        const LONGEST: usize = 4;
        let (first, length) = bytes.split_first()?;
        let mut rest = 0;
        for (place, byte) in length.iter().take(LONGEST).enumerate() {
            rest |= usize::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(Self {
                    first: *first,
                    length: 2 + place,
                    rest,
                });
            }
        }
        None
    }
}
