use lasthop_contract::{IpView, Packet, TCP_PROTOCOL, UDP_PROTOCOL};
use serde::{Deserialize, Serialize};

/// The protocol that a firewall blocks: packets are dropped without notice to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// UDP, and with it QUIC, DTLS and CoAP over datagrams.
    Udp,
    /// TCP.
    Tcp,
}

/// The extension header of a part of an IPv6 packet; the first byte in it is the protocol (RFC 8200 section 4.5).
const IPV6_FRAGMENT: u8 = 44;

impl Block {
    const fn protocol(self) -> u8 {
        match self {
            Self::Udp => UDP_PROTOCOL,
            Self::Tcp => TCP_PROTOCOL,
        }
    }

    /// Whether a packet, or the packet that it is a part of, is of the protocol.
    pub(crate) fn stops(self, packet: &Packet) -> bool {
        let bytes = packet.bytes();
        IpView::read(bytes).is_some_and(|view| {
            let carried = match view.protocol() {
                IPV6_FRAGMENT if view.is_ipv6() => bytes.get(view.payload().start).copied(),
                protocol => Some(protocol),
            };
            carried == Some(self.protocol())
        })
    }
}
