use core::net::SocketAddr;
use std::collections::BTreeMap;

use lasthop_contract::{ConnectionId, OpenOptions, Transport};
use lasthop_units::{Duration, Instant};

use crate::ports::Ports;

/// Where the other participants are, and the flows that lead there.
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

    /// The one that is known from the start.
    pub(crate) const fn first(&self) -> Option<SocketAddr> {
        self.first
    }

    /// Something came from an address.
    pub(crate) fn hear(&mut self, now: Instant, from: SocketAddr, connection: ConnectionId) {
        self.flows.insert(from, connection);
        if !Ports::is_of_users(from.port()) {
            self.heard.insert(from, now);
        }
    }

    /// A participant has said that it hears of discovery there (its locators), which need not be where it speaks from.
    pub(crate) fn announce_to(&mut self, now: Instant, address: SocketAddr) {
        self.heard.insert(address, now);
    }

    /// Nobody hears of discovery at an address any more.
    pub(crate) fn announce_no_more(&mut self, address: SocketAddr) {
        self.heard.remove(&address);
    }

    /// A flow is gone.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.flows.retain(|_, flow| *flow != connection);
    }

    /// The host went off: all flows are gone.
    pub(crate) fn clear(&mut self) {
        self.flows.clear();
        self.heard.clear();
    }

    /// Where announcements go.
    pub(crate) fn participants(&mut self, now: Instant) -> Vec<SocketAddr> {
        self.heard.retain(|_, last| now - *last < LEASE);
        let heard = self.heard.keys().copied();
        let heard = heard.filter(|address| Some(*address) != self.first);
        self.first.into_iter().chain(heard).collect()
    }

    /// The flow to an address, from our port of the same use.
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
