use super::ieee802154::{DataFrame, Framing, data_frame};
use super::{Frame, wireless};
use crate::Sight;

/// The content of a frame after its link-layer header.
pub(crate) enum Link<'a> {
    /// An IP packet: its captured bytes, its maximum length, and whether the capturing host sent it.
    Ip {
        bytes: &'a [u8],
        length: usize,
        sight: Sight,
    },
    /// A frame of IEEE 802.15.4, which may carry 6LoWPAN.
    Lowpan(DataFrame<'a>),
    /// Another protocol, for example ARP or spanning tree.
    NotIp,
    /// An unsupported link layer.
    Unknown,
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
const PPPOE: u16 = 0x8864;
const MPLS: [u16; 2] = [0x8847, 0x8848];
/// What names a kind below it is the length of an 802.3 frame.
const LONGEST_8023: u16 = 1500;
/// LLC of a SNAP header that holds a kind as Ethernet has it (RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 3, 0, 0, 0];
/// The address and control fields of PPP in HDLC framing, which may be left out (RFC 1662 section 3.1).
const HDLC: [u8; 2] = [0xff, 3];

/// Removes the link-layer header of a frame.
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
        // IEEE 802.11, without and with a radiotap header.
        105 | 127 => {
            let payload = match frame.link_type {
                105 => wireless::payload(bytes),
                _ => wireless::payload_behind_radiotap(bytes),
            };
            let behind = payload.and_then(|payload| behind_snap(bytes, payload.start));
            match behind {
                Some((header, kind)) => (header, Some(kind), frame.sight),
                None => return Link::NotIp,
            }
        }
        // PPP, with or without HDLC framing.
        9 | 50 => match ppp(
            bytes,
            if bytes.starts_with(&HDLC) {
                HDLC.len()
            } else {
                0
            },
        ) {
            Some((header, kind)) => (header, Some(kind), frame.sight),
            None => return Link::NotIp,
        },
        // IEEE 802.15.4 with a frame check, without, and behind TAP.
        195 => return lowpan(frame, Framing::WithCheck),
        230 => return lowpan(frame, Framing::WithoutCheck),
        283 => return lowpan(frame, Framing::Tap),
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

fn lowpan<'a>(frame: &Frame<'a>, framing: Framing) -> Link<'a> {
    data_frame(frame.bytes, frame.length, framing).map_or(Link::NotIp, Link::Lowpan)
}

/// Where the packet begins, and its kind, behind the tags of virtual networks, LLC, PPPoE and MPLS.
fn behind_tags(bytes: &[u8], mut at: usize) -> Option<(usize, u16)> {
    loop {
        match be16(bytes, at)? {
            tag if VLAN.contains(&tag) => at += 4,
            PPPOE => return ppp(bytes, at + 8),
            kind if MPLS.contains(&kind) => return behind_labels(bytes, at + 2),
            length if length <= LONGEST_8023 => {
                let snap = bytes.get(at + 2..)?.starts_with(&SNAP);
                at = snap.then_some(at + 2 + SNAP.len())?;
            }
            kind => return Some((at + 2, kind)),
        }
    }
}

/// Where the packet begins, and its kind, behind a SNAP header.
fn behind_snap(bytes: &[u8], at: usize) -> Option<(usize, u16)> {
    let has_snap = bytes.get(at..)?.starts_with(&SNAP);
    behind_tags(bytes, has_snap.then_some(at + SNAP.len())?)
}

/// Behind the number of a protocol of PPP, which has one byte where both ends agreed on that (RFC 1661 section 6.5).
fn ppp(bytes: &[u8], at: usize) -> Option<(usize, u16)> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (0x21, _) => Some((at + 1, IPV4)),
        (0x57, _) => Some((at + 1, IPV6)),
        (0, Some(0x21)) => Some((at + 2, IPV4)),
        (0, Some(0x57)) => Some((at + 2, IPV6)),
        _ => None,
    }
}

/// Behind a stack of labels of MPLS (RFC 3032 section 2.1), which do not say what follows: the version of IP does.
fn behind_labels(bytes: &[u8], mut at: usize) -> Option<(usize, u16)> {
    const IS_LAST: u8 = 1;
    loop {
        let label: &[u8; 4] = bytes.get(at..)?.first_chunk()?;
        at += label.len();
        if label[2] & IS_LAST != 0 {
            return match bytes.get(at)? >> 4 {
                4 => Some((at, IPV4)),
                6 => Some((at, IPV6)),
                _ => None,
            };
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
