use lasthop_contract::Packet;
use lasthop_units::Instant;

/// A fingerprint of what entered a path and what came out of it: when, which way, how long, which bytes.
///
/// Two runs with one fingerprint are one run. It is a sum over packets, so that hosts that cannot hear of each
/// other may be observed in any order, and the same on every machine. It guards against mistakes, not against
/// someone who wants two runs to look alike.
///
/// A packet that enters is read as a whole. One that leaves is known by its first bytes: addresses, ports and a
/// checksum over the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHash(u64);

/// Odd, with half of their bits set: the fraction of pi, as hexadecimal digits.
const KEYS: [u64; 4] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
];

/// Bytes by which a packet that leaves is known: an IPv6 header with a TCP header fits in.
const HEAD: usize = 64;

/// Bytes that one step mixes in: two words for each key.
const BLOCK: usize = 16 * KEYS.len();

impl TraceHash {
    /// The fingerprint as 16 hexadecimal digits.
    #[must_use]
    pub fn digits(self) -> String {
        format!("{:016x}", self.0)
    }

    pub(crate) fn entered(&mut self, now: Instant, packet: &Packet) {
        self.add(0, now, packet, packet.bytes());
    }

    pub(crate) fn left(&mut self, now: Instant, packet: &Packet) {
        let bytes = packet.bytes();
        self.add(2, now, packet, &bytes[..bytes.len().min(HEAD)]);
    }

    fn add(&mut self, what: u64, now: Instant, packet: &Packet, bytes: &[u8]) {
        let way = what + packet.direction() as u64;
        let place = fold(
            now.as_nanos() ^ KEYS[0],
            (packet.length() as u64) << 2 ^ way ^ KEYS[1],
        );
        let all = fold(place ^ KEYS[2], mixed(bytes) ^ KEYS[3]);
        self.0 = self.0.wrapping_add(all);
    }
}

/// A number for some bytes. The four lanes do not wait for each other, so that a processor works on all at once.
fn mixed(bytes: &[u8]) -> u64 {
    // Unlike the keys: a product forgets which factor is which.
    let mut lanes = KEYS.map(|key| key.rotate_left(32));
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for block in blocks {
        mix(&mut lanes, block);
    }
    if !rest.is_empty() {
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        mix(&mut lanes, &block);
    }
    let [a, b, c, d] = lanes;
    fold(a ^ b.rotate_left(17), c ^ d.rotate_left(29))
}

fn mix(lanes: &mut [u64; KEYS.len()], block: &[u8; BLOCK]) {
    let (pairs, _) = block.as_chunks::<16>();
    for ((lane, pair), key) in lanes.iter_mut().zip(pairs).zip(KEYS) {
        let (words, _) = pair.as_chunks::<8>();
        *lane = fold(
            u64::from_le_bytes(words[0]) ^ *lane,
            u64::from_le_bytes(words[1]) ^ key,
        );
    }
}

/// Both halves of a product, one on the other: every bit of the result depends on every bit of the factors.
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lasthop_contract::{Cause, Direction, Layer, Provenance};

    use super::*;

    const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

    fn packet(bytes: &[u8]) -> Packet {
        let mut packet = Packet::of(bytes, PAYLOAD);
        packet.enter(0, Direction::Up);
        packet
    }

    fn entered(nanos: u64, packet: &Packet) -> TraceHash {
        let mut hash = TraceHash::default();
        hash.entered(Instant::from_nanos(nanos), packet);
        hash
    }

    #[test]
    fn is_the_same_on_every_machine() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut hash = entered(1_000_000_007, &packet(&bytes));
        hash.left(Instant::from_nanos(2_000_000_011), &packet(&bytes[..40]));
        assert_eq!(hash.digits(), "edd29ecb2bc5ee1e");
    }

    #[test]
    fn does_not_depend_on_the_order_of_packets() {
        let (one, other) = (packet(b"one"), packet(b"other"));
        let (early, late) = (Instant::from_nanos(1), Instant::from_nanos(2));
        let [mut forth, mut back] = [TraceHash::default(); 2];
        forth.entered(early, &one);
        forth.entered(late, &other);
        back.entered(late, &other);
        back.entered(early, &one);
        assert_eq!(forth, back);
    }

    #[test]
    fn every_bit_every_length_and_every_moment_counts() {
        let bytes = [0_u8; 150];
        let mut seen = BTreeSet::new();
        for length in 0..=bytes.len() {
            assert!(seen.insert(entered(5, &packet(&bytes[..length])).0));
        }
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(entered(5, &packet(&changed)).0), "bit {bit}");
        }
        for nanos in 6..2000 {
            assert!(seen.insert(entered(nanos, &packet(&bytes)).0), "{nanos} ns");
        }
        let mut down = packet(&bytes);
        down.enter(0, Direction::Down);
        assert!(seen.insert(entered(5, &down).0));
        let mut out = TraceHash::default();
        out.left(Instant::from_nanos(5), &packet(&bytes));
        assert!(seen.insert(out.0));
    }

    #[test]
    fn words_that_change_places_are_seen() {
        // The checksum of the Internet does not see it.
        let (one, other) = ([1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 1, 2, 5, 6, 7, 8]);
        assert_ne!(entered(5, &packet(&one)), entered(5, &packet(&other)));
    }
}
