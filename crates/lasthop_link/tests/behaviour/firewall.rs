use lasthop_contract::DropReason;
use lasthop_link::{Block, DirectionConfig, LinkConfig};

use crate::ip_packets::{tcp, udp};
use crate::test_bench::*;

fn blocked(block: Block) -> DirectionConfig {
    DirectionConfig {
        block: Some(block),
        ..DirectionConfig::default()
    }
}

#[test]
fn a_firewall_lets_pass_what_it_does_not_block_and_nothing_else_over_both_versions_of_ip() {
    for (block, passed) in [(Block::Udp, [2, 4]), (Block::Tcp, [1, 3])] {
        let mut bench = TestBench::up(blocked(block));
        for (here, there) in [
            ("10.0.0.1:1000", "10.0.0.2:443"),
            ("[fd00::1]:1000", "[fd00::2]:443"),
        ] {
            bench.offer(at(0), DEVICE, udp(here, there, b"hello"));
            bench.offer(at(0), DEVICE, tcp(here, there, b"hello"));
        }
        assert_eq!(bench.numbers(), passed);
        assert_eq!(bench.dropped_for(DropReason::Blocked).len(), 2);
    }
}

#[test]
fn one_way_may_be_blocked_alone() {
    let mut bench = TestBench::of(LinkConfig {
        down: blocked(Block::Udp),
        ..LinkConfig::default()
    });
    let (device, server) = ("10.0.0.1:1000", "10.0.0.2:443");
    bench.offer(at(0), DEVICE, udp(device, server, b"ask"));
    bench.offer(at(0), SERVER, udp(server, device, b"answer"));
    assert_eq!(bench.numbers(), [1]);
    assert_eq!(bench.dropped_for(DropReason::Blocked), [2]);
}

#[test]
fn a_part_of_a_larger_packet_is_of_its_protocol() {
    let mut bench = TestBench::up(blocked(Block::Udp));
    // IPv4: an offset of 1480 B. The ports are in the first part alone.
    let mut part = udp("10.0.0.1:1000", "10.0.0.2:443", &[0; 64]);
    part.bytes_mut()[6..8].copy_from_slice(&185_u16.to_be_bytes());
    bench.offer(at(0), DEVICE, part);
    // IPv6: the header of a part (RFC 8200 section 4.5), behind which is UDP.
    let mut part = udp("[fd00::1]:1000", "[fd00::2]:443", &[0; 64]);
    part.bytes_mut()[6] = 44;
    part.bytes_mut()[40] = 17;
    bench.offer(at(0), DEVICE, part);
    assert_eq!(bench.dropped_for(DropReason::Blocked), [1, 2]);
}
