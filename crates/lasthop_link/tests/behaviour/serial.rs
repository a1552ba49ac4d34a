//! A serial line: bits on the line, whose turn it is, and what waits.

use lasthop_contract::{
    Cause, DropReason, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance,
};
use lasthop_link::serial::{Duplex, Framing, SerialConfig, SerialLine};
use lasthop_link::stage::rate::QueueLimit;
use lasthop_units::{BitRate, Duration, Instant};

/// RS-485 at 9600 Bd, 8N1, without framing: a byte takes 1.041667 ms.
fn config() -> SerialConfig {
    SerialConfig {
        bits_per_second: BitRate::from_bits_per_second(9600).unwrap(),
        bits_per_byte: 10,
        framing: Framing::None,
        duplex: Duplex::Half,
        turnaround_ns: 5_000_000,
        queue: QueueLimit::Packets(2),
    }
}

fn packet(length: usize) -> Packet {
    Packet::of(&vec![0; length], Provenance::new(Layer::Ip, Cause::Header))
}

fn offer(line: &mut SerialLine, at: u64, port: u32, length: usize) {
    let input = LinkInput::Offered {
        port: Port(port),
        packet: packet(length),
    };
    line.handle(millis(at), input);
}

fn millis(at: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(at)
}

/// What comes out, with when: a port, or why not.
fn outcome(line: &mut SerialLine) -> Vec<(u64, Result<u32, DropReason>)> {
    let mut now = Instant::ZERO;
    let mut told = Vec::new();
    loop {
        match line.poll(now) {
            LinkOutput::Deliver { port, .. } => told.push((now.as_nanos() / 1_000, Ok(port.0))),
            LinkOutput::Drop { reason, .. } => told.push((now.as_nanos() / 1_000, Err(reason))),
            LinkOutput::WaitUntil(Some(at)) => now = at,
            LinkOutput::WaitUntil(None) => return told,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_byte_takes_ten_bits() {
    let mut line = SerialLine::new(config());
    offer(&mut line, 0, 0, 96);
    // 96 B of 10 bits at 9600 bit/s.
    assert_eq!(outcome(&mut line), [(100_000, Ok(1))]);
}

#[test]
fn the_other_station_waits_for_its_turn_and_the_turnaround() {
    let mut line = SerialLine::new(config());
    offer(&mut line, 0, 0, 96);
    offer(&mut line, 0, 1, 96);
    offer(&mut line, 0, 1, 96);
    // The second of the far end follows its first without a turnaround.
    let expected = [(100_000, Ok(1)), (205_000, Ok(0)), (305_000, Ok(0))];
    assert_eq!(outcome(&mut line), expected);
    let report = line.report(millis(305));
    assert_eq!(report.busy, Duration::from_millis(300));
    assert_eq!(report.turnaround, Duration::from_millis(5));
}

#[test]
fn nobody_waits_for_a_turnaround_that_is_long_over() {
    let mut line = SerialLine::new(config());
    offer(&mut line, 0, 0, 96);
    assert_eq!(outcome(&mut line), [(100_000, Ok(1))]);
    offer(&mut line, 102, 1, 96);
    offer(&mut line, 300, 2, 96);
    assert_eq!(outcome(&mut line), [(205_000, Ok(0)), (400_000, Ok(3))]);
    assert_eq!(
        line.report(millis(400)).turnaround,
        Duration::from_millis(3)
    );
}

#[test]
fn both_directions_of_full_duplex_pass_at_the_same_time() {
    let config = SerialConfig {
        duplex: Duplex::Full,
        ..config()
    };
    let mut line = SerialLine::new(config);
    offer(&mut line, 0, 0, 96);
    offer(&mut line, 0, 1, 48);
    assert_eq!(outcome(&mut line), [(50_000, Ok(0)), (100_000, Ok(1))]);
    assert_eq!(line.report(millis(100)).busy, Duration::from_millis(150));
}

#[test]
fn each_station_has_room_of_its_own() {
    let mut line = SerialLine::new(config());
    // The first is sent, two wait; the far end waits elsewhere.
    for _ in 0..4 {
        offer(&mut line, 0, 0, 96);
    }
    offer(&mut line, 0, 1, 96);
    let told = outcome(&mut line);
    assert_eq!(told[0], (0, Err(DropReason::QueueFull)));
    assert_eq!(told.iter().filter(|(_, end)| end.is_ok()).count(), 4);
}

#[test]
fn a_packet_above_the_mru_is_dropped() {
    let mut line = SerialLine::new(config());
    offer(&mut line, 0, 0, 1501);
    assert_eq!(outcome(&mut line), [(0, Err(DropReason::TooBig))]);
}

#[test]
fn a_packet_to_nobody_is_dropped_when_it_is_through() {
    let mut line = SerialLine::new(config());
    line.handle(Instant::ZERO, LinkInput::Detach { port: Port(1) });
    offer(&mut line, 0, 0, 96);
    let expected = [(100_000, Err(DropReason::NotAttached))];
    assert_eq!(outcome(&mut line), expected);
}
