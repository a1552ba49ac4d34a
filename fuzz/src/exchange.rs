use core::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use lasthop_contract::{
    Application, Direction, FlowId, Host, HostInput, HostOutput, InterfaceId, Packet,
};
use lasthop_contract::{Cause, Layer, Provenance};
use lasthop_traffic::{
    Arrivals, FlowKind, Grouping, Origin, Part, PayloadTemplate, Planned, PlannedFlows, Reaction,
    Traffic, TrafficPlan,
};
use lasthop_transport::{Routes, StackHost, Udp};
use lasthop_units::{DataSize, Duration, Instant};

use crate::repair::{Protocol, repair};
use crate::script::Script;

/// A host with an application over UDP, and the datagrams of a hostile network.
pub(crate) struct Exchange {
    host: Box<dyn Host>,
    now: Instant,
    /// The local port of the application.
    port: u16,
}

/// Where the host is.
const HOST: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// Where everyone else is; the port tells them apart.
pub(crate) const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2));

/// A port of a client is the first of the ephemeral ones.
pub(crate) const CLIENT_PORT: u16 = 49_152;

/// More outputs than this for one input are a loop.
const MOST_OUTPUTS: usize = 4096;

impl Exchange {
    /// A host that runs a protocol under traffic, from its start on.
    pub(crate) fn new<P: Application + 'static>(
        protocol: P,
        port: u16,
        traffic: Option<Origin>,
        reaction: Reaction,
    ) -> Self {
        let application = Traffic::new(protocol, traffic, reaction);
        let transport = Udp::new(HOST.into());
        let mut exchange = Self {
            host: Box::new(StackHost::new(
                Box::new(transport),
                application,
                Routes::OneInterface,
            )),
            now: Instant::ZERO,
            port,
        };
        exchange.give(HostInput::Start);
        exchange
    }

    /// Plays what is left of a script: datagrams from the ports of a peer, and time that goes on.
    ///
    /// A step is a byte of seconds, a byte for the port, counted from the server's, and the datagram.
    pub(crate) fn play(&mut self, script: &mut Script<'_>, peer_port: u16) {
        while !script.is_empty() {
            self.now += Duration::from_secs(script.byte().into());
            self.give(HostInput::Timeout);
            let port = peer_port.wrapping_add(script.byte().into());
            let packet = self.packet(port, script.slice());
            self.give(HostInput::Received {
                interface: InterfaceId(0),
                packet,
            });
        }
    }

    fn give(&mut self, input: HostInput) {
        self.host.handle(self.now, input);
        for _ in 0..MOST_OUTPUTS {
            if matches!(self.host.poll(self.now), HostOutput::WaitUntil(_)) {
                return;
            }
        }
        panic!("the host never waits");
    }

    fn packet(&self, from: u16, datagram: &[u8]) -> Packet {
        let mut bytes = vec![0; 28];
        bytes[0] = 0x45;
        bytes[8] = 64;
        if let IpAddr::V4(peer) = PEER {
            bytes[12..16].copy_from_slice(&peer.octets());
        }
        bytes[16..20].copy_from_slice(&HOST.octets());
        bytes[20..22].copy_from_slice(&from.to_be_bytes());
        bytes[22..24].copy_from_slice(&self.port.to_be_bytes());
        bytes.extend_from_slice(datagram);
        repair(&mut bytes, Protocol::Udp);
        Packet::of(&bytes, Provenance::new(Layer::Ip, Cause::Header))
    }
}

/// Three small messages, one a second, made at an end: `Up` is a client, `Down` a server.
pub(crate) fn three_messages(side: Direction) -> Origin {
    let size = DataSize::from_bytes(8);
    let kind = match side {
        Direction::Up => FlowKind::Report,
        Direction::Down => FlowKind::Command,
    };
    let plan = TrafficPlan {
        seed: 1,
        flows: vec![planned(
            kind,
            PayloadTemplate::text(size).expect("8 B have room for the id"),
        )],
    };
    Origin {
        plan: Arc::new(plan),
        side,
    }
}

/// What a server does by whose plan every message is a round trip.
pub(crate) fn round_trips() -> Planned {
    let Origin { plan, .. } = three_messages(Direction::Up);
    let mut plan = (*plan).clone();
    plan.flows[0].kind = FlowKind::RoundTrip;
    Planned {
        plan: Arc::new(plan),
        side: Direction::Down,
        receiver: 0,
        is_forwarded: false,
        is_in_parts: false,
        is_passed_on: false,
    }
}

fn planned(kind: FlowKind, payload: PayloadTemplate) -> PlannedFlows {
    PlannedFlows {
        numbers: 0..FlowId::DEVICES,
        group: "device".into(),
        name: "traffic".into(),
        kind,
        payload,
        arrivals: Some(Arrivals::Periodic {
            every: Duration::from_secs(1),
        }),
        grouping: Grouping { burst: 1, batch: 1 },
        part: Part::ALL,
        start: Duration::ZERO,
        not_before: Instant::ZERO,
        spread: Duration::ZERO,
        duration: Duration::from_secs(3),
    }
}
