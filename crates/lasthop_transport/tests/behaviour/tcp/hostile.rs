//! Segments that no honest peer sends: ignored or answered as the standard says, counted, and bounded in what they
//! make a host hold.

use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, DiscardReason, Layer, Packet, Provenance, RandomStream, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

use super::plain;
use super::wire::{Bases, Line, US, US_PORT, sealed};

const PROVENANCE: Provenance = Provenance::new(Layer::Application, Cause::Payload);

fn listening(profile: TcpProfile) -> Tcp {
    let address = US.parse().unwrap();
    let mut host = Tcp::new(address, Arc::new(profile), RandomStream::named(1, "tcp"));
    host.listen(US_PORT).unwrap();
    host
}

/// What a host makes of packet bytes: the packets it sends and the reasons it gives.
fn outputs(host: &mut Tcp, now: Instant, bytes: &[u8]) -> (Vec<Packet>, Vec<DiscardReason>) {
    host.handle(now, TransportInput::Packet(Packet::of(bytes, PROVENANCE)));
    let (mut sent, mut reasons) = (Vec::new(), Vec::new());
    loop {
        match host.poll(now) {
            TransportOutput::Transmit(packet) => sent.push(packet),
            TransportOutput::Discard(_, reason) => reasons.push(reason),
            TransportOutput::Event(..) | TransportOutput::Evicted => {}
            TransportOutput::WaitUntil(_) => return (sent, reasons),
        }
    }
}

fn segment(line: &str, bases: &Bases) -> Vec<u8> {
    Line::parse(line).packet(bases).bytes().to_vec()
}

#[test]
fn lengths_that_cannot_be_are_malformed() {
    let whole = segment("S 0:0(0) win 1000 <mss 1000,sackOK>", &Bases::default());
    let mut cases: Vec<Vec<u8>> = (20..40).map(|end| sealed(whole[..end].to_vec())).collect();
    for offset in [0, 1, 4, 8, 15] {
        let mut bytes = whole.clone();
        bytes[32] = offset << 4;
        cases.push(sealed(bytes));
    }
    // An option that says that it is longer than the header, or shorter than itself.
    for length in [0, 1, 9, 255] {
        let mut bytes = whole.clone();
        bytes[41] = length;
        cases.push(sealed(bytes));
    }
    for bytes in cases {
        let (sent, reasons) = outputs(&mut listening(plain()), Instant::ZERO, &bytes);
        assert_eq!(
            (sent.len(), &reasons[..]),
            (0, &[DiscardReason::Malformed][..]),
            "{bytes:?}"
        );
    }
}

#[test]
fn every_bit_of_a_segment_is_guarded() {
    let whole = segment("S 0:0(0) win 1000 <mss 1000,sackOK>", &Bases::default());
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let (sent, reasons) = outputs(&mut listening(plain()), Instant::ZERO, &bytes);
        assert_eq!((sent.len(), reasons.len()), (0, 1), "bit {bit}");
    }
}

#[test]
fn any_flags_in_any_state_break_nothing() {
    let mut random = RandomStream::named(1, "hostile");
    for round in 0..3000_u64 {
        let profile = if round % 2 == 0 {
            TcpProfile::linux()
        } else {
            plain()
        };
        let mut host = listening(profile);
        let mut now = Instant::ZERO;
        let mut bases = Bases::default();
        for _ in 0..40 {
            now += Duration::from_millis(random.below(400));
            // Numbers near the true ones, so that they get far in.
            let near =
                |random: &mut RandomStream| random.below(8) as u32 * (random.below(2000) as u32);
            let (seq, ack) = (near(&mut random), near(&mut random));
            let flags: String = "SFRP.".chars().filter(|_| random.below(3) == 0).collect();
            let flags = if flags.is_empty() {
                ".".to_owned()
            } else {
                flags
            };
            let length = random.below(3) * random.below(1500);
            let window = random.below(65_536);
            let mut options = vec![format!("mss {}", random.below(2000))];
            if random.below(2) == 0 {
                options.push(format!("TS {} {}", near(&mut random), near(&mut random)));
            }
            if random.below(3) == 0 {
                options.push(format!("sack {seq}:{ack} {}:{}", near(&mut random), ack));
            }
            let options = options.join(",");
            let line = format!("{flags} {seq}:{seq}({length}) ack {ack} win {window} <{options}>");
            let bytes = segment(&line, &bases);
            host.handle(now, TransportInput::Packet(Packet::of(&bytes, PROVENANCE)));
            host.handle(now, TransportInput::Timeout);
            let mut polls = 0;
            loop {
                polls += 1;
                assert!(polls < 1000, "one segment makes no storm");
                match host.poll(now) {
                    TransportOutput::Transmit(packet) => {
                        Line::read(&packet, &mut bases);
                    }
                    TransportOutput::Event(id, TransportEvent::Established(_)) => {
                        let chunk = Chunk {
                            bytes: &[0; 3000],
                            provenance: PROVENANCE,
                        };
                        host.write(now, id, Tcp::STREAM, &[chunk]).unwrap();
                    }
                    TransportOutput::Event(..)
                    | TransportOutput::Discard(..)
                    | TransportOutput::Evicted => {}
                    TransportOutput::WaitUntil(deadline) => {
                        assert!(deadline.is_none_or(|at| at > now));
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn a_flood_of_syns_is_bounded() {
    let mut host = listening(TcpProfile {
        max_half_open: 100,
        ..plain()
    });
    let mut refused = 0;
    for port in 0..1000_u16 {
        let mut bytes = segment("S 0:0(0) win 1000 <mss 1000>", &Bases::default());
        bytes[20..22].copy_from_slice(&(port + 1000).to_be_bytes());
        let (_, reasons) = outputs(&mut host, Instant::ZERO, &sealed(bytes));
        refused += reasons
            .iter()
            .filter(|reason| **reason == DiscardReason::BacklogFull)
            .count();
    }
    assert_eq!(refused, 900);
    // They end by themselves, and leave room and no timer.
    let mut now = Instant::ZERO;
    while let TransportOutput::WaitUntil(Some(at)) = drained(&mut host, now) {
        now = at;
        host.handle(now, TransportInput::Timeout);
    }
    let bytes = segment("S 0:0(0) win 1000 <mss 1000>", &Bases::default());
    let (sent, reasons) = outputs(&mut host, now, &bytes);
    assert_eq!((sent.len(), reasons.len()), (1, 0));
}

fn drained(host: &mut Tcp, now: Instant) -> TransportOutput {
    loop {
        if let output @ TransportOutput::WaitUntil(_) = host.poll(now) {
            return output;
        }
    }
}
