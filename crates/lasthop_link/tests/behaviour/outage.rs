use lasthop_contract::DropReason;
use lasthop_link::{DirectionConfig, Outage, OutageSchedule};

use crate::test_bench::*;

/// The milliseconds, of the first hundred, in which a packet is dropped.
fn dark(outages: impl IntoIterator<Item = Outage>) -> Vec<u64> {
    let mut bench = TestBench::up(DirectionConfig {
        outages: OutageSchedule::new(outages),
        ..DirectionConfig::default()
    });
    (0..100).for_each(|time| bench.send(at_millis(time), 100));
    let dropped = bench.dropped_for(DropReason::Outage);
    dropped.into_iter().map(|number| number - 1).collect()
}

fn outage(start: u64, duration: u64, every: Option<u64>) -> Outage {
    Outage::new(at_millis(start), millis(duration), every.map(millis)).unwrap()
}

#[test]
fn an_outage_covers_its_start_but_not_its_end() {
    assert_eq!(dark([outage(7, 3, None)]), [7, 8, 9]);
}

#[test]
fn an_outage_comes_back() {
    assert_eq!(dark([outage(5, 2, Some(40))]), [5, 6, 45, 46, 85, 86]);
}

#[test]
fn outages_may_overlap() {
    assert_eq!(
        dark([outage(10, 5, None), outage(12, 6, None)]),
        (10..18).collect::<Vec<_>>()
    );
}

#[test]
fn an_outage_of_no_length_is_none() {
    assert_eq!(dark([outage(10, 0, None)]), []);
}

#[test]
fn an_outage_may_not_overlap_itself() {
    assert!(Outage::new(at(0), millis(10), Some(millis(10))).is_err());
    assert!(Outage::new(at(0), millis(0), Some(millis(0))).is_err());
}
