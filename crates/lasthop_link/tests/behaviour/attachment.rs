use lasthop_contract::{DropReason, LinkInput};
use lasthop_link::DirectionConfig;
use lasthop_link::delay::Constant;

use crate::test_bench::*;

#[test]
fn a_packet_that_finds_nothing_attached_is_dropped_on_arrival() {
    let mut bench = TestBench::up(DirectionConfig {
        delay: Some(Constant { delay: millis(10) }.into()),
        ..DirectionConfig::default()
    });
    bench.send(at_millis(0), 100);
    bench.tell(at_millis(5), LinkInput::Detach { port: SERVER });
    bench.send(at_millis(8), 100);
    bench.tell(at_millis(15), LinkInput::Attach { port: SERVER });
    bench.run();
    assert_eq!(bench.dropped_for(DropReason::NotAttached), [1]);
    assert_eq!(
        (bench.dropped[0].at, bench.dropped[0].port),
        (at_millis(10), DEVICE)
    );
    assert_eq!(bench.numbers(), [2]);
}

#[test]
fn ports_that_are_not_there_are_ignored() {
    let mut bench = TestBench::up(DirectionConfig::default());
    let port = lasthop_contract::Port(9);
    bench.tell(at(0), LinkInput::Detach { port });
    bench.tell(at(0), LinkInput::Attach { port });
    bench.send(at(0), 100);
    assert_eq!(bench.numbers(), [1]);
}
