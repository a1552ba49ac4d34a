//! Where each byte on the wire comes from.

use core::net::SocketAddr;
use core::num::NonZeroU32;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, FlowId, Layer, MessageId, Packet, Provenance, RandomStream, Transport,
    TransportInput, TransportOutput,
};
use lasthop_transport::Tcp;
use lasthop_units::{Duration, Instant};

use super::plain;
use super::wire::{Bases, Line, US, US_PORT};

fn host(address: &str) -> Tcp {
    let stream = RandomStream::named(1, address);
    Tcp::new(address.parse().unwrap(), Arc::new(plain()), stream)
}

/// The packets of a host until it waits, and until when.
fn drain(host: &mut Tcp, now: Instant) -> (Vec<Packet>, Option<Instant>) {
    let mut packets = Vec::new();
    loop {
        match host.poll(now) {
            TransportOutput::Transmit(packet) => packets.push(packet),
            TransportOutput::Event(..) | TransportOutput::Evicted => {}
            TransportOutput::Discard(_, reason) => panic!("{reason:?}"),
            TransportOutput::WaitUntil(deadline) => return (packets, deadline),
        }
    }
}

/// Layer, cause, whether there is a message, and length of each span above IP.
fn spans(packet: &Packet) -> Vec<(Layer, Cause, bool, u16)> {
    let above = packet.spans()[1..].iter();
    let parts = above.map(|span| (span.provenance, span.length));
    parts
        .map(|(p, length)| (p.layer, p.cause, p.message.is_some(), length))
        .collect()
}

#[test]
fn each_byte_says_who_sent_it_and_why() {
    let (mut us, mut peer) = (host("10.0.0.1"), host("192.0.2.1"));
    let mut now = Instant::ZERO;
    peer.listen(1883).unwrap();
    let to = SocketAddr::new("192.0.2.1".parse().unwrap(), 1883);
    let id = us.open(now, to, &[]).unwrap();
    let hand_over = |from: &mut Tcp, to: &mut Tcp, now: Instant| {
        let (packets, _) = drain(from, now);
        let seen: Vec<_> = packets.iter().map(spans).collect();
        for packet in packets {
            to.handle(now, TransportInput::Packet(packet));
        }
        seen
    };
    let set_up = |length| vec![vec![(Layer::Tcp, Cause::SessionSetUp, false, length)]];
    assert_eq!(hand_over(&mut us, &mut peer, now), set_up(28));
    assert_eq!(hand_over(&mut peer, &mut us, now), set_up(28));
    assert_eq!(hand_over(&mut us, &mut peer, now), set_up(20));
    let message = MessageId {
        flow: FlowId(1),
        number: NonZeroU32::MIN,
    };
    let chunk = |cause, bytes| Chunk {
        bytes,
        provenance: Provenance::of_message(cause, message),
    };
    let chunks = [
        chunk(Cause::Header, &b"head"[..]),
        chunk(Cause::Payload, b"payload"),
    ];
    us.write(now, id, Tcp::STREAM, &chunks).unwrap();
    let (first, deadline) = drain(&mut us, now);
    let own = (Layer::Application, Cause::Header, true, 4);
    let payload = (Layer::Application, Cause::Payload, true, 7);
    assert_eq!(
        spans(&first[0]),
        [(Layer::Tcp, Cause::Header, false, 20), own, payload]
    );
    // It is lost.
    now = deadline.unwrap();
    us.handle(now, TransportInput::Timeout);
    let again = |message, length| (Layer::Tcp, Cause::Retransmission, message, length);
    assert_eq!(
        hand_over(&mut us, &mut peer, now),
        [vec![again(false, 20), again(true, 11)]]
    );
    let acknowledgement = vec![(Layer::Tcp, Cause::Acknowledgement, false, 20)];
    assert_eq!(hand_over(&mut peer, &mut us, now), [acknowledgement]);
    us.finish(now, id, Tcp::STREAM);
    let tear_down = vec![vec![(Layer::Tcp, Cause::SessionTearDown, false, 20)]];
    assert_eq!(hand_over(&mut us, &mut peer, now), tear_down);
}

#[test]
fn an_acknowledgement_that_the_end_overtook_is_no_probe() {
    // The same bytes: an empty segment from right before what is expected.
    for (last, cause) in [
        ("P. 1:2(1) ack 1 win 1000", Cause::KeepAlive),
        ("F. 1:1(0) ack 1 win 1000", Cause::SessionTearDown),
    ] {
        let mut us = host(US);
        us.listen(US_PORT).unwrap();
        let (mut bases, mut answers) = (Bases::default(), Vec::new());
        let mut now = Instant::ZERO;
        for line in [
            "S 0:0(0) win 1000 <mss 1000>",
            ". 1:1(0) ack 1 win 1000",
            last,
            ". 1:1(0) ack 1 win 1000",
        ] {
            let packet = Line::parse(line).packet(&bases);
            us.handle(now, TransportInput::Packet(packet));
            now += Duration::from_millis(500);
            us.handle(now, TransportInput::Timeout);
            loop {
                match us.poll(now) {
                    TransportOutput::Transmit(packet) => {
                        Line::read(&packet, &mut bases);
                        answers.push(spans(&packet));
                    }
                    TransportOutput::WaitUntil(_) => break,
                    TransportOutput::Event(..)
                    | TransportOutput::Discard(..)
                    | TransportOutput::Evicted => {}
                }
            }
        }
        let expected = vec![(Layer::Tcp, cause, false, 20)];
        assert_eq!(answers.last(), Some(&expected), "{last}");
    }
}
