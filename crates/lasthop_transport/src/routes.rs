use core::net::IpAddr;

use lasthop_contract::{InterfaceId, LookupMap, Packet};

use crate::IpPacket;

/// The routes of a host, for packets without an interface.
///
/// An answer leaves by the interface that the question came by, so that routes are for who speaks first.
#[derive(Debug, Default)]
pub enum Routes {
    /// All packets leave by the first interface.
    #[default]
    OneInterface,
    /// Routes by destination. Packets to other addresses leave by the first interface.
    ByDestination(Box<LookupMap<IpAddr, InterfaceId>>),
}

impl Routes {
    /// Routes packets to an address through an interface from now on.
    pub fn set(&mut self, destination: IpAddr, interface: InterfaceId) {
        match self {
            Self::OneInterface => {
                let mut table = LookupMap::new();
                table.insert(destination, interface);
                *self = Self::ByDestination(Box::new(table));
            }
            Self::ByDestination(table) => {
                table.insert(destination, interface);
            }
        }
    }

    /// Returns the interface through which a packet leaves.
    #[inline]
    #[must_use]
    pub fn interface_of(&self, packet: &Packet) -> InterfaceId {
        match (packet.interface(), self) {
            (Some(interface), _) => interface,
            (None, Self::OneInterface) => InterfaceId(0),
            (None, Self::ByDestination(table)) => by_destination(table, packet),
        }
    }
}

fn by_destination(table: &LookupMap<IpAddr, InterfaceId>, packet: &Packet) -> InterfaceId {
    IpPacket::parse(packet.bytes())
        .ok()
        .and_then(|ip| table.get(&ip.destination).copied())
        .unwrap_or(InterfaceId(0))
}
