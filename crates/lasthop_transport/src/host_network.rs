use core::net::IpAddr;
use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{DiscardReason, InterfaceId, IpView, Packet};

use crate::Local;
use crate::port_table::{PortTable, SharedPorts};

/// The addresses of a host and the ports of each protocol, which its transports share.
///
/// Each port belongs to one transport. Clients get ports from blocks that are separate for each transport.
#[derive(Debug)]
pub struct HostNetwork {
    address: IpAddr,
    addresses: Vec<(InterfaceId, IpAddr)>,
    ports: PortOwners,
    places: u8,
}

/// The index of a transport in a [`HostNetwork`], in the order of calls of [`HostNetwork::place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnId(pub(crate) u8);

/// Who is to have a packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct PortOwners {
    table: Rc<RefCell<PortTable>>,
}

impl HostNetwork {
    /// Creates the network of a host with one address for all interfaces.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self {
            address,
            addresses: Vec::new(),
            ports: PortOwners::default(),
            places: 0,
        }
    }

    /// Sets another address for one interface.
    #[must_use]
    pub fn with_address(mut self, interface: InterfaceId, address: IpAddr) -> Self {
        self.addresses.push((interface, address));
        self
    }

    /// Adds a transport. Returns its ID, and its addresses and ports.
    ///
    /// # Panics
    /// For more than 255 transports.
    pub fn place(&mut self) -> (ColumnId, Local) {
        let column = self.places;
        self.places = column.checked_add(1).expect("a host has a few transports");
        let shared = SharedPorts::new(Rc::clone(&self.ports.table), column);
        let local = Local::beside_others(self.address, self.addresses.clone(), shared);
        (ColumnId(column), local)
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.places.into()
    }

    pub(crate) fn ports(&self) -> PortOwners {
        self.ports.clone()
    }
}

impl PortOwners {
    /// The transport that a packet is for, by its protocol and port.
    ///
    /// # Errors
    /// When it cannot be read, or no transport speaks its protocol.
    pub(crate) fn owner_of(&self, packet: &Packet) -> Result<ColumnId, DiscardReason> {
        let bytes = packet.bytes();
        let view = IpView::read(bytes).ok_or(DiscardReason::Malformed)?;
        // Of what has no ports, the transport says what it is.
        let (_, port) = view.ports(bytes).unwrap_or_default();
        let owner = self.table.borrow().owner(view.protocol(), port);
        owner.map(ColumnId).ok_or(DiscardReason::UnknownProtocol)
    }
}
