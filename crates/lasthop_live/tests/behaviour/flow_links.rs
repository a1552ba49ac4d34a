use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Cause, Chunk, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance, Transport,
    TransportOutput,
};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_live::{FlowLinks, FlowPorts};
use lasthop_transport::Udp;
use lasthop_units::{Instant, Probability};

const NEAR: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 0, 0, 1));
const FAR: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 0, 0, 2));

fn lossy(seed: u64) -> DuplexLink {
    let probability = Probability::new(0.3).unwrap();
    let up = DirectionConfig {
        loss: Some(Loss::from(Bernoulli { probability })),
        ..DirectionConfig::default()
    };
    let config = LinkConfig {
        up,
        ..LinkConfig::default()
    };
    DuplexLink::new(&config, seed, "flow")
}

/// Datagrams of as many flows as there are peers' ports, one of each in turn.
fn datagrams(ports: &[u16], rounds: usize) -> Vec<Packet> {
    let mut udp = Udp::new(NEAR);
    let flows: Vec<_> = ports
        .iter()
        .map(|port| {
            udp.open(Instant::ZERO, SocketAddr::new(FAR, *port), &[])
                .unwrap()
        })
        .collect();
    let chunk = Chunk {
        bytes: b"datagram",
        provenance: Provenance::new(Layer::Application, Cause::Payload),
    };
    for _ in 0..rounds {
        for flow in &flows {
            udp.send_datagram(Instant::ZERO, *flow, &[chunk]).unwrap();
        }
    }
    let mut packets = Vec::new();
    loop {
        match udp.poll(Instant::ZERO) {
            TransportOutput::Transmit(packet) => packets.push(packet),
            TransportOutput::WaitUntil(_) => return packets,
            _ => {}
        }
    }
}

/// The fate of each packet: the port of its flow's far end, and whether it arrived.
fn fates(link: &mut impl Link, packets: Vec<Packet>) -> Vec<(u16, bool)> {
    let mut fates = Vec::new();
    for packet in packets {
        let ports = FlowPorts::of(&packet, Port(0)).unwrap();
        let port = Port(0);
        link.handle(Instant::ZERO, LinkInput::Offered { port, packet });
        loop {
            match link.poll(Instant::ZERO) {
                LinkOutput::Deliver { .. } => fates.push((ports.far, true)),
                LinkOutput::Drop { .. } => fates.push((ports.far, false)),
                LinkOutput::WaitUntil(_) => break,
                _ => {}
            }
        }
    }
    fates
}

#[test]
fn a_flow_loses_what_it_would_lose_alone() {
    let mut shared = FlowLinks::new(|ports: FlowPorts| Some(lossy(u64::from(ports.far))));
    let together = fates(&mut shared, datagrams(&[7, 8], 200));
    for port in [7, 8] {
        let mut own = FlowLinks::new(|ports: FlowPorts| Some(lossy(u64::from(ports.far))));
        let alone = fates(&mut own, datagrams(&[port], 200));
        let of_port: Vec<_> = together
            .iter()
            .copied()
            .filter(|fate| fate.0 == port)
            .collect();
        assert_eq!(of_port, alone);
        assert!(alone.contains(&(port, false)) && alone.contains(&(port, true)));
    }
}

#[test]
fn a_flow_without_a_link_gets_nothing_through() {
    let mut links = FlowLinks::new(|ports: FlowPorts| (ports.far == 7).then(|| lossy(1)));
    let fates = fates(&mut links, datagrams(&[8], 20));
    assert_eq!(fates, vec![(8, false); 20]);
}
