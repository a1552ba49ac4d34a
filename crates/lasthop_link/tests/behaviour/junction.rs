//! Where the ways to several hosts part.

use core::net::IpAddr;

use lasthop_contract::Provenance;
use lasthop_contract::{Cause, DropReason, Layer, Link, LinkInput, LinkOutput, Packet, Port};
use lasthop_link::Junction;
use lasthop_units::Instant;

use crate::ip_packets::udp;

/// Where a packet leaves that enters at a port, or why it does not.
fn exit(junction: &mut Junction, port: u32, packet: Packet) -> Result<Port, DropReason> {
    let port = Port(port);
    junction.handle(Instant::ZERO, LinkInput::Offered { port, packet });
    match junction.poll(Instant::ZERO) {
        LinkOutput::Deliver { port, .. } => Ok(port),
        LinkOutput::Drop { reason, .. } => Err(reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_packet_leaves_towards_its_destination_and_answers_leave_towards_the_device() {
    let hosts = ["198.18.0.1", "2001:db8:2::1"].map(|text| text.parse::<IpAddr>().unwrap());
    let mut junction = Junction::new(hosts.into());
    let there = |to| udp("10.0.0.1:5000", to, b"a");
    assert_eq!(exit(&mut junction, 0, there("198.18.0.1:1")), Ok(Port(1)));
    let v6 = udp("[2001:db8:1::1]:5000", "[2001:db8:2::1]:1", b"a");
    assert_eq!(exit(&mut junction, 0, v6), Ok(Port(2)));
    for port in [1, 2] {
        let back = udp("198.18.0.1:1", "10.0.0.1:5000", b"a");
        assert_eq!(exit(&mut junction, port, back), Ok(Port(0)));
    }
}

#[test]
fn what_is_for_nobody_or_cannot_be_read_ends_here() {
    let mut junction = Junction::new(vec!["198.18.0.1".parse().unwrap()]);
    let stranger = udp("10.0.0.1:5000", "198.18.0.2:1", b"a");
    let noise = Packet::of(&[0xff; 3], Provenance::new(Layer::Ip, Cause::Header));
    for packet in [stranger, noise] {
        let out = exit(&mut junction, 0, packet);
        assert_eq!(out, Err(DropReason::NotAttached));
    }
}
