use core::net::IpAddr;

use lasthop_contract::{InterfaceId, JoinError, ListenError, LookupMap, Mtu};

use crate::port_table::SharedPorts;

/// The addresses and ports of one transport in its host.
///
/// A device has one transport and one address. In a host with several transports, [`HostNetwork`](crate::HostNetwork)
/// creates one `Local` for each.
#[derive(Clone, Debug)]
pub struct Local {
    /// Of the first interface, and of all that have none of their own.
    address: IpAddr,
    /// The next port that a client gets.
    next: u16,
    /// A slice, because most hosts listen at one port or none and there are many hosts.
    listening: Box<[u16]>,
    more: Option<Box<More>>,
}

/// What few hosts have.
#[derive(Clone, Debug, Default)]
struct More {
    addresses: Vec<(InterfaceId, IpAddr)>,
    groups: Vec<(IpAddr, u16)>,
    shared: Option<SharedPorts>,
    /// How large packets by interfaces may be.
    mtus: LookupMap<InterfaceId, Mtu>,
}

/// The first of the ports that clients use (RFC 6335 section 6).
pub(crate) const FIRST_EPHEMERAL: u16 = 49_152;

impl From<IpAddr> for Local {
    fn from(address: IpAddr) -> Self {
        Self {
            address,
            next: FIRST_EPHEMERAL,
            listening: Box::default(),
            more: None,
        }
    }
}

impl Local {
    /// A place among others.
    pub(crate) fn beside_others(
        address: IpAddr,
        addresses: Vec<(InterfaceId, IpAddr)>,
        shared: SharedPorts,
    ) -> Self {
        let more = More {
            addresses,
            shared: Some(shared),
            ..More::default()
        };
        Self {
            more: Some(Box::new(more)),
            ..Self::from(address)
        }
    }

    /// Says which protocol above IP it is.
    pub(crate) fn speak(&mut self, protocol: u8) {
        if let Some(shared) = self.shared() {
            shared.speak(protocol);
        }
    }

    /// The address of an interface.
    #[inline]
    pub(crate) fn address(&self, interface: Option<InterfaceId>) -> IpAddr {
        match (&self.more, interface) {
            (Some(more), Some(interface)) => more.address(interface).unwrap_or(self.address),
            _ => self.address,
        }
    }

    /// The address that packets to an address of this IP version come from.
    #[inline]
    pub(crate) fn address_towards(
        &self,
        peer: IpAddr,
        interface: Option<InterfaceId>,
    ) -> Option<IpAddr> {
        if self.more.is_none() {
            return (self.address.is_ipv4() == peer.is_ipv4()).then_some(self.address);
        }
        self.address_of_several(peer, interface)
    }

    fn address_of_several(&self, peer: IpAddr, interface: Option<InterfaceId>) -> Option<IpAddr> {
        let is_like = |address: &IpAddr| address.is_ipv4() == peer.is_ipv4();
        let chosen = self.address(interface);
        if interface.is_some() || is_like(&chosen) {
            return Some(chosen).filter(is_like);
        }
        let all = self.more.iter().flat_map(|more| &more.addresses);
        all.map(|(_, address)| *address).find(is_like)
    }

    /// Whether an address is the host's.
    #[inline]
    pub(crate) fn has(&self, address: IpAddr) -> bool {
        let is_of = |more: &More| more.addresses.iter().any(|(_, own)| *own == address);
        address == self.address || self.more.as_deref().is_some_and(is_of)
    }

    /// Whether packets to a group and port are received.
    pub(crate) fn is_member(&self, group: IpAddr, port: u16) -> bool {
        let is_of = |more: &More| more.groups.contains(&(group, port));
        self.more.as_deref().is_some_and(is_of)
    }

    /// Gives an interface another address.
    pub(crate) fn change_address(&mut self, interface: InterfaceId, address: IpAddr) {
        let own = self.more.as_mut().map(|more| &mut more.addresses);
        let place = own.and_then(|own| own.iter_mut().find(|(of, _)| *of == interface));
        match place {
            Some((_, own)) => *own = address,
            None if interface == InterfaceId(0) => self.address = address,
            None => {
                let more = self.more.get_or_insert_default();
                more.addresses.push((interface, address));
            }
        }
    }

    /// Says how large packets by an interface may be.
    pub(crate) fn set_mtu(&mut self, interface: InterfaceId, mtu: Mtu) {
        self.more
            .get_or_insert_default()
            .mtus
            .insert(interface, mtu);
    }

    /// How large packets by an interface may be, where that has been said.
    pub(crate) fn mtu(&self, interface: Option<InterfaceId>) -> Option<Mtu> {
        let mtus = &self.more.as_deref()?.mtus;
        mtus.get(&interface.unwrap_or(InterfaceId(0))).copied()
    }

    /// Accepts at a port from now on.
    pub(crate) fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        if self.is_listening(port) || !self.claim(port) {
            return Err(ListenError(port));
        }
        self.listening = self.listening.iter().copied().chain([port]).collect();
        Ok(())
    }

    #[inline]
    pub(crate) fn is_listening(&self, port: u16) -> bool {
        self.listening.contains(&port)
    }

    /// Receives what is sent to a group at a port from now on.
    pub(crate) fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        if !group.is_multicast() {
            return Err(JoinError::NoGroup(group));
        }
        if !self.claim(port) {
            return Err(JoinError::PortTaken(port));
        }
        if !self.is_member(group, port) {
            let more = self.more.get_or_insert_default();
            more.groups.push((group, port));
        }
        Ok(())
    }

    /// Makes a port this transport's, if it is no other's. It may be already.
    pub(crate) fn claim(&mut self, port: u16) -> bool {
        self.shared().is_none_or(|shared| shared.claim(port))
    }

    /// The next port in turn that nobody listens at and that is not taken.
    pub(crate) fn take_free(&mut self, is_taken: impl Fn(u16) -> bool) -> Option<u16> {
        let listening = &self.listening;
        let is_taken = |port| listening.contains(&port) || is_taken(port);
        let next = &mut self.next;
        match self.more.as_mut().and_then(|more| more.shared.as_mut()) {
            Some(shared) => shared.take_free(next, is_taken),
            None => (FIRST_EPHEMERAL..=u16::MAX).find_map(|_| {
                let port = *next;
                *next = port.checked_add(1).unwrap_or(FIRST_EPHEMERAL);
                (!is_taken(port)).then_some(port)
            }),
        }
    }

    /// Accepts nothing any more.
    pub(crate) fn stop_listening(&mut self) {
        self.listening = Box::default();
        if let Some(more) = &mut self.more {
            more.groups.clear();
        }
        if let Some(shared) = self.shared() {
            shared.release();
        }
    }

    fn shared(&mut self) -> Option<&mut SharedPorts> {
        self.more.as_mut()?.shared.as_mut()
    }
}

impl More {
    fn address(&self, interface: InterfaceId) -> Option<IpAddr> {
        let mut all = self.addresses.iter();
        all.find_map(|(of, address)| (*of == interface).then_some(*address))
    }
}
