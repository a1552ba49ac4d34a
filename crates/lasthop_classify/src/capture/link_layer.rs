use super::Frame;
use crate::Sight;

/// What is below IP in a frame.
pub(crate) enum Link<'a> {
    /// An IP packet: what was kept of it, how long it was at most, and who saw it.
    Ip {
        bytes: &'a [u8],
        length: usize,
        sight: Sight,
    },
    /// Something else: ARP, a spanning tree, ...
    NotIp,
    /// A link layer that is not known here.
    Unknown,
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
const PPPOE: u16 = 0x8864;

/// Takes the link layer off a frame.
pub(crate) fn strip<'a>(frame: &Frame<'a>) -> Link<'a> {
    let bytes = frame.bytes;
    let ether = |at| be16(bytes, at);
    let (header, kind, sight) = match frame.link_type {
        // NULL, LOOP: a family of which each system has its own numbers, so the version decides.
        0 | 108 => (4, None, frame.sight),
        1 => match behind_tags(bytes, 12) {
            Some((header, kind)) => (header, Some(kind), frame.sight),
            None => return Link::NotIp,
        },
        // RAW, by the systems that have numbers of their own; IPV4; IPV6.
        12 | 14 | 101 | 228 | 229 => (0, None, frame.sight),
        // Linux cooked, versions 1 and 2.
        113 => match behind_tags(bytes, 14) {
            Some((header, kind)) => (header, Some(kind), cooked(ether(0))),
            None => return Link::NotIp,
        },
        276 => {
            let packet_type = bytes.get(10).map(|kind| u16::from(*kind));
            (20, ether(0), cooked(packet_type))
        }
        _ => return Link::Unknown,
    };
    let is_ip = kind.is_none_or(|kind| matches!(kind, IPV4 | IPV6));
    match bytes.get(header..) {
        Some(rest) if is_ip && matches!(rest.first().map(|first| first >> 4), Some(4 | 6)) => {
            Link::Ip {
                bytes: rest,
                length: frame.length - header,
                sight,
            }
        }
        _ => Link::NotIp,
    }
}

/// Where the packet begins, and its kind, behind the tags of virtual networks and PPPoE.
fn behind_tags(bytes: &[u8], mut at: usize) -> Option<(usize, u16)> {
    loop {
        match be16(bytes, at)? {
            tag if VLAN.contains(&tag) => at += 4,
            PPPOE => {
                return match be16(bytes, at + 8)? {
                    0x0021 => Some((at + 10, IPV4)),
                    0x0057 => Some((at + 10, IPV6)),
                    _ => None,
                };
            }
            kind => return Some((at + 2, kind)),
        }
    }
}

/// Who saw a frame, by the packet type of a Linux cooked capture.
fn cooked(packet_type: Option<u16>) -> Sight {
    match packet_type {
        Some(0..=2) => Sight::Received,
        Some(4) => Sight::Sent,
        _ => Sight::Unknown,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
