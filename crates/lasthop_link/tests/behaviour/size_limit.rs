use lasthop_contract::DropReason;
use lasthop_link::{DirectionConfig, Mtu};

use crate::test_bench::*;

#[test]
fn what_is_larger_than_the_mtu_is_dropped() {
    let mut bench = TestBench::up(DirectionConfig {
        mtu: Some(Mtu {
            largest: bytes(1_280),
        }),
        ..DirectionConfig::default()
    });
    [1_279, 1_280, 1_281, 60_000]
        .into_iter()
        .for_each(|size| bench.send(at(0), size));
    assert_eq!(bench.numbers(), [1, 2]);
    assert_eq!(bench.dropped_for(DropReason::TooBig), [3, 4]);
}
