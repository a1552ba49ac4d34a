use core::net::IpAddr;

use lasthop_contract::{LookupMap, Port};
use lasthop_units::{Duration, Instant};

use super::NatConfig;
use super::session::{Segment, Sender, Session};
use super::translation::Protocol;

/// An address and port of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Endpoint {
    pub(super) protocol: Protocol,
    pub(super) address: IpAddr,
    pub(super) port: u16,
}

/// Which inside endpoint has which outside port.
#[derive(Debug, Default)]
pub(super) struct MappingTable {
    outside_ports: LookupMap<Endpoint, u16>,
    mappings: LookupMap<OutsidePort, Mapping>,
    /// How many ports were given out, dead ones included.
    given: u64,
    /// Until when no port of a kind can become free, since all were seen in use.
    full_until: LookupMap<Kind, Instant>,
}

/// Ports of one protocol and one of the outside addresses.
type Kind = (Protocol, bool);

/// A port of one of the outside addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OutsidePort {
    protocol: Protocol,
    is_ipv6: bool,
    port: u16,
}

#[derive(Clone, Copy, Debug)]
struct Mapping {
    inside: Endpoint,
    /// Where it last sent from.
    place: Port,
    /// When its host sent last, or its peer ended what was open.
    kept_at: Instant,
    /// Of TCP.
    session: Option<Session>,
    /// The period between forced rebindings in which it was made.
    period: u64,
}

/// Well-known ports are not given out.
pub(super) const FIRST_PORT: u64 = 1024;

impl MappingTable {
    /// The outside port of an inside endpoint that sends now, at this place, a segment where it is TCP; `None` when all
    /// ports are in use.
    pub(super) fn outbound(
        &mut self,
        config: &NatConfig,
        now: Instant,
        (inside, place): (Endpoint, Port),
        segment: Option<Segment>,
    ) -> Option<u16> {
        if let Some(&port) = self.outside_ports.get(&inside) {
            let outside = OutsidePort::of(inside, port);
            if let Some(mapping) = self.mappings.get_mut(&outside)
                && mapping.is_alive(config, now)
            {
                (mapping.kept_at, mapping.place) = (now, place);
                if mapping.follow(Sender::Inside, segment) {
                    self.may_end_sooner(config, outside);
                }
                return Some(port);
            }
            self.mappings.remove(&outside);
        }
        let outside = self.free_port(config, now, inside)?;
        let mapping = Mapping {
            inside,
            place,
            kept_at: now,
            session: segment.map(Session::begun_by),
            period: config.period(now),
        };
        if let Some(dead) = self.mappings.insert(outside, mapping) {
            self.outside_ports.remove(&dead.inside);
        }
        self.outside_ports.insert(inside, outside.port);
        Some(outside.port)
    }

    /// The inside endpoint behind an outside one, and its place; `None` when nobody is there any more.
    pub(super) fn inbound(
        &mut self,
        config: &NatConfig,
        now: Instant,
        outside: Endpoint,
        segment: Option<Segment>,
    ) -> Option<(Endpoint, Port)> {
        let port = OutsidePort::of(outside, outside.port);
        let mapping = self.mappings.get_mut(&port)?;
        if !mapping.is_alive(config, now) {
            return None;
        }
        let found = (mapping.inside, mapping.place);
        if mapping.follow(Sender::Outside, segment) {
            mapping.kept_at = now;
            self.may_end_sooner(config, port);
        }
        Some(found)
    }

    /// A mapping ends sooner than was thought: a port may become free.
    fn may_end_sooner(&mut self, config: &NatConfig, port: OutsidePort) {
        let kind = (port.protocol, port.is_ipv6);
        if let (Some(until), Some(mapping)) =
            (self.full_until.get_mut(&kind), self.mappings.get(&port))
        {
            *until = (*until).min(mapping.end(config));
        }
    }

    /// The next port in turn that no living mapping has: a new mapping never gets the port of the one before.
    fn free_port(
        &mut self,
        config: &NatConfig,
        now: Instant,
        inside: Endpoint,
    ) -> Option<OutsidePort> {
        let kind = (inside.protocol, inside.address.is_ipv6());
        if self.full_until.get(&kind).is_some_and(|until| now < *until) {
            return None;
        }
        let ports = u64::from(config.ports);
        let mut first_end = Instant::FAR_FUTURE;
        for _ in 0..ports {
            let port = (FIRST_PORT + self.given % ports) as u16;
            self.given += 1;
            let outside = OutsidePort::of(inside, port);
            match self.mappings.get(&outside) {
                Some(mapping) if mapping.is_alive(config, now) => {
                    first_end = first_end.min(mapping.end(config));
                }
                _ => return Some(outside),
            }
        }
        // Who sends meanwhile only puts the end of a mapping off.
        self.full_until.insert(kind, first_end);
        None
    }
}

impl OutsidePort {
    fn of(endpoint: Endpoint, port: u16) -> Self {
        Self {
            protocol: endpoint.protocol,
            is_ipv6: endpoint.address.is_ipv6(),
            port,
        }
    }
}

impl Mapping {
    fn is_alive(&self, config: &NatConfig, now: Instant) -> bool {
        now - self.kept_at < self.timeout(config) && self.period == config.period(now)
    }

    /// Returns when the mapping expires without further packets.
    fn end(&self, config: &NatConfig) -> Instant {
        let silent = self.kept_at + self.timeout(config);
        silent.min(config.end_of(self.period))
    }

    fn timeout(&self, config: &NatConfig) -> Duration {
        let is_transitory = self.session.is_some_and(|session| session.is_transitory());
        config.timeout(self.inside.protocol, is_transitory)
    }

    /// Updates the TCP state by a segment; returns whether the short timeout applies from now on.
    fn follow(&mut self, sender: Sender, segment: Option<Segment>) -> bool {
        let (Some(session), Some(segment)) = (&mut self.session, segment) else {
            return false;
        };
        let was_transitory = session.is_transitory();
        session.follow(sender, segment);
        session.is_transitory() && !was_transitory
    }
}
