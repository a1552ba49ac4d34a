use core::net::SocketAddr;

use lasthop_contract::{IpView, Packet, TCP_PROTOCOL, UDP_PROTOCOL};

/// The resources that a packet needs at a device: room for a connection, a segment or a datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) what: What,
    pub(crate) peer: SocketAddr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The first segment of a connection (RFC 9293 section 3.5).
    Opening,
    /// A segment with this many bytes of data.
    Segment(usize),
    /// A datagram with this many bytes of data.
    Datagram(usize),
    /// A packet that needs no room, for example an acknowledgement or an unreadable packet.
    Other,
}

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

impl Arrival {
    /// Reads the headers of a packet.
    pub(crate) fn of(packet: &Packet) -> Self {
        Self::read(packet.bytes()).unwrap_or(Self {
            what: What::Other,
            peer: SocketAddr::from(([0; 4], 0)),
        })
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let ip = IpView::read(bytes)?;
        let above = bytes.get(ip.payload())?;
        let port = u16::from_be_bytes(*above.first_chunk()?);
        let what = match ip.protocol() {
            TCP_PROTOCOL => {
                let header = usize::from(above.get(12)? >> 4) * 4;
                let payload = above.len().checked_sub(header)?;
                let flags = above.get(13)? & (SYN | ACK);
                match (flags, payload) {
                    (SYN, _) => What::Opening,
                    (_, 0) => What::Other,
                    (_, payload) => What::Segment(payload),
                }
            }
            UDP_PROTOCOL => What::Datagram(above.len().checked_sub(8)?),
            _ => What::Other,
        };
        let peer = SocketAddr::new(ip.source(bytes), port);
        Some(Self { what, peer })
    }
}
