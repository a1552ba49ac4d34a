//! Options and overlaps that lie: what they make of a connection.

use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, DiscardReason, Layer, Packet, Provenance, RandomStream,
    ReadOutcome, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::Instant;

use super::time_line::check;
use super::wire::{Bases, Line, US, US_PORT, sealed};
use super::{linux, plain};

const PROVENANCE: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// A host that a peer talks to.
struct Victim {
    host: Tcp,
    bases: Bases,
    connection: Option<ConnectionId>,
    sent: Vec<Line>,
    discarded: Vec<DiscardReason>,
}

impl Victim {
    /// After a handshake that the peer began with this SYN.
    fn accepting(profile: TcpProfile, syn: &str) -> Self {
        let address = US.parse().unwrap();
        let mut host = Tcp::new(address, Arc::new(profile), RandomStream::named(1, "tcp"));
        host.listen(US_PORT).unwrap();
        let mut victim = Self {
            host,
            bases: Bases::default(),
            connection: None,
            sent: Vec::new(),
            discarded: Vec::new(),
        };
        victim.hear(syn);
        victim.hear(". 1:1(0) ack 1 win 1");
        assert!(victim.connection.is_some(), "{:?}", victim.discarded);
        victim.sent.clear();
        victim
    }

    fn hear(&mut self, line: &str) {
        let packet = Line::parse(line).packet(&self.bases);
        self.take(packet.bytes());
    }

    /// The same with these bytes as its payload.
    fn hear_bytes(&mut self, line: &str, payload: &[u8]) {
        let packet = Line::parse(line).packet(&self.bases);
        let mut bytes = packet.bytes()[..packet.length() - payload.len()].to_vec();
        bytes.extend_from_slice(payload);
        self.take(&sealed(bytes));
    }

    fn take(&mut self, bytes: &[u8]) {
        let packet = Packet::of(bytes, PROVENANCE);
        self.host
            .handle(Instant::ZERO, TransportInput::Packet(packet));
        self.drain();
    }

    fn write(&mut self, length: usize) {
        let chunk = Chunk {
            bytes: &vec![b'x'; length],
            provenance: PROVENANCE,
        };
        let id = self.connection.unwrap();
        let taken = self.host.write(Instant::ZERO, id, Tcp::STREAM, &[chunk]);
        assert_eq!(taken, Ok(length));
        self.drain();
    }

    fn read(&mut self) -> Vec<u8> {
        let (id, mut room) = (self.connection.unwrap(), [0; 5000]);
        match self.host.read(Instant::ZERO, id, Tcp::STREAM, &mut room) {
            Ok(ReadOutcome::Read(count)) => room[..count].to_vec(),
            _ => Vec::new(),
        }
    }

    fn drain(&mut self) {
        loop {
            match self.host.poll(Instant::ZERO) {
                TransportOutput::Transmit(packet) => {
                    self.sent.push(Line::read(&packet, &mut self.bases));
                }
                TransportOutput::Event(id, TransportEvent::Established(_)) => {
                    self.connection = Some(id);
                }
                TransportOutput::Event(..) | TransportOutput::Evicted => {}
                TransportOutput::Discard(_, reason) => self.discarded.push(reason),
                TransportOutput::WaitUntil(_) => return,
            }
        }
    }

    fn lengths(&self) -> Vec<u32> {
        self.sent.iter().map(Line::length).collect()
    }
}

#[test]
fn a_window_scale_above_14_counts_as_14() {
    // RFC 7323 section 2.3. A window of 1 then lets 16,384 bytes through: 16 full segments and the rest.
    let profile = TcpProfile {
        timestamps: false,
        initial_window: 100,
        ..linux()
    };
    for scale in [14, 15, 31, 32, 255] {
        let syn = format!("S 0:0(0) win 1000 <mss 1000,wscale {scale}>");
        let mut victim = Victim::accepting(profile.clone(), &syn);
        victim.write(40_000);
        assert_eq!(victim.lengths(), [1000; 16], "{scale}");
    }
}

#[test]
fn a_segment_size_that_is_absurd_is_not_believed() {
    // RFC 9293 section 3.7.1 has 536 for a peer that does not say; Linux takes a 0 for that, and bounds what is small.
    let profile = TcpProfile {
        nodelay: true,
        ..plain()
    };
    for (size, believed) in [
        (0, 536),
        (1, 88),
        (87, 88),
        (88, 88),
        (536, 536),
        (65_535, 1460),
    ] {
        let syn = format!("S 0:0(0) win 64000 <mss {size}>");
        let mut victim = Victim::accepting(profile.clone(), &syn);
        victim.hear(". 1:1(0) ack 1 win 64000");
        victim.write(4000);
        assert_eq!(victim.lengths().first(), Some(&believed), "{size}");
    }
}

#[test]
fn blocks_of_what_was_never_sent_say_nothing() {
    // RFC 2018 section 4 and RFC 2883: behind what was sent, empty, the wrong way round, before what is acknowledged.
    for blocks in [
        "6001:7001",
        "5001:6001",
        "1:9001",
        "3001:3001",
        "4001:2001",
        "4000000000:4000000500",
        "4000000000:5001",
        "1:2147483649",
        "2147483649:1",
        "4294967295:4294967295 3001:2001 6001:6002 5001:5000",
    ] {
        check(
            plain(),
            &format!(
                "+0 connected
                 +0 write 5000
                 +0 > . 1:1001(1000) ack 1 win 65535
                 +0 > . 1001:2001(1000) ack 1 win 65535
                 +0 > . 2001:3001(1000) ack 1 win 65535
                 +0 > . 3001:4001(1000) ack 1 win 65535
                 +0 > P. 4001:5001(1000) ack 1 win 65535
                 +0.1 < . 1:1(0) ack 1 win 64000 <sack {blocks}>
                 +0.01 < . 1:1(0) ack 1 win 64000 <sack {blocks}>
                 +0.01 < . 1:1(0) ack 1 win 64000 <sack {blocks}>
                 +0.01 < . 1:1(0) ack 5001 win 64000
                 +1 read 1
                 +0 = blocked"
            ),
        );
    }
}

#[test]
fn what_arrived_first_stands() {
    // RFC 9293 section 3.10.7.4: what was received is trimmed off what overlaps it, whatever it says.
    let mut victim = Victim::accepting(plain(), "S 0:0(0) win 64000 <mss 1000,sackOK>");
    victim.hear_bytes("P. 1:5(4) ack 1 win 64000", b"abcd");
    victim.hear_bytes("P. 1:9(8) ack 1 win 64000", b"ABCDefgh");
    assert_eq!(victim.read(), b"abcdefgh");
    // What waits behind a gap is kept, too, but for the segment that closes the gap: that counts whole, as in Linux.
    victim.hear_bytes("P. 13:17(4) ack 1 win 64000", b"mnop");
    victim.hear_bytes("P. 11:19(8) ack 1 win 64000", b"klMNOPqr");
    victim.hear_bytes("P. 13:17(4) ack 1 win 64000", b"MNOP");
    assert_eq!(victim.read(), b"");
    victim.hear_bytes("P. 7:13(6) ack 1 win 64000", b"GHijKL");
    assert_eq!(victim.read(), b"ijKLmnopqr");
    assert_eq!(victim.discarded, []);
}

#[test]
fn an_urgent_pointer_moves_nothing() {
    // RFC 6093 section 3: urgent data stays in the stream.
    for (flag, pointer) in [(0x20, 0), (0x20, 1), (0x20, 0xffff), (0, 0xffff)] {
        let mut victim = Victim::accepting(plain(), "S 0:0(0) win 64000 <mss 1000>");
        let packet = Line::parse("P. 1:101(100) ack 1 win 64000").packet(&victim.bases);
        let mut bytes = packet.bytes().to_vec();
        bytes[33] |= flag;
        bytes[38..40].copy_from_slice(&u16::to_be_bytes(pointer));
        victim.take(&sealed(bytes));
        assert_eq!(victim.discarded, []);
        assert_eq!(victim.read().len(), 100);
    }
}

#[test]
fn a_header_that_lies_about_its_length_is_malformed() {
    // On a connection that is open: a data offset below 5 or past the end, options past the header.
    let options: [&[u8]; 6] = [
        &[8, 10, 0, 0],
        &[5, 255, 0, 0],
        &[5, 0, 0, 0],
        &[2, 1, 0, 0],
        &[1, 1, 1, 8],
        &[1, 1, 254, 3],
    ];
    for (offset, options) in (0..5)
        .map(|offset| (offset, &[0_u8; 4][..]))
        .chain([(7, &[0; 4][..]), (15, &[0; 4][..])])
        .chain(options.map(|options| (6, options)))
    {
        let mut victim = Victim::accepting(plain(), "S 0:0(0) win 64000 <mss 1000>");
        let packet = Line::parse(". 1:1(0) ack 1 win 64000").packet(&victim.bases);
        let mut bytes = packet.bytes().to_vec();
        bytes[32] = offset << 4;
        bytes.extend_from_slice(options);
        victim.take(&sealed(bytes));
        let malformed = [DiscardReason::Malformed];
        assert_eq!(victim.discarded, malformed, "{offset} {options:?}");
        assert!(victim.sent.is_empty());
    }
}
