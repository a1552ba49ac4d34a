use lasthop_contract::{Direction, Link, LinkInput, LinkOutput, PathId};
use lasthop_link::delay::{Constant, Delay, DelayModel, Reordering, Uniform};
use lasthop_link::{DirectionConfig, DuplexLink, Duplicate, LinkConfig};

use crate::statistics::{assert_plausible, binomial};
use crate::test_bench::*;

fn duplicating(share: f64, delay: Option<Delay>) -> DirectionConfig {
    DirectionConfig {
        delay,
        duplicate: Some(Duplicate {
            probability: probability(share),
        }),
        ..DirectionConfig::default()
    }
}

#[test]
fn a_copy_follows_its_original_and_shares_its_number() {
    let delay = Constant { delay: millis(5) };
    let mut bench = TestBench::up(duplicating(1.0, Some(delay.into())));
    bench.send(at(0), 100);
    bench.send(at(1), 100);
    bench.run();
    assert_eq!(bench.numbers(), [1, 1, 2, 2]);
    assert_eq!(bench.times(), [5_000_000, 5_000_000, 5_000_001, 5_000_001]);
    assert_eq!(bench.duplicated, [1, 2]);
    let [original, copy, ..] = &bench.delivered[..] else {
        panic!("four packets")
    };
    assert_eq!(original.packet.bytes(), copy.packet.bytes());
    assert_eq!(original.packet.spans(), copy.packet.spans());
}

#[test]
fn the_share_of_copies_is_the_declared_one() {
    let mut bench = TestBench::up(duplicating(0.05, None));
    (0..100_000).for_each(|n| bench.send(at_millis(n), 100));
    let copies = bench.duplicated.len() as u64;
    assert_eq!(bench.delivered.len() as u64, 100_000 + copies);
    assert_plausible(binomial(copies, 100_000, 0.05), "share of copies");
}

#[test]
fn the_announcement_carries_what_the_ledger_needs() {
    let config = LinkConfig {
        down: duplicating(1.0, None),
        ..LinkConfig::default()
    };
    let mut link = DuplexLink::new(&config, 1, "path/0");
    let mut packet = packet(33);
    packet.enter(17, Direction::Down, PathId(3));
    link.handle(
        at(0),
        LinkInput::Offered {
            port: SERVER,
            packet,
        },
    );
    let LinkOutput::Duplicated {
        port,
        number,
        direction,
        path,
        spans,
    } = link.poll(at(0))
    else {
        panic!("the duplication is announced before the packets");
    };
    let announced = (port, number, direction, path);
    assert_eq!(announced, (SERVER, 17, Direction::Down, PathId(3)));
    assert_eq!(spans.iter().map(|span| span.length).sum::<u16>(), 33);
}

#[test]
fn copies_do_not_break_fifo() {
    let fifo = Delay {
        model: DelayModel::Uniform(Uniform::new(millis(0), millis(100)).unwrap()),
        reordering: Reordering::Fifo,
    };
    let mut bench = TestBench::up(duplicating(0.5, Some(fifo)));
    (0..2_000).for_each(|n| bench.send(at_millis(n), 100));
    bench.run();
    assert!(bench.delivered.len() > 2_500);
    assert!(bench.numbers().is_sorted());
}
