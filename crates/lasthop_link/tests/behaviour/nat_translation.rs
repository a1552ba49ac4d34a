use lasthop_contract::{DropReason, RandomStream};
use lasthop_link::{Nat, NatConfig};

use crate::ip_packets::{read, tcp, udp};
use crate::test_bench::*;

fn bench() -> TestBench<Nat> {
    let (ipv4, ipv6) = (
        "203.0.113.7".parse().unwrap(),
        "2001:db8::7".parse().unwrap(),
    );
    let config = NatConfig::new(ipv4, ipv6, millis(120_000), None).unwrap();
    TestBench::new(Nat::new(config))
}

#[test]
fn checksums_are_right_after_translation() {
    let mut draws = RandomStream::named(1, "packets");
    let mut bench = bench();
    for _ in 0..2_000 {
        let payload: Vec<u8> = (0..draws.below(60))
            .map(|_| draws.next_u64() as u8)
            .collect();
        let (host, peer) = match draws.below(2) {
            0 => (
                format!("10.0.0.{}:{}", draws.below(256), draws.below(65_536)),
                "198.51.100.1:53",
            ),
            _ => {
                let (address, port) = (draws.below(65_536), draws.below(65_536));
                (format!("[fd00::{address:x}]:{port}"), "[2001:db8::1]:53")
            }
        };
        let make = if draws.below(2) == 0 { udp } else { tcp };
        bench.offer(at(0), DEVICE, make(&host, peer, &payload));
        let there = read(&bench.delivered.last().unwrap().packet);
        assert!(there.is_sound, "{there:?}");
        assert_eq!(there.destination, peer.parse().unwrap());
        bench.offer(
            at(0),
            SERVER,
            make(peer, &there.source.to_string(), &payload),
        );
        let back = &bench.delivered.last().unwrap().packet;
        assert!(read(back).is_sound);
        assert_eq!(read(back).destination, host.parse().unwrap());
        assert_eq!(&back.bytes()[back.length() - payload.len()..], payload);
    }
}

#[test]
fn a_checksum_that_comes_out_as_zero_is_sent_as_all_ones() {
    // The last two bytes run through all values, and so does the checksum.
    let mut bench = bench();
    let mut all_ones = 0;
    for word in 0..=u16::MAX {
        bench.offer(
            at(0),
            DEVICE,
            udp("10.0.0.2:5", "198.51.100.1:53", &word.to_be_bytes()),
        );
        let packet = bench.delivered.pop().unwrap().packet;
        assert!(read(&packet).is_sound);
        assert_ne!(&packet.bytes()[26..28], [0, 0]);
        all_ones += u32::from(packet.bytes()[26..28] == [0xff, 0xff]);
    }
    assert!(all_ones >= 1);
}

#[test]
fn a_packet_without_checksum_stays_without() {
    let mut bench = bench();
    let mut packet = udp("10.0.0.2:5", "198.51.100.1:53", b"x");
    packet.bytes_mut()[26..28].fill(0);
    bench.offer(at(0), DEVICE, packet);
    assert_eq!(&bench.delivered[0].packet.bytes()[26..28], [0, 0]);
}

#[test]
fn a_corrupted_packet_stays_corrupted() {
    for (host, peer) in [
        ("10.0.0.2:5", "198.51.100.1:53"),
        ("[fd00::2]:5", "[2001:db8::1]:53"),
    ] {
        let whole = udp(host, peer, b"sixteen bytes ..").length();
        for bit in 0..whole * 8 {
            let mut bench = bench();
            let mut packet = udp(host, peer, b"sixteen bytes ..");
            packet.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
            packet.mark_corrupted();
            bench.offer(at(0), DEVICE, packet);
            let Some(delivered) = bench.delivered.first() else {
                assert_eq!(bench.dropped_for(DropReason::NotTranslatable), [1]);
                continue;
            };
            assert!(delivered.packet.is_corrupted());
            // No checksum covers these parts of an IPv6 header: class and label, payload length, hop limit.
            let is_uncovered = whole == 64 && (bit < 48 || (56..64).contains(&bit));
            assert!(
                is_uncovered || !read(&delivered.packet).is_sound,
                "bit {bit}"
            );
        }
    }
}

#[test]
fn what_has_no_ports_is_not_translatable() {
    let whole = udp("10.0.0.2:5", "198.51.100.1:53", b"payload");
    let sound = |change: &dyn Fn(&mut [u8])| {
        let mut packet = whole.duplicate();
        change(packet.bytes_mut());
        let (mut header, _) = etherparse::Ipv4Header::from_slice(packet.bytes()).unwrap();
        header.header_checksum = header.calc_header_checksum();
        packet.bytes_mut()[..20].copy_from_slice(&header.to_bytes());
        packet
    };
    let mut bench = bench();
    let icmp = sound(&|bytes| bytes[9] = 1);
    let first_fragment = sound(&|bytes| bytes[6] = 0x20);
    let later_fragment = sound(&|bytes| bytes[7] = 1);
    let too_long = sound(&|bytes| bytes[2..4].copy_from_slice(&36_u16.to_be_bytes()));
    let cut = sound(&|bytes| bytes[2..4].copy_from_slice(&27_u16.to_be_bytes()));
    let mut extended = udp("[fd00::2]:5", "[2001:db8::1]:53", b"payload");
    extended.bytes_mut()[6] = 0;
    let others = [packet(0), packet(1), packet(40)];
    let all = [
        icmp,
        first_fragment,
        later_fragment,
        too_long,
        cut,
        extended,
    ];
    for packet in all.into_iter().chain(others) {
        bench.offer(at(0), DEVICE, packet);
    }
    assert_eq!(
        bench.dropped_for(DropReason::NotTranslatable),
        (1..=9).collect::<Vec<_>>()
    );
    // With only the don't-fragment bit it is whole.
    bench.offer(at(0), DEVICE, sound(&|bytes| bytes[6] = 0x40));
    assert_eq!(bench.numbers(), [10]);
}

#[test]
fn any_bytes_at_all_are_survived() {
    let mut draws = RandomStream::named(2, "bytes");
    let mut bench = bench();
    for _ in 0..20_000 {
        let mut packet = packet(draws.below(64) as usize);
        packet
            .bytes_mut()
            .iter_mut()
            .for_each(|byte| *byte = draws.next_u64() as u8);
        if let [first, ..] = packet.bytes_mut() {
            *first = [0x45, 0x60, 0x4f][draws.below(3) as usize];
        }
        let port = [DEVICE, SERVER][draws.below(2) as usize];
        bench.offer(at(0), port, packet);
    }
    assert_eq!(bench.delivered.len() + bench.dropped.len(), 20_000);
}
