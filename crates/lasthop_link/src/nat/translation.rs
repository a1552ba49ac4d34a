use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use core::ops::Range;

use lasthop_contract::{IpView, TCP_PROTOCOL, UDP_PROTOCOL};

use super::checksum;
use super::mapping::Endpoint;
use super::session::{Flags, Segment};

/// Where a translatable packet has what is to be translated: a whole UDP or TCP packet over IPv4 or IPv6.
#[derive(Clone, Copy, Debug)]
pub(super) struct Translatable {
    is_ipv6: bool,
    protocol: Protocol,
    /// Where the UDP or TCP header begins.
    transport: usize,
}

/// A protocol that has ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Protocol {
    Udp,
    Tcp,
}

/// Which end of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    Source,
    Destination,
}

const IPV4_CHECKSUM: Range<usize> = 10..12;

impl Translatable {
    /// Reads the headers. `None` for fragments, IPv6 extension headers, other protocols, and lengths and IPv4
    /// header checksums that are wrong: a router drops such a packet (RFC 1812 section 5.2.2).
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let view = IpView::read(bytes)?;
        if view.is_fragment() || !view.is_header_intact(bytes) {
            return None;
        }
        let place = view.payload();
        Self::of_transport(view.protocol(), place.start, place.end, view.is_ipv6())
    }

    /// The address and port at a side.
    pub(super) fn endpoint(&self, bytes: &[u8], side: Side) -> Endpoint {
        let address = &bytes[self.address_range(side)];
        let address = match (<[u8; 4]>::try_from(address), <[u8; 16]>::try_from(address)) {
            (Ok(octets), _) => IpAddr::V4(Ipv4Addr::from(octets)),
            (_, Ok(octets)) => IpAddr::V6(Ipv6Addr::from(octets)),
            _ => unreachable!("an address range has 4 or 16 bytes"),
        };
        Endpoint {
            protocol: self.protocol,
            address,
            port: read_u16(bytes, self.port_range(side)),
        }
    }

    /// What TCP says in it to or from a peer outside, which is at this side; `None` for UDP.
    pub(super) fn segment(&self, bytes: &[u8], outside: Side) -> Option<Segment> {
        (self.protocol == Protocol::Tcp).then(|| {
            let peer = self.endpoint(bytes, outside);
            Segment {
                peer: SocketAddr::new(peer.address, peer.port),
                flags: Flags(bytes[self.transport + 13]),
            }
        })
    }

    /// Sets the address, of the packet's IP version, and the port at a side, and updates the checksums.
    pub(super) fn rewrite(&self, bytes: &mut [u8], side: Side, address: IpAddr, port: u16) {
        match address {
            IpAddr::V4(address) => self.rewrite_address(bytes, side, &address.octets()),
            IpAddr::V6(address) => self.rewrite_address(bytes, side, &address.octets()),
        }
        self.replace(bytes, self.port_range(side), &port.to_be_bytes());
    }

    fn rewrite_address(&self, bytes: &mut [u8], side: Side, address: &[u8]) {
        let range = self.address_range(side);
        if !self.is_ipv6 {
            let header = read_u16(bytes, IPV4_CHECKSUM);
            let header = checksum::updated(header, &bytes[range.clone()], address);
            bytes[IPV4_CHECKSUM].copy_from_slice(&header.to_be_bytes());
        }
        // The address is in the pseudo-header, under the checksum of the transport.
        self.replace(bytes, range, address);
    }

    /// Sets bytes that are under the checksum of the transport.
    fn replace(&self, bytes: &mut [u8], range: Range<usize>, new: &[u8]) {
        let place = self.checksum_range();
        let before = read_u16(bytes, place.clone());
        let after = checksum::updated(before, &bytes[range.clone()], new);
        let after = match (self.protocol, before, after) {
            // RFC 768: zero says that there is no checksum; one that comes out as zero is sent as all ones.
            (Protocol::Udp, 0, _) => 0,
            (Protocol::Udp, _, 0) => 0xffff,
            (_, _, after) => after,
        };
        bytes[range].copy_from_slice(new);
        bytes[place].copy_from_slice(&after.to_be_bytes());
    }

    fn of_transport(number: u8, transport: usize, total: usize, is_ipv6: bool) -> Option<Self> {
        let (protocol, header) = match number {
            UDP_PROTOCOL => (Protocol::Udp, 8),
            TCP_PROTOCOL => (Protocol::Tcp, 20),
            _ => return None,
        };
        (transport + header <= total).then_some(Self {
            is_ipv6,
            protocol,
            transport,
        })
    }

    fn address_range(&self, side: Side) -> Range<usize> {
        match (self.is_ipv6, side) {
            (false, Side::Source) => 12..16,
            (false, Side::Destination) => 16..20,
            (true, Side::Source) => 8..24,
            (true, Side::Destination) => 24..40,
        }
    }

    fn port_range(&self, side: Side) -> Range<usize> {
        let start = match side {
            Side::Source => self.transport,
            Side::Destination => self.transport + 2,
        };
        start..start + 2
    }

    fn checksum_range(&self) -> Range<usize> {
        let start = match self.protocol {
            Protocol::Udp => self.transport + 6,
            Protocol::Tcp => self.transport + 16,
        };
        start..start + 2
    }
}

fn read_u16(bytes: &[u8], range: Range<usize>) -> u16 {
    u16::from_be_bytes([bytes[range.start], bytes[range.start + 1]])
}
