//! A device whose address changes.

use lasthop_contract::{ApplicationInput, DiscardReason};
use lasthop_dds::{DdsConfig, LEASE, Reliability};
use lasthop_units::Duration;

use crate::pair::{DEVICE, Pair};

const SECOND: Duration = Duration::from_secs(1);

/// One that has been found.
fn pair(settings: DdsConfig) -> Pair {
    let mut pair = Pair::new(settings);
    pair.run_for(SECOND);
    assert_eq!(pair.hosts[0].ready, [DEVICE]);
    pair
}

fn settings() -> [DdsConfig; 3] {
    let with = |reliability| DdsConfig {
        reliability,
        ..DdsConfig::default()
    };
    let in_fragments = DdsConfig {
        fragment_size: 256,
        has_type_information: false,
        ..DdsConfig::default()
    };
    [
        with(Reliability::Reliable),
        with(Reliability::BestEffort),
        in_fragments,
    ]
}

/// Says something both ways, which arrives once.
fn assert_both_are_heard(pair: &mut Pair, number: u32) {
    let now = pair.now;
    for host in &mut pair.hosts {
        host.received.clear();
    }
    pair.hosts[0].send(now, number, b"up");
    pair.hosts[1].send(now, number + 1, b"down");
    pair.run_for(SECOND);
    assert_eq!(pair.hosts[1].received, [b"up"]);
    assert_eq!(pair.hosts[0].received, [b"down"]);
}

#[test]
fn it_is_answered_where_it_is_as_soon_as_it_has_said_so() {
    for settings in settings() {
        let mut pair = pair(settings);
        assert_both_are_heard(&mut pair, 1);
        for (number, address) in (3..).step_by(2).zip(["10.0.0.5", "10.0.0.9", "10.0.0.1"]) {
            let now = pair.now;
            pair.hosts[0].move_to(now, address);
            // It tells the server, which is 10 ms away.
            pair.run_for(Duration::from_millis(20));
            pair.hosts[0].discarded.clear();
            assert_both_are_heard(&mut pair, number);
            assert_eq!(pair.hosts[0].discarded, [], "{address}");
        }
        // No other session has begun.
        assert_eq!(pair.hosts[0].ready, [DEVICE]);
        assert_eq!(pair.hosts[1].ready, [DEVICE]);
    }
}

#[test]
fn what_was_said_to_the_address_from_before_is_said_again() {
    let mut pair = pair(DdsConfig::default());
    let now = pair.now;
    pair.hosts[1].send(now, 1, b"too late");
    pair.run_for(Duration::from_millis(5));
    let now = pair.now;
    pair.hosts[0].move_to(now, "10.0.0.5");
    pair.run_for(SECOND);
    assert!(
        pair.hosts[0]
            .discarded
            .contains(&DiscardReason::WrongAddress)
    );
    assert_eq!(pair.hosts[0].received, [b"too late"]);
}

#[test]
fn a_lost_announcement_is_made_up_for_by_the_next() {
    let mut pair = pair(DdsConfig::default());
    pair.meddle = Box::new(|_, _| None);
    let now = pair.now;
    pair.hosts[0].move_to(now, "10.0.0.5");
    pair.run_for(SECOND);
    pair.meddle = Box::new(|_, packet| Some(packet));
    // One is made every 5 s.
    pair.run_for(SECOND * 6);
    assert_both_are_heard(&mut pair, 1);
}

#[test]
fn who_moved_while_it_was_off_begins_where_it_is() {
    let mut pair = pair(DdsConfig::default());
    let now = pair.now;
    pair.hosts[0].crash(now);
    pair.run_for(SECOND);
    let now = pair.now;
    pair.hosts[0].move_to(now, "10.0.0.5");
    pair.run_for(SECOND);
    assert_eq!(pair.hosts[0].ready, [DEVICE]);
    let now = pair.now;
    pair.hosts[0].tell(now, ApplicationInput::Start);
    pair.run_for(SECOND * 10);
    assert_eq!(pair.hosts[0].ready, [DEVICE, DEVICE]);
    assert_both_are_heard(&mut pair, 1);
    // What is still said to the participant from before ends with its lease.
    pair.run_for(LEASE + SECOND * 10);
    pair.hosts[0].discarded.clear();
    pair.run_for(SECOND * 30);
    assert_eq!(pair.hosts[0].discarded, []);
}

#[test]
fn who_moves_again_and_again_is_found() {
    let mut pair = pair(DdsConfig::default());
    for turn in 0..40 {
        let now = pair.now;
        pair.hosts[0].move_to(now, &format!("10.0.1.{}", turn % 20));
        pair.run_for(SECOND);
    }
    assert_both_are_heard(&mut pair, 1);
}

#[test]
fn who_is_not_told_that_it_moved_goes_on_naming_its_old_address() {
    let mut pair = pair(DdsConfig::default());
    let now = pair.now;
    pair.hosts[0].move_unnoticed_to(now, "10.0.0.5");
    pair.run_for(SECOND * 30);
    let now = pair.now;
    pair.hosts[0].send(now, 1, b"up");
    pair.hosts[1].send(now, 2, b"down");
    pair.run_for(SECOND);
    assert_eq!(
        pair.hosts[1].received,
        [b"up"],
        "the server is where it was"
    );
    assert!(pair.hosts[0].received.is_empty());
}
