use core::net::SocketAddr;
use std::collections::BTreeMap;

use lasthop_contract::{ConnectionId, OpenOptions, Transport};
use lasthop_units::{Duration, Instant};

use crate::ports::Ports;

/// The addresses of other participants, and the flows to them.
#[derive(Debug)]
pub(crate) struct Peers {
    /// The one that is known from the start.
    first: Option<SocketAddr>,
    flows: BTreeMap<SocketAddr, ConnectionId>,
    /// Who was heard or answered, where they hear of discovery, and when last.
    heard: BTreeMap<SocketAddr, Instant>,
}

/// The lease of a silent participant, as `dust_dds` announces it (DDSI-RTPS 2.5 §8.5.3.3).
pub const LEASE: Duration = Duration::from_secs(100);

impl Peers {
    pub(crate) const fn new(first: Option<SocketAddr>) -> Self {
        Self {
            first,
            flows: BTreeMap::new(),
            heard: BTreeMap::new(),
        }
    }

    /// Returns the address that is configured from the start.
    pub(crate) const fn first(&self) -> Option<SocketAddr> {
        self.first
    }

    /// Records that a datagram arrived from an address.
    pub(crate) fn hear(&mut self, now: Instant, from: SocketAddr, connection: ConnectionId) {
        self.flows.insert(from, connection);
        if !Ports::is_of_users(from.port()) {
            self.heard.insert(from, now);
        }
    }

    /// Adds a locator for discovery that a participant announced. It can differ from the address from which the
    /// participant sends.
    pub(crate) fn announce_to(&mut self, now: Instant, address: SocketAddr) {
        self.heard.insert(address, now);
    }

    /// Removes a locator for discovery.
    pub(crate) fn announce_no_more(&mut self, address: SocketAddr) {
        self.heard.remove(&address);
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

    /// Returns the addresses that receive announcements.
    pub(crate) fn participants(&mut self, now: Instant) -> Vec<SocketAddr> {
        self.heard.retain(|_, last| now - *last < LEASE);
        let heard = self.heard.keys().copied();
        let heard = heard.filter(|address| Some(*address) != self.first);
        self.first.into_iter().chain(heard).collect()
    }

    /// Returns the flow to an address, from the local port for the same kind of traffic.
    pub(crate) fn flow(
        &mut self,
        now: Instant,
        (ports, to): (Ports, SocketAddr),
        transport: &mut dyn Transport,
    ) -> Option<ConnectionId> {
        if let Some(flow) = self.flows.get(&to) {
            return Some(*flow);
        }
        let local_port = if Ports::is_of_users(to.port()) {
            ports.user
        } else {
            ports.metatraffic
        };
        let options = OpenOptions {
            local_port: Some(local_port),
            ..OpenOptions::default()
        };
        let flow = transport.open_with(now, to, options, &[]).ok()?;
        self.flows.insert(to, flow);
        Some(flow)
    }
}
