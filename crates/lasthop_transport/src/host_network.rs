use core::net::IpAddr;
use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{DiscardReason, InterfaceId, IpView, Packet};

use crate::Local;
use crate::port_table::{PortTable, SharedPorts};

/// What several transports of one host share: its addresses, and the ports of each protocol above IP.
///
/// A port belongs to one of them. Those that clients are given come from blocks that no two transports have in common.
#[derive(Debug)]
pub struct HostNetwork {
    address: IpAddr,
    addresses: Vec<(InterfaceId, IpAddr)>,
    ports: PortOwners,
    places: u8,
}

/// Which transport of a [`HostNetwork`] is meant, from 0 in the order of [`HostNetwork::place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnId(pub(crate) u8);

/// Who is to have a packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct PortOwners {
    table: Rc<RefCell<PortTable>>,
}

impl HostNetwork {
    /// The network of a host whose interfaces all have this address.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self {
            address,
            addresses: Vec::new(),
            ports: PortOwners::default(),
            places: 0,
        }
    }

    /// The same with another address of one interface.
    #[must_use]
    pub fn with_address(mut self, interface: InterfaceId, address: IpAddr) -> Self {
        self.addresses.push((interface, address));
        self
    }

    /// A place for one more transport, and what it is called.
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
