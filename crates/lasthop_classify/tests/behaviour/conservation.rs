//! Every byte of every IP packet is told of once, whatever the bytes are.

use lasthop_classify::{Classifier, Sight};
use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{IpView, RandomStream};
use lasthop_units::Instant;

use crate::network::{ip, tcp, udp};

const PORTS: [u16; 5] = [1883, 5683, 8883, 5684, 7411];

/// A packet that is likely to mean something, and bytes of it that are likely not to.
fn any_packet(random: &mut RandomStream) -> Vec<u8> {
    let below = |random: &mut RandomStream, end: u64| random.below(end) as usize;
    let direction = if below(random, 2) == 0 { Up } else { Down };
    let port = PORTS[below(random, 5)];
    let beginnings: [&[u8]; 9] = [
        b"",
        b"\x10\x0c\0\x04MQTT\x05\x02\0\x3c\0",
        b"\x32\x20\0\x01t\0\x09",
        b"\x40\x02\0\x01\xffbody",
        b"\x00\xe1\xd1\xff\xff\x45",
        b"\x16\x03\x03\0\x10",
        b"\x16\xfe\xfd\0\0\0\0\0\0\0\0\0\x05",
        b"RTPS\x02\x05\x01\x01prefix-of-12\x15\x07\x20\0\0\0\x10\0",
        b"RTPS\x02\x05\x01\x01prefix-of-12\x07\x01\0\0",
    ];
    let mut data = beginnings[below(random, 9)].to_vec();
    let more = below(random, 40);
    data.extend((0..more).map(|_| random.below(256) as u8));
    let mut packet = match below(random, 4) {
        0 => udp(direction, port, &data),
        1 => ip(direction, random.below(256) as u8, &data),
        _ => {
            let numbers = (random.below(200) as u32, random.below(200) as u32);
            let flags = [16, 16, 16, 16, 2, 18, 17, 4][below(random, 8)];
            tcp(direction, port, numbers, flags, &data)
        }
    };
    if below(random, 8) == 0 {
        let place = below(random, packet.len() as u64);
        packet[place] ^= 1 << random.below(8);
    }
    if below(random, 10) == 0 {
        let field = (random.below(4) as u16) << 13 | random.below(6) as u16;
        packet[6..8].copy_from_slice(&field.to_be_bytes());
    }
    packet
}

#[test]
fn every_byte_of_every_packet_is_told_of_once() {
    for seed in 0..200 {
        let mut random = RandomStream::named(seed, "packets");
        let mut classifier = Classifier::new();
        let (mut packets, mut bytes) = (0_u32, 0_u64);
        let (mut told_packets, mut told_bytes) = (0, 0);
        for at in 0..500 {
            let packet = any_packet(&mut random);
            let kept = match random.below(6) {
                0 => random.below(packet.len() as u64 + 1) as usize,
                _ => packet.len(),
            };
            let padding = random.below(2) as usize * 6;
            let length = packet.len() + padding;
            packets += 1;
            let end = IpView::read_beginning(&packet[..kept], length)
                .map_or(length, |view| view.payload().end);
            bytes += end as u64;
            let now = Instant::from_nanos(at * 100_000_000);
            classifier.handle(now, Sight::Unknown, &packet[..kept], length);
            while let Some(portion) = classifier.poll() {
                told_packets += portion.packets;
                told_bytes += portion.bytes();
            }
        }
        classifier.finish();
        while let Some(portion) = classifier.poll() {
            told_packets += portion.packets;
            told_bytes += portion.bytes();
        }
        assert_eq!((told_packets, told_bytes), (packets, bytes), "seed {seed}");
    }
}
