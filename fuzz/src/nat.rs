use core::net::{Ipv4Addr, Ipv6Addr};

use lasthop_contract::{
    Cause, DropReason, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance,
};
use lasthop_link::{Nat, NatConfig};
use lasthop_transport::IpPacket;
use lasthop_units::{Duration, Instant};

use crate::repair::{Protocol, repair};
use crate::script::Script;

const INSIDE: Port = Port(0);
const OUTSIDE: Port = Port(1);
const OUTSIDE_V4: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 1);
const OUTSIDE_V6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 3, 0, 0, 0, 0, 1);

/// Address translation: a script of packets from both sides, with time going on between them.
///
/// A step is a byte of flags (1: from outside, 2: repair the checksums, 4: turn the last translated packet
/// round), a byte of seconds and a packet.
pub fn nat(data: &[u8]) {
    let mut script = Script::new(data);
    let udp_timeout = Duration::from_secs(script.byte().into());
    let rebind_every = Some(script.byte()).filter(|seconds| *seconds > 0);
    let rebind_every = rebind_every.map(|seconds| Duration::from_secs(seconds.into()));
    let config = NatConfig::new(OUTSIDE_V4, OUTSIDE_V6, udp_timeout, rebind_every)
        .expect("the period is not zero");
    let mut nat = Nat::new(config);
    let mut now = Instant::ZERO;
    let mut last = Vec::new();
    while !script.is_empty() {
        let flags = script.byte();
        now += Duration::from_secs(script.byte().into());
        let mut bytes = script.slice().to_vec();
        if flags & 4 != 0 {
            bytes = turned_round(&last);
        }
        if flags & 2 != 0 {
            repair(&mut bytes, Protocol::Udp);
        }
        let port = if flags & 1 == 0 { INSIDE } else { OUTSIDE };
        if let Some(translated) = translate(&mut nat, now, port, &bytes) {
            last = translated;
        }
    }
}

/// Offers a packet; gives it translated, where it gets through.
fn translate(nat: &mut Nat, now: Instant, port: Port, bytes: &[u8]) -> Option<Vec<u8>> {
    let packet = Packet::of(bytes, Provenance::new(Layer::Ip, Cause::Header));
    nat.handle(now, LinkInput::Offered { port, packet });
    let translated = match nat.poll(now) {
        LinkOutput::Deliver { port: to, packet } => {
            assert_ne!(to, port);
            check(bytes, packet.bytes(), to);
            Some(packet.bytes().to_vec())
        }
        LinkOutput::Drop {
            port: from,
            packet,
            reason,
        } => {
            assert_eq!(from, port);
            assert_eq!(packet.bytes(), bytes, "a dropped packet stays as it was");
            assert!(matches!(
                reason,
                DropReason::NoMapping | DropReason::NoPort | DropReason::NotTranslatable
            ));
            None
        }
        other => panic!("a packet is delivered or dropped, not {other:?}"),
    };
    assert!(matches!(nat.poll(now), LinkOutput::WaitUntil(None)));
    translated
}

/// A translated packet is as good as it was, and differs at one end only.
fn check(before: &[u8], after: &[u8], to: Port) {
    assert_eq!(before.len(), after.len());
    let (Ok(before), Ok(after)) = (IpPacket::parse(before), IpPacket::parse(after)) else {
        // IPv4 options are translated, but no host of ours reads them.
        assert!(before[0] & 0x0f > 5 && before[0] >> 4 == 4, "spoilt");
        return;
    };
    assert_eq!(before.payload, after.payload);
    if to == OUTSIDE {
        assert!(after.source == OUTSIDE_V4 || after.source == OUTSIDE_V6);
        assert_eq!(before.destination, after.destination);
    } else {
        assert!(before.destination == OUTSIDE_V4 || before.destination == OUTSIDE_V6);
        assert_eq!(before.source, after.source);
    }
}

/// The same packet with its ends exchanged, as an answer has them.
fn turned_round(packet: &[u8]) -> Vec<u8> {
    let mut turned = packet.to_vec();
    let (addresses, size, ports) = match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 28 => (12, 4, 20),
        Some(6) if packet.len() >= 48 => (8, 16, 40),
        _ => return turned,
    };
    for (start, size) in [(addresses, size), (ports, 2)] {
        turned[start..start + 2 * size].rotate_left(size);
    }
    turned
}
