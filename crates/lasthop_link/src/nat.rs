//! Network address translation.

mod checksum;
mod mapping;
mod session;
mod translation;

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::collections::VecDeque;

use lasthop_contract::{DropReason, Link, LinkInput, LinkOutput, Packet, Port};
use lasthop_units::{Duration, Instant};

use crate::ConfigError;
use mapping::{FIRST_PORT, MappingTable};
use translation::{Protocol, Side, Translatable};

/// A network address translator (NAT) between inside hosts and the outside, with one outside address for each IP
/// version.
///
/// The place k for hosts has `Port(2k)` inside and `Port(2k + 1)` outside. Hosts of all places share the ports of the
/// outside address. Whatever comes from outside, at whichever place, leaves where its host last sent from.
///
/// Mappings are endpoint-independent (RFC 4787 REQ-1) and so is filtering: whoever outside knows the outside
/// address and port reaches the host inside. Only packets from inside keep a mapping alive (RFC 4787 REQ-6).
/// A TCP mapping lasts for as long as its connection, and a little (RFC 5382 REQ-5). What has expired is found when it
/// is next needed: a translator has no timers.
#[derive(Debug)]
pub struct Nat {
    config: NatConfig,
    mappings: MappingTable,
    /// What became of the packets that arrived since the last drain.
    done: VecDeque<Done>,
}

/// The configuration of a [`Nat`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatConfig {
    outside_ipv4: Ipv4Addr,
    outside_ipv6: Ipv6Addr,
    udp_timeout: Duration,
    tcp_timeout: Duration,
    rebind_every: Option<Duration>,
    ports: u16,
}

#[derive(Debug)]
struct Done {
    entry: Port,
    packet: Packet,
    /// Where it leaves, or why it does not.
    exit: Result<Port, DropReason>,
}

impl NatConfig {
    /// The default timeout of an established TCP mapping: 2 hours and 4 minutes (RFC 5382 REQ-5).
    pub const DEFAULT_TCP_TIMEOUT: Duration = Duration::from_secs(7440);

    /// The timeout of a TCP mapping whose connection is not established or has ended (RFC 5382 REQ-5).
    pub const TRANSITORY_TCP_TIMEOUT: Duration = Duration::from_secs(240);

    /// The number of ports that an address has, without the well-known ports.
    pub const MAXIMUM_PORTS: u16 = (65_536 - FIRST_PORT) as u16;

    /// Creates the configuration of a translator from its outside addresses, its UDP timeout and an optional rebinding
    /// period.
    ///
    /// A UDP mapping expires after `udp_timeout` without a packet from inside. With `rebind_every`, all mappings are
    /// dropped at each multiple of it.
    ///
    /// # Errors
    /// [`ConfigError::RebindingPeriodZero`] when it would forget all the time.
    pub fn new(
        outside_ipv4: Ipv4Addr,
        outside_ipv6: Ipv6Addr,
        udp_timeout: Duration,
        rebind_every: Option<Duration>,
    ) -> Result<Self, ConfigError> {
        if rebind_every == Some(Duration::ZERO) {
            return Err(ConfigError::RebindingPeriodZero);
        }
        Ok(Self {
            outside_ipv4,
            outside_ipv6,
            udp_timeout,
            tcp_timeout: Self::DEFAULT_TCP_TIMEOUT,
            rebind_every,
            ports: Self::MAXIMUM_PORTS,
        })
    }

    /// Sets the timeout of idle TCP mappings.
    #[must_use]
    pub const fn with_tcp_timeout(self, tcp_timeout: Duration) -> Self {
        Self {
            tcp_timeout,
            ..self
        }
    }

    /// Sets the number of ports of each protocol, counted from port 1024 on.
    ///
    /// # Errors
    /// [`ConfigError::PortCount`] for none, or more than there are.
    pub fn with_ports(self, ports: u32) -> Result<Self, ConfigError> {
        match u16::try_from(ports) {
            Ok(ports) if (1..=Self::MAXIMUM_PORTS).contains(&ports) => Ok(Self { ports, ..self }),
            _ => Err(ConfigError::PortCount(ports)),
        }
    }
}

impl Nat {
    /// Creates a translator without mappings.
    #[must_use]
    pub fn new(config: NatConfig) -> Self {
        Self {
            config,
            mappings: MappingTable::default(),
            done: VecDeque::new(),
        }
    }

    /// Translates a packet and returns the port at which it leaves.
    fn translate(
        &mut self,
        now: Instant,
        entry: Port,
        packet: &mut Packet,
    ) -> Result<Port, DropReason> {
        let view = Translatable::parse(packet.bytes()).ok_or(DropReason::NotTranslatable)?;
        if entry.0.is_multiple_of(2) {
            let inside = view.endpoint(packet.bytes(), Side::Source);
            let segment = view.segment(packet.bytes(), Side::Destination);
            let of = (inside, entry);
            let port = self.mappings.outbound(&self.config, now, of, segment);
            let port = port.ok_or(DropReason::NoPort)?;
            let address = self.config.outside_address(inside.address);
            view.rewrite(packet.bytes_mut(), Side::Source, address, port);
            return Ok(Port(entry.0 + 1));
        }
        let outside = view.endpoint(packet.bytes(), Side::Destination);
        if outside.address != self.config.outside_address(outside.address) {
            return Err(DropReason::NoMapping);
        }
        let segment = view.segment(packet.bytes(), Side::Source);
        let inside = self.mappings.inbound(&self.config, now, outside, segment);
        let (inside, exit) = inside.ok_or(DropReason::NoMapping)?;
        view.rewrite(
            packet.bytes_mut(),
            Side::Destination,
            inside.address,
            inside.port,
        );
        Ok(exit)
    }
}

impl Link for Nat {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        if let LinkInput::Offered { port, mut packet } = input {
            let exit = self.translate(now, port, &mut packet);
            self.done.push_back(Done {
                entry: port,
                packet,
                exit,
            });
        }
    }

    fn poll(&mut self, _now: Instant) -> LinkOutput {
        let Some(Done {
            entry,
            packet,
            exit,
        }) = self.done.pop_front()
        else {
            return LinkOutput::WaitUntil(None);
        };
        match exit {
            Ok(port) => LinkOutput::Deliver { port, packet },
            Err(reason) => LinkOutput::Drop {
                port: entry,
                packet,
                reason,
            },
        }
    }
}

impl NatConfig {
    /// Our outside address of the same IP version.
    fn outside_address(&self, like: IpAddr) -> IpAddr {
        match like {
            IpAddr::V4(_) => self.outside_ipv4.into(),
            IpAddr::V6(_) => self.outside_ipv6.into(),
        }
    }

    fn timeout(&self, protocol: Protocol, is_transitory: bool) -> Duration {
        match protocol {
            Protocol::Udp => self.udp_timeout,
            Protocol::Tcp if is_transitory => self.tcp_timeout.min(Self::TRANSITORY_TCP_TIMEOUT),
            Protocol::Tcp => self.tcp_timeout,
        }
    }

    /// Returns the index of the interval between forced rebindings at an instant.
    fn period(&self, now: Instant) -> u64 {
        match self.rebind_every {
            Some(every) => now.as_nanos() / every.as_nanos(),
            None => 0,
        }
    }

    /// Returns the end of an interval.
    fn end_of(&self, period: u64) -> Instant {
        match self.rebind_every {
            Some(every) => Instant::ZERO + every * (period + 1),
            None => Instant::FAR_FUTURE,
        }
    }
}
