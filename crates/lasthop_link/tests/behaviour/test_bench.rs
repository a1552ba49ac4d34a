//! Puts packets into a link, keeps its time, and writes down what comes of them.

use lasthop_contract::{
    Cause, Direction, DropReason, Layer, Link, LinkInput, LinkOutput, Packet, PathId, Port,
    Provenance,
};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_units::{BitRate, DataSize, Duration, Instant, Probability};

pub(crate) const DEVICE: Port = Port(0);
pub(crate) const SERVER: Port = Port(1);

/// A link with its clock and its history.
pub(crate) struct TestBench<L> {
    pub(crate) link: L,
    pub(crate) delivered: Vec<Delivered>,
    pub(crate) dropped: Vec<Dropped>,
    /// The numbers of the packets that became two.
    pub(crate) duplicated: Vec<u64>,
    pub(crate) offered: u64,
    /// How often the link was woken.
    pub(crate) wake_ups: u64,
    deadline: Option<Instant>,
    now: Instant,
}

pub(crate) struct Delivered {
    pub(crate) at: Instant,
    pub(crate) port: Port,
    pub(crate) packet: Packet,
}

pub(crate) struct Dropped {
    pub(crate) at: Instant,
    pub(crate) port: Port,
    pub(crate) reason: DropReason,
    pub(crate) packet: Packet,
}

impl TestBench<DuplexLink> {
    /// A link that does this to packets from the device, with the seed 1.
    pub(crate) fn up(up: DirectionConfig) -> Self {
        Self::of(LinkConfig {
            up,
            ..LinkConfig::default()
        })
    }

    /// A link with only a rate, from the device.
    pub(crate) fn with_rate(rate: lasthop_link::rate::Rate) -> Self {
        Self::of(LinkConfig {
            up: DirectionConfig {
                rate: Some(rate),
                ..DirectionConfig::default()
            },
            ..LinkConfig::default()
        })
    }

    pub(crate) fn of(config: LinkConfig) -> Self {
        Self::new(DuplexLink::new(&config, 1, "path/0"))
    }
}

impl<L: Link> TestBench<L> {
    pub(crate) fn new(link: L) -> Self {
        Self {
            link,
            delivered: Vec::new(),
            dropped: Vec::new(),
            duplicated: Vec::new(),
            offered: 0,
            wake_ups: 0,
            deadline: None,
            now: Instant::ZERO,
        }
    }

    /// Offers a packet of a size from the device.
    pub(crate) fn send(&mut self, at: Instant, bytes: usize) {
        self.offer(at, DEVICE, packet(bytes));
    }

    /// Offers a packet. Packets are numbered from 1.
    pub(crate) fn offer(&mut self, at: Instant, port: Port, mut packet: Packet) {
        self.run_until(at);
        self.offered += 1;
        let direction = if port == DEVICE {
            Direction::Up
        } else {
            Direction::Down
        };
        packet.enter(self.offered, direction, PathId::default());
        self.link.handle(at, LinkInput::Offered { port, packet });
        self.drain(at);
    }

    pub(crate) fn tell(&mut self, at: Instant, input: LinkInput) {
        self.run_until(at);
        self.link.handle(at, input);
        self.drain(at);
    }

    /// Wakes the link at each of its deadlines up to and at an instant.
    pub(crate) fn run_until(&mut self, end: Instant) {
        while let Some(deadline) = self.deadline.filter(|deadline| *deadline <= end) {
            self.wake_ups += 1;
            self.link.handle(deadline, LinkInput::Timeout);
            self.drain(deadline);
        }
        assert!(end >= self.now, "time does not go back");
        self.now = end;
    }

    /// Wakes the link until it sleeps.
    pub(crate) fn run(&mut self) {
        while let Some(deadline) = self.deadline {
            self.run_until(deadline);
        }
    }

    /// The numbers of the packets that were delivered, in the order of their delivery.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.delivered.iter().map(|d| d.packet.number()).collect()
    }

    /// When the packets were delivered, in nanoseconds.
    pub(crate) fn times(&self) -> Vec<u64> {
        self.delivered.iter().map(|d| d.at.as_nanos()).collect()
    }

    /// The numbers of the packets that were dropped for a reason.
    pub(crate) fn dropped_for(&self, reason: DropReason) -> Vec<u64> {
        let dropped = self.dropped.iter().filter(|d| d.reason == reason);
        dropped.map(|d| d.packet.number()).collect()
    }

    fn drain(&mut self, now: Instant) {
        loop {
            match self.link.poll(now) {
                LinkOutput::Deliver { port, packet } => self.delivered.push(Delivered {
                    at: now,
                    port,
                    packet,
                }),
                LinkOutput::Drop {
                    port,
                    packet,
                    reason,
                } => self.dropped.push(Dropped {
                    at: now,
                    port,
                    reason,
                    packet,
                }),
                LinkOutput::Duplicated { number, .. } => self.duplicated.push(number),
                LinkOutput::RadioTime { .. } => panic!("there is no radio here"),
                LinkOutput::WaitUntil(deadline) => {
                    assert!(
                        deadline.is_none_or(|deadline| deadline > now),
                        "a deadline lies ahead"
                    );
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }
}

/// A packet of so many zeroed bytes.
pub(crate) fn packet(bytes: usize) -> Packet {
    let mut packet = Packet::new();
    packet.reserve(bytes, Provenance::new(Layer::Application, Cause::Payload));
    packet
}

pub(crate) fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

pub(crate) fn bits_per_second(bits: u64) -> BitRate {
    BitRate::from_bits_per_second(bits).unwrap()
}

pub(crate) const fn bytes(bytes: u64) -> DataSize {
    DataSize::from_bytes(bytes)
}

pub(crate) const fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// So many nanoseconds after the start.
pub(crate) const fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

/// So many milliseconds after the start.
pub(crate) const fn at_millis(millis: u64) -> Instant {
    Instant::from_nanos(millis * 1_000_000)
}
