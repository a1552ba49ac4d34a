//! Datagrams that nobody would send.

use core::cell::Cell;
use std::rc::Rc;

use lasthop_contract::{Packet, RandomStream};
use lasthop_dds::{DdsConfig, Reliability};
use lasthop_units::Duration;

use crate::pair::Pair;

const IP_AND_UDP: usize = 28;

/// Changes up to five bytes of a datagram.
fn change(packet: &mut Packet, stream: &mut RandomStream) {
    let length = packet.length() as u64 - IP_AND_UDP as u64;
    let bytes = packet.bytes_mut();
    // Without a checksum a datagram counts as it is (RFC 768).
    bytes[26..IP_AND_UDP].fill(0);
    for _ in 0..=stream.below(4) {
        let place = IP_AND_UDP + stream.below(length) as usize;
        bytes[place] = match stream.below(4) {
            0 => 0xff,
            1 => 0x7f,
            _ => stream.next_u64() as u8,
        };
    }
}

#[test]
fn whatever_a_quarter_of_the_datagrams_say_time_goes_on() {
    let mut changed = [0; 40];
    for (seed, changed) in (0..).zip(&mut changed) {
        let reliability = match seed % 2 {
            0 => Reliability::Reliable,
            _ => Reliability::BestEffort,
        };
        let mut pair = Pair::new(DdsConfig {
            reliability,
            fragment_size: if seed % 4 < 2 { 256 } else { 1344 },
            ..DdsConfig::default()
        });
        let count = Rc::new(Cell::new(0));
        let counted = Rc::clone(&count);
        let mut stream = RandomStream::named(seed, "hostile");
        pair.meddle = Box::new(move |_, mut packet| {
            if stream.below(4) == 0 {
                change(&mut packet, &mut stream);
                counted.set(counted.get() + 1);
            }
            Some(packet)
        });
        for number in 1..=50 {
            let now = pair.now;
            let payload = vec![7; 20 * number as usize];
            pair.hosts[0].send(now, number, &payload);
            pair.hosts[1].send(now, 100 + number, &payload);
            pair.run_for(Duration::from_millis(500));
        }
        *changed = count.get();
    }
    assert!(changed.iter().all(|count| *count > 5), "{changed:?}");
}
