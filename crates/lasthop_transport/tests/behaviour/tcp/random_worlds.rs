//! Thousands of random worlds: every byte arrives once and in order, or the connection fails with a reason; both
//! ends always close, and no timer is left.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, DiscardReason, Layer, Packet, Provenance,
    RandomStream, ReadOutcome, ResetReason, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_transport::tcp::KeepAlive;
use lasthop_transport::{IpPacket, TCP_PROTOCOL, Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

const PORT: u16 = 1883;
const WORLDS: u64 = 3000;

/// Two hosts and what happens between them.
struct World {
    now: Instant,
    random: RandomStream,
    hosts: [Tcp; 2],
    ends: [End; 2],
    deadlines: [Option<Instant>; 2],
    wire: BTreeMap<(Instant, u64), (usize, Packet)>,
    packets: u64,
    faults: Faults,
}

/// How often, in a thousand, something befalls a packet or an application.
struct Faults {
    loss: u64,
    reordering: u64,
    duplication: u64,
    corruption: u64,
    reset: u64,
}

/// An application: it writes a stream, reads one, and finishes.
#[derive(Default)]
struct End {
    connection: Option<ConnectionId>,
    to_send: Vec<u8>,
    sent: usize,
    chunk: usize,
    finished: bool,
    received: Vec<u8>,
    /// It reads at most so much at a time, and only when it wakes.
    appetite: usize,
    peer_finished: bool,
    has_reset: bool,
    closed: Option<CloseReason>,
}

fn any_profile(random: &mut RandomStream) -> TcpProfile {
    let base = match random.below(4) {
        0 => TcpProfile::larmo_2019(),
        1 => TcpProfile::lwip_esp8266(),
        _ => TcpProfile::linux(),
    };
    let window = [base.receive_buffer, 500 + random.below(4000) as u32][random.below(2) as usize];
    let mut coin = || random.below(4) > 0;
    let base = TcpProfile {
        sack: base.sack && coin(),
        timestamps: base.timestamps && coin(),
        rack: coin(),
        loss_probe: coin(),
        frto: coin(),
        collapse: coin(),
        nodelay: coin(),
        ..base
    };
    TcpProfile {
        // Segments that are not empty answer within this, so that a lost reset is noticed.
        keep_alive: Some(KeepAlive {
            idle: Duration::from_secs(30),
            interval: Duration::from_secs(10),
            probes: 9,
        }),
        // Where nothing is kept out of order, the peer's timeout grows beyond what lwIP waits.
        fin_wait_2_timeout: Some(Duration::from_secs(1000)),
        receive_buffer: window,
        ..base
    }
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = RandomStream::named(seed, "world");
        let addresses: [IpAddr; 2] = if random.below(2) == 0 {
            ["10.0.0.1".parse().unwrap(), "192.0.2.1".parse().unwrap()]
        } else {
            [
                "2001:db8::1".parse().unwrap(),
                "2001:db8::2".parse().unwrap(),
            ]
        };
        let hosts = [0, 1].map(|side: usize| {
            let profile = Arc::new(any_profile(&mut random));
            Tcp::new(
                addresses[side],
                profile,
                RandomStream::named(seed, ["a", "b"][side]),
            )
        });
        let ends = [0, 1].map(|_| {
            let magnitude = 4 + random.below(13);
            let length = random.below(1 << magnitude) as usize;
            let magnitude = 6 + random.below(10);
            End {
                to_send: (0..length).map(|_| random.next_u64() as u8).collect(),
                chunk: 1 + random.below(3000) as usize,
                appetite: 1 + random.below(1 << magnitude) as usize,
                ..End::default()
            }
        });
        let faults = Faults {
            loss: [0, 20, 100, 200][random.below(4) as usize],
            reordering: [0, 0, 100, 300][random.below(4) as usize],
            duplication: [0, 0, 50][random.below(3) as usize],
            corruption: [0, 0, 30][random.below(3) as usize],
            reset: u64::from(random.below(10) == 0),
        };
        let mut world = Self {
            now: Instant::ZERO,
            random,
            hosts,
            ends,
            deadlines: [None; 2],
            wire: BTreeMap::new(),
            packets: 0,
            faults,
        };
        world.hosts[1].listen(PORT).unwrap();
        let peer = SocketAddr::new(addresses[1], PORT);
        let early = world
            .random
            .below(200)
            .min(world.ends[0].to_send.len() as u64) as usize;
        let bytes = world.ends[0].to_send[..early].to_vec();
        let opened = world.hosts[0].open(world.now, peer, &[chunk(&bytes)]);
        world.ends[0].connection = Some(opened.unwrap());
        world.ends[0].sent = early;
        world
    }

    /// Runs until both sleep, at most `limit` events.
    fn run(&mut self, limit: u64) {
        for _ in 0..limit {
            self.settle();
            let arrival = self.wire.keys().next().map(|(at, _)| *at);
            let awake = self.ends.iter().any(End::is_awake);
            // Applications wake by themselves from time to time.
            let nap = awake.then(|| self.now + Duration::from_millis(1 + self.random.below(200)));
            let deadlines = self.deadlines;
            let Some(next) = deadlines.into_iter().chain([arrival, nap]).flatten().min() else {
                return;
            };
            assert!(next >= self.now);
            self.now = next;
            if arrival == Some(next) {
                let (_, (side, packet)) = self.wire.pop_first().unwrap();
                self.hosts[side].handle(next, TransportInput::Packet(packet));
            } else {
                for side in 0..2 {
                    if self.deadlines[side].is_some_and(|at| at <= next) {
                        self.hosts[side].handle(next, TransportInput::Timeout);
                    }
                }
            }
            if nap == Some(next) {
                (0..2).for_each(|side| self.act(side));
            }
        }
        panic!("it goes on and on: {:?}", self.now);
    }

    fn settle(&mut self) {
        for side in 0..2 {
            loop {
                match self.hosts[side].poll(self.now) {
                    TransportOutput::Transmit(packet) => self.transmit(1 - side, packet),
                    TransportOutput::Event(id, event) => self.tell(side, id, event),
                    TransportOutput::Evicted => {}
                    TransportOutput::Discard(_, reason) => {
                        let damages = [
                            DiscardReason::WrongAddress,
                            DiscardReason::UnknownProtocol,
                            DiscardReason::Malformed,
                            DiscardReason::BadChecksum,
                        ];
                        assert!(self.faults.corruption > 0 || !damages.contains(&reason));
                    }
                    TransportOutput::WaitUntil(deadline) => {
                        self.deadlines[side] = deadline;
                        break;
                    }
                }
            }
        }
    }

    fn transmit(&mut self, to: usize, mut packet: Packet) {
        let spans: usize = packet.spans().iter().map(|s| usize::from(s.length)).sum();
        assert_eq!(spans, packet.length());
        assert!(packet.length() <= 1500, "{}", packet.length());
        let ip = IpPacket::parse(packet.bytes()).unwrap();
        assert_eq!(ip.protocol, TCP_PROTOCOL);
        assert!(is_explained(&packet), "a copy without a reason");
        let random = &mut self.random;
        if random.below(1000) < self.faults.loss {
            return;
        }
        let copy = (random.below(1000) < self.faults.duplication).then(|| packet.duplicate());
        let is_late = random.below(1000) < self.faults.reordering;
        if random.below(1000) < self.faults.corruption {
            let bit = random.below(packet.length() as u64 * 8) as usize;
            packet.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
        }
        let jitter = if is_late { self.random.below(300) } else { 0 };
        for packet in [Some(packet), copy].into_iter().flatten() {
            self.packets += 1;
            let at = self.now + Duration::from_millis(40 + jitter);
            self.wire.insert((at, self.packets), (to, packet));
        }
    }

    fn tell(&mut self, side: usize, id: ConnectionId, event: TransportEvent) {
        let end = &mut self.ends[side];
        match event {
            TransportEvent::Established(_) if end.connection.is_none() => end.connection = Some(id),
            // A SYN that was duplicated or came late may open a second connection, which nobody uses.
            _ if end.connection != Some(id) => {
                if matches!(event, TransportEvent::Established(_)) {
                    self.hosts[side].reset(self.now, id, ResetReason::NotNeeded);
                }
                return;
            }
            TransportEvent::Closed(reason) => {
                assert_eq!(end.closed, None);
                end.closed = Some(reason);
                assert!(self.hosts[side].peer(id).is_none());
                return;
            }
            _ => {}
        }
        self.act(side);
    }

    /// An application writes, reads, finishes, and sometimes gives up.
    fn act(&mut self, side: usize) {
        let Some(id) = self.ends[side]
            .connection
            .filter(|_| self.ends[side].closed.is_none())
        else {
            return;
        };
        let (host, end) = (&mut self.hosts[side], &mut self.ends[side]);
        let mut room = vec![0; end.appetite];
        match host.read(self.now, id, Tcp::STREAM, &mut room) {
            Ok(ReadOutcome::Read(count)) => end.received.extend_from_slice(&room[..count]),
            Ok(ReadOutcome::Finished) => end.peer_finished = true,
            Ok(ReadOutcome::Blocked) | Err(_) => {}
        }
        let rest = &end.to_send[end.sent..];
        let rest = &rest[..rest.len().min(end.chunk)];
        if let Ok(taken) = host.write(self.now, id, Tcp::STREAM, &[chunk(rest)]) {
            end.sent += taken;
        }
        if end.sent == end.to_send.len() && !end.finished {
            end.finished = true;
            host.finish(self.now, id, Tcp::STREAM);
        }
        if self.faults.reset > 0 && self.random.below(200) == 0 {
            end.has_reset = true;
            host.reset(self.now, id, ResetReason::NotNeeded);
        }
    }
}

impl End {
    fn is_awake(&self) -> bool {
        self.connection.is_some() && self.closed.is_none() && !(self.finished && self.peer_finished)
    }
}

/// Whether a packet says why it leaves again, if it does. An answer to a SYN that came again is just that.
fn is_explained(packet: &Packet) -> bool {
    let again = Provenance::new(Layer::Tcp, Cause::Retransmission);
    let is_copy = packet.spans().iter().any(|span| span.provenance == again);
    let ip = IpPacket::parse(packet.bytes()).unwrap();
    let is_syn = packet.bytes()[ip.payload.start + 13] & 2 != 0;
    !is_copy || is_syn || packet.trigger().is_some()
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, Cause::Payload),
    }
}

#[test]
fn every_byte_arrives_once_and_in_order_or_the_connection_fails_with_a_reason() {
    let mut outcomes = BTreeMap::new();
    for seed in 0..WORLDS {
        let mut world = World::new(seed);
        world.run(3_000_000);
        let [a, b] = &world.ends;
        for (from, to) in [(a, b), (b, a)] {
            assert!(from.to_send.starts_with(&to.received), "seed {seed}");
            if to.peer_finished {
                assert_eq!(to.received.len(), from.to_send.len(), "seed {seed}");
            }
        }
        let reset = a.has_reset || b.has_reset;
        assert!(a.closed.is_some(), "seed {seed}: the client stays");
        assert!(
            b.closed.is_some() || b.connection.is_none(),
            "seed {seed}: the server stays"
        );
        if a.closed == Some(CloseReason::Finished) && b.closed == Some(CloseReason::Finished) {
            assert_eq!(a.to_send, b.received, "seed {seed}");
            assert_eq!(b.to_send, a.received, "seed {seed}");
        } else if world.faults.loss == 0 && world.faults.corruption == 0 && !reset {
            panic!(
                "seed {seed}: {:?} and {:?} without a loss",
                a.closed, b.closed
            );
        }
        assert_eq!(world.deadlines, [None; 2], "seed {seed}: a timer is left");
        *outcomes.entry(format!("{:?}", a.closed)).or_insert(0) += 1;
    }
    let finished = outcomes["Some(Finished)"];
    assert!(finished > WORLDS * 8 / 10, "{outcomes:?}");
}
