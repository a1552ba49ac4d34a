use core::net::IpAddr;

use lasthop_contract::{Cause, Layer, Packet, Provenance};
use lasthop_transport::{IpPacket, TCP_PROTOCOL};

use crate::repair::{Protocol, repair};
use crate::script::Script;
use crate::tcp_end::PORT;

/// What a host's last segment said: where a forger begins who has listened.
pub(crate) struct LastSegment {
    source: u16,
    destination: u16,
    /// What it sends next.
    next: u32,
    /// What it expects.
    expected: u32,
    timestamps: Option<(u32, u32)>,
}

impl LastSegment {
    pub(crate) fn read(packet: &Packet) -> Self {
        let ip = IpPacket::parse(packet.bytes()).expect("our own packets are well formed");
        assert_eq!(ip.protocol, TCP_PROTOCOL);
        let segment = &packet.bytes()[ip.payload];
        let header = usize::from(segment[12] >> 4) * 4;
        let flags = segment[13];
        let length =
            (segment.len() - header) as u32 + u32::from(flags & 1) + u32::from(flags >> 1 & 1);
        Self {
            source: half(segment, 0),
            destination: half(segment, 2),
            next: word(segment, 4).wrapping_add(length),
            expected: word(segment, 8),
            timestamps: timestamps(&segment[20..header]),
        }
    }
}

/// A segment for a host, by a script: near to what the host expects, and wrong wherever the script wants.
///
/// A byte for the shape (1: time stamps as they should be; 2: blocks; 4: any options; 8: any data offset; 16: to
/// the listening port; 32: numbers as they stand), a byte of flags, two numbers from what is expected, the window,
/// what the shape asks for, and the length of the payload.
pub(crate) fn forged(
    last: Option<&LastSegment>,
    from: IpAddr,
    to: IpAddr,
    script: &mut Script<'_>,
) -> Packet {
    let (shape, flags) = (script.byte(), script.byte());
    let wants = |bit: u8| shape & bit != 0;
    let nothing = LastSegment {
        source: PORT,
        destination: 50_000,
        next: 0,
        expected: 0,
        timestamps: None,
    };
    let last = last.unwrap_or(&nothing);
    let (seq_base, ack_base) = if wants(32) {
        (0, 0)
    } else {
        (last.expected, last.next)
    };
    let seq = seq_base.wrapping_add(distance(script));
    let ack = ack_base.wrapping_add(distance(script));
    let window = script.word();
    let mut options = Vec::new();
    if let (true, Some((value, echo))) = (wants(1), last.timestamps) {
        options.extend([1, 1, 8, 10]);
        let value_of_peer = echo.wrapping_add(distance(script));
        options.extend(value_of_peer.to_be_bytes());
        options.extend(value.to_be_bytes());
    }
    if wants(2) {
        let blocks = 1 + script.byte() % 4;
        options.extend([1, 1, 5, 2 + 8 * blocks]);
        for _ in 0..2 * blocks {
            options.extend(last.next.wrapping_add(distance(script)).to_be_bytes());
        }
    }
    if wants(4) {
        options.extend_from_slice(script.slice());
    }
    options.truncate(40);
    options.resize(options.len().next_multiple_of(4), 0);
    let offset = if wants(8) {
        script.byte()
    } else {
        (5 + options.len() / 4) as u8
    };
    let length = usize::from(script.word()) % 1461;

    let mut bytes = ip_header(from, to);
    let (source, destination) = if wants(16) {
        (last.source ^ 1, PORT)
    } else {
        (last.destination, last.source)
    };
    bytes.extend(source.to_be_bytes());
    bytes.extend(destination.to_be_bytes());
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([offset << 4, flags]);
    bytes.extend(window.to_be_bytes());
    // Checksum and urgent pointer.
    bytes.extend([0, 0, flags, flags]);
    bytes.extend(options);
    bytes.resize(bytes.len() + length, 0xee);
    repair(&mut bytes, Protocol::Tcp);
    Packet::of(&bytes, Provenance::new(Layer::Ip, Cause::Header))
}

/// How far from what is expected: near in small steps, and as far as numbers go.
fn distance(script: &mut Script<'_>) -> u32 {
    let steps = i32::from(script.word().cast_signed());
    let distance = match steps {
        -8192..8192 => steps,
        _ => steps.wrapping_mul(1 << 16),
    };
    distance.cast_unsigned()
}

fn ip_header(from: IpAddr, to: IpAddr) -> Vec<u8> {
    match (from, to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            let mut bytes = vec![0; 20];
            bytes[0] = 0x45;
            bytes[8] = 64;
            bytes[12..16].copy_from_slice(&from.octets());
            bytes[16..20].copy_from_slice(&to.octets());
            bytes
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            let mut bytes = vec![0; 40];
            bytes[0] = 0x60;
            bytes[7] = 64;
            bytes[8..24].copy_from_slice(&from.octets());
            bytes[24..40].copy_from_slice(&to.octets());
            bytes
        }
        _ => panic!("both ends have the same IP version"),
    }
}

fn timestamps(mut options: &[u8]) -> Option<(u32, u32)> {
    while let [kind, rest @ ..] = options {
        match (kind, rest) {
            (0, _) => return None,
            (1, _) => options = rest,
            (8, _) => return Some((word(options, 2), word(options, 6))),
            (_, [length, ..]) => options = &options[usize::from(*length)..],
            (_, []) => panic!("our own options are well formed"),
        }
    }
    None
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from(half(bytes, at)) << 16 | u32::from(half(bytes, at + 2))
}
