//! Packets as tests write them, and what the classifier says of them.

use lasthop_classify::{Classifier, Portion, Sight};
use lasthop_contract::{Cause, Direction, Layer};
use lasthop_units::{Duration, Instant};

pub(crate) const SYN: u8 = 2;
pub(crate) const ACK: u8 = 16;
pub(crate) const FIN: u8 = 1;
pub(crate) const RST: u8 = 4;

pub(crate) const CLIENT: u16 = 50_000;

/// A classifier, and the portions that it has told of.
pub(crate) struct Observer {
    pub(crate) classifier: Classifier,
    now: Instant,
    pub(crate) portions: Vec<Portion>,
}

impl Observer {
    pub(crate) fn new() -> Self {
        Self {
            classifier: Classifier::new(),
            now: Instant::ZERO,
            portions: Vec::new(),
        }
    }

    pub(crate) fn see(&mut self, packet: &[u8]) {
        self.see_beginning(packet, packet.len());
    }

    /// A packet of which the first bytes were kept.
    pub(crate) fn see_beginning(&mut self, packet: &[u8], kept: usize) {
        self.now += Duration::from_millis(10);
        self.classifier
            .handle(self.now, Sight::Unknown, &packet[..kept], packet.len());
        self.collect();
    }

    pub(crate) fn finish(mut self) -> Vec<Portion> {
        self.classifier.finish();
        self.collect();
        self.portions
    }

    /// What the last packet is for above IP, as words.
    pub(crate) fn last(&self) -> String {
        words(self.portions.last().expect("a packet was told of"))
    }

    fn collect(&mut self) {
        while let Some(portion) = self.classifier.poll() {
            self.portions.push(portion);
        }
    }
}

/// `tcp.header 20, application.payload 7`: what lies above IP.
pub(crate) fn words(portion: &Portion) -> String {
    let spans = portion.spans.iter();
    let above = spans.filter(|span| span.provenance.layer != Layer::Ip);
    let words = above.map(|span| {
        let provenance = span.provenance;
        let (layer, cause) = (provenance.layer.name(), provenance.cause.name());
        format!("{layer}.{cause} {}", span.length)
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The bytes of a layer and cause.
pub(crate) fn sum(portions: &[Portion], layer: Layer, cause: Cause) -> u64 {
    let spans = portions.iter().flat_map(|portion| &portion.spans);
    let those =
        spans.filter(|span| (span.provenance.layer, span.provenance.cause) == (layer, cause));
    those.map(|span| u64::from(span.length)).sum()
}

/// A segment between the client and a port, whose checksum is left to hardware.
pub(crate) fn tcp(
    direction: Direction,
    port: u16,
    (seq, ack): (u32, u32),
    flags: u8,
    data: &[u8],
) -> Vec<u8> {
    let (source, destination) = ports(direction, port);
    let mut segment = Vec::new();
    segment.extend_from_slice(&source.to_be_bytes());
    segment.extend_from_slice(&destination.to_be_bytes());
    segment.extend_from_slice(&seq.to_be_bytes());
    segment.extend_from_slice(&ack.to_be_bytes());
    segment.extend_from_slice(&[5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
    segment.extend_from_slice(data);
    ip(direction, 6, &segment)
}

/// A datagram between the client and a port, without a checksum.
pub(crate) fn udp(direction: Direction, port: u16, data: &[u8]) -> Vec<u8> {
    let (source, destination) = ports(direction, port);
    let mut datagram = Vec::new();
    datagram.extend_from_slice(&source.to_be_bytes());
    datagram.extend_from_slice(&destination.to_be_bytes());
    datagram.extend_from_slice(&(data.len() as u16 + 8).to_be_bytes());
    datagram.extend_from_slice(&[0, 0]);
    datagram.extend_from_slice(data);
    ip(direction, 17, &datagram)
}

pub(crate) fn ip(direction: Direction, protocol: u8, above: &[u8]) -> Vec<u8> {
    let (source, destination) = match direction {
        Direction::Up => (1, 2),
        Direction::Down => (2, 1),
    };
    let [high, low] = (above.len() as u16 + 20).to_be_bytes();
    let mut packet = vec![0x45, 0, high, low, 0, 7, 0, 0, 64, protocol, 0, 0];
    packet.extend_from_slice(&[10, 0, 0, source, 10, 0, 0, destination]);
    packet.extend_from_slice(above);
    packet
}

fn ports(direction: Direction, port: u16) -> (u16, u16) {
    match direction {
        Direction::Up => (CLIENT, port),
        Direction::Down => (port, CLIENT),
    }
}
