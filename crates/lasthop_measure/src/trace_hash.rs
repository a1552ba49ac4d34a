use lasthop_contract::Packet;
use lasthop_units::Instant;

/// A hash of the packets that entered a path and their fates: time, direction, size and bytes.
///
/// Two runs with one fingerprint are one run. It is a sum over packets, so that hosts that cannot hear of each
/// other may be observed in any order, and the same on every machine. It guards against mistakes, not against
/// someone who wants two runs to look alike.
///
/// A packet is known by addresses, ports and a checksum over the rest. They are read where it leaves or is dropped:
/// at its entry they have just been written, in pieces, and a processor would have to wait for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHash(u64);

/// Odd numbers without a pattern: the fraction of pi, the last bit of each word set.
const KEYS: [u64; WORDS + 2] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6d,
    0xc0ac_29b7_c97c_50dd,
];

/// Words of 8 bytes by which a packet is known: IPv4 and TCP up to the end of the fixed header.
const WORDS: usize = 5;

/// Bytes of an IPv6 header that are passed over, so that as many words reach as far in TCP: up to the source's network.
const IPV6_OFFSET: usize = 20;

impl TraceHash {
    /// Returns the hash as 16 hexadecimal digits.
    #[must_use]
    pub fn digits(self) -> String {
        format!("{:016x}", self.0)
    }

    pub(crate) fn entered(&mut self, now: Instant, packet: &Packet) {
        self.add(now, shape(0, packet), 0);
    }

    pub(crate) fn left(&mut self, now: Instant, packet: &Packet) {
        self.add(now, shape(1, packet), products(packet.bytes()));
    }

    pub(crate) fn dropped(&mut self, now: Instant, packet: &Packet) {
        self.add(now, shape(2, packet), products(packet.bytes()));
    }

    fn add(&mut self, now: Instant, shape: u64, head: u64) {
        let [.., of_time, of_shape] = KEYS;
        let number = head
            .wrapping_add(now.as_nanos().wrapping_mul(of_time))
            .wrapping_add(shape.wrapping_mul(of_shape));
        self.0 = self.0.wrapping_add(mixed(number));
    }
}

/// Returns the size, damage, fate and direction of a packet in one word.
fn shape(fate: u64, packet: &Packet) -> u64 {
    let damaged = u64::from(packet.is_corrupted());
    (packet.length() as u64) << 4 | damaged << 3 | fate << 1 | packet.direction() as u64
}

/// The first bytes as words, each times its key. No product waits for another, so that a processor works on all at
/// once.
fn products(bytes: &[u8]) -> u64 {
    let is_ipv6 = bytes.first().is_some_and(|first| first >> 4 == 6);
    let known = bytes.get(IPV6_OFFSET..).filter(|_| is_ipv6);
    let known = known.unwrap_or(bytes);
    let (words, rest) = known[..known.len().min(8 * WORDS)].as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut sum = 0_u64;
    let words = words.iter().chain([&last]);
    for ((word, key), turn) in words.zip(&KEYS[..WORDS]).zip((0..).step_by(12)) {
        // The highest bit of a word changes the highest bit of its product alone, whatever the key: it is turned away.
        let product = u64::from_le_bytes(*word).wrapping_mul(*key);
        sum = sum.wrapping_add(product.rotate_left(turn));
    }
    sum
}

/// Every bit of the result depends on every bit of the number (the finaliser of splitmix64).
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lasthop_contract::{Cause, Direction, Layer, PathId, Provenance};

    use super::*;

    const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

    fn packet(bytes: &[u8]) -> Packet {
        let mut packet = Packet::of(bytes, PAYLOAD);
        packet.enter(0, Direction::Up, PathId::default());
        packet
    }

    fn left(nanos: u64, packet: &Packet) -> TraceHash {
        let mut hash = TraceHash::default();
        hash.left(Instant::from_nanos(nanos), packet);
        hash
    }

    #[test]
    fn is_the_same_on_every_machine() {
        let bytes: Vec<u8> = (0..=255).collect();
        let at = Instant::from_nanos;
        let mut hash = left(1_000_000_007, &packet(&bytes));
        hash.dropped(at(1_000_000_009), &packet(&bytes[..40]));
        let ipv6 = packet(&bytes[0x60..][..50]);
        hash.left(at(1_000_000_013), &ipv6);
        hash.entered(at(2_000_000_011), &packet(&bytes[..40]));
        assert_eq!(hash.digits(), "9e4c9d0c3a291444");
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
            assert!(seen.insert(left(5, &packet(&bytes[..length])).0));
        }
        for bit in 0..WORDS * 64 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(left(5, &packet(&changed)).0), "bit {bit}");
        }
        for nanos in 6..2000 {
            assert!(seen.insert(left(nanos, &packet(&bytes)).0), "{nanos} ns");
        }
        let mut down = packet(&bytes);
        down.enter(0, Direction::Down, PathId::default());
        assert!(seen.insert(left(5, &down).0));
        let same = packet(&bytes);
        for note in [TraceHash::entered, TraceHash::dropped] {
            let mut hash = TraceHash::default();
            note(&mut hash, Instant::from_nanos(5), &same);
            assert!(seen.insert(hash.0));
        }
        let mut damaged = packet(&bytes);
        damaged.mark_corrupted();
        assert!(seen.insert(left(5, &damaged).0));
    }

    #[test]
    fn the_checksum_counts_in_each_version_of_ip() {
        for (version, checksum) in [(4, 26), (4, 36), (6, 46), (6, 56)] {
            let mut bytes = [0_u8; 80];
            bytes[0] = version << 4;
            let before = left(5, &packet(&bytes));
            bytes[checksum] = 1;
            assert_ne!(left(5, &packet(&bytes)), before, "{version}");
        }
    }

    #[test]
    fn words_that_change_places_are_seen() {
        // The checksum of the Internet does not see it.
        let (one, other) = ([1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 1, 2, 5, 6, 7, 8]);
        assert_ne!(left(5, &packet(&one)), left(5, &packet(&other)));
    }
}
