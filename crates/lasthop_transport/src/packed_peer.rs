use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use lasthop_contract::InterfaceId;

/// Address and port of a peer and the way to it, in little room: hosts have many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedPeer {
    /// In network byte order; IPv4 in the first four bytes.
    address: [u8; 16],
    interface: u32,
    port: u16,
    is_ipv4: bool,
}

const NO_INTERFACE: u32 = u32::MAX;

impl PackedPeer {
    #[inline]
    pub(crate) fn new(peer: SocketAddr, interface: Option<InterfaceId>) -> Self {
        let mut address = [0; 16];
        match peer.ip() {
            IpAddr::V4(v4) => address[..4].copy_from_slice(&v4.octets()),
            IpAddr::V6(v6) => address = v6.octets(),
        }
        Self {
            address,
            interface: interface.map_or(NO_INTERFACE, |interface| interface.0),
            port: peer.port(),
            is_ipv4: peer.is_ipv4(),
        }
    }

    #[inline]
    pub(crate) fn address(&self) -> SocketAddr {
        let [a, b, c, d, ..] = self.address;
        let ip = if self.is_ipv4 {
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        } else {
            IpAddr::V6(Ipv6Addr::from(self.address))
        };
        SocketAddr::new(ip, self.port)
    }

    /// The interface that its last packet came by, or that packets to it are to leave by.
    #[inline]
    pub(crate) fn interface(&self) -> Option<InterfaceId> {
        (self.interface != NO_INTERFACE).then_some(InterfaceId(self.interface))
    }

    #[inline]
    pub(crate) fn came_by(&mut self, interface: Option<InterfaceId>) {
        if let Some(interface) = interface {
            self.interface = interface.0;
        }
    }
}
