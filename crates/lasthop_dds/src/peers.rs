use core::net::SocketAddr;
use std::collections::BTreeMap;

use lasthop_contract::{ConnectionId, OpenOptions, Transport};
use lasthop_units::{Duration, Instant};

use crate::contact::Contact;
use crate::ports::Ports;

/// The contacts of other participants, and the flows to them.
#[derive(Debug)]
pub(crate) struct Peers {
    /// The one that is known from the start.
    first: Option<Contact>,
    flows: BTreeMap<SocketAddr, ConnectionId>,
    /// Who was heard or answered, where they hear of discovery, and when last.
    heard: BTreeMap<Contact, Instant>,
}

/// The lease of a silent participant, as `dust_dds` announces it (DDSI-RTPS 2.5 §8.5.3.3).
pub const LEASE: Duration = Duration::from_secs(100);

impl Peers {
    pub(crate) const fn new(first: Option<Contact>) -> Self {
        Self {
            first,
            flows: BTreeMap::new(),
            heard: BTreeMap::new(),
        }
    }

    /// Returns the contact that is configured from the start.
    pub(crate) const fn first(&self) -> Option<Contact> {
        self.first
    }

    /// Records the flow that leads to an address.
    pub(crate) fn reach(&mut self, address: SocketAddr, connection: ConnectionId) {
        self.flows.insert(address, connection);
    }

    /// Records that a participant hears of discovery at a contact: it spoke from there, or announced it.
    pub(crate) fn announce_to(&mut self, now: Instant, contact: Contact) {
        self.heard.insert(contact, now);
    }

    /// Removes a contact for discovery.
    pub(crate) fn announce_no_more(&mut self, contact: Contact) {
        self.heard.remove(&contact);
    }

    /// Removes a closed flow.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.flows.retain(|_, flow| *flow != connection);
    }

    /// Removes all flows, because the host was switched off.
    pub(crate) fn clear(&mut self) {
        self.flows.clear();
        self.heard.clear();
    }

    /// Returns the contacts that receive announcements.
    pub(crate) fn participants(&mut self, now: Instant) -> Vec<Contact> {
        self.heard.retain(|_, last| now - *last < LEASE);
        let heard = self.heard.keys().copied();
        let heard = heard.filter(|contact| Some(*contact) != self.first);
        self.first.into_iter().chain(heard).collect()
    }

    /// Returns the flow to a contact.
    ///
    /// A UDP flow leaves from the local port for the same kind of traffic. A TCP connection is opened only to the
    /// participant that is known from the start. It names the TCP port that this participant announces.
    pub(crate) fn flow(
        &mut self,
        now: Instant,
        (own, ports): (Contact, Ports),
        to: Contact,
        transport: &mut dyn Transport,
    ) -> Option<ConnectionId> {
        if let Some(flow) = self.flows.get(&to.address) {
            return Some(*flow);
        }
        let local_port = match to.logical_port {
            None if to.is_of_users() => ports.user,
            None => ports.metatraffic,
            Some(_) => {
                self.first.filter(|first| first.address == to.address)?;
                own.address.port()
            }
        };
        let options = OpenOptions {
            local_port: Some(local_port),
            ..OpenOptions::default()
        };
        let flow = transport.open_with(now, to.address, options, &[]).ok()?;
        self.flows.insert(to.address, flow);
        Some(flow)
    }
}
