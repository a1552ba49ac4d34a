use core::net::IpAddr;

use lasthop_contract::LookupMap;
use lasthop_units::Instant;

use super::NatConfig;
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
}

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
    last_outbound: Instant,
    /// The period between forced rebindings in which it was made.
    period: u64,
}

/// Well-known ports are not given out.
const FIRST_PORT: u64 = 1024;
const PORT_COUNT: u64 = 65_536 - FIRST_PORT;

impl MappingTable {
    /// The outside port of an inside endpoint that sends now; `None` when all ports are in use.
    pub(super) fn outbound(
        &mut self,
        config: &NatConfig,
        now: Instant,
        inside: Endpoint,
    ) -> Option<u16> {
        if let Some(&port) = self.outside_ports.get(&inside) {
            let outside = OutsidePort::of(inside, port);
            if let Some(mapping) = self.mappings.get_mut(&outside)
                && mapping.is_alive(config, now)
            {
                mapping.last_outbound = now;
                return Some(port);
            }
            self.mappings.remove(&outside);
        }
        let outside = self.free_port(config, now, inside)?;
        let mapping = Mapping {
            inside,
            last_outbound: now,
            period: config.period(now),
        };
        if let Some(dead) = self.mappings.insert(outside, mapping) {
            self.outside_ports.remove(&dead.inside);
        }
        self.outside_ports.insert(inside, outside.port);
        Some(outside.port)
    }

    /// The inside endpoint behind an outside one; `None` when nobody is there any more.
    pub(super) fn inbound(
        &self,
        config: &NatConfig,
        now: Instant,
        outside: Endpoint,
    ) -> Option<Endpoint> {
        let mapping = self.mappings.get(&OutsidePort::of(outside, outside.port))?;
        mapping.is_alive(config, now).then_some(mapping.inside)
    }

    /// The next port in turn that no living mapping has: a new mapping never gets the port of the one before.
    fn free_port(
        &mut self,
        config: &NatConfig,
        now: Instant,
        inside: Endpoint,
    ) -> Option<OutsidePort> {
        for _ in 0..PORT_COUNT {
            let port = (FIRST_PORT + self.given % PORT_COUNT) as u16;
            self.given += 1;
            let outside = OutsidePort::of(inside, port);
            let taken = self.mappings.get(&outside);
            if taken.is_none_or(|mapping| !mapping.is_alive(config, now)) {
                return Some(outside);
            }
        }
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
        now - self.last_outbound < config.timeout(self.inside.protocol)
            && self.period == config.period(now)
    }
}
