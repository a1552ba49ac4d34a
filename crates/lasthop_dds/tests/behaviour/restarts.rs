//! Who ends and comes again, with or without a good-bye.

use core::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{ApplicationInput, FailureReason, MessageEvent};
use lasthop_dds::{DdsConfig, Durability, LEASE};
use lasthop_units::Duration;

use crate::pair::{Pair, message};

const SECOND: Duration = Duration::from_secs(1);

/// How a host ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Goodbye,
    Crash,
}

impl End {
    fn of(self, pair: &mut Pair, host: usize) {
        if let Self::Goodbye = self {
            let now = pair.now;
            pair.hosts[host].tell(now, ApplicationInput::Stop);
            // What it says still leaves.
            pair.run_for(Duration::ZERO);
        }
        let now = pair.now;
        pair.hosts[host].crash(now);
    }
}

fn start(pair: &mut Pair, host: usize) {
    let now = pair.now;
    pair.hosts[host].tell(now, ApplicationInput::Start);
}

/// So many messages of one host, each a second after the other.
fn send(pair: &mut Pair, from: usize, numbers: core::ops::RangeInclusive<u32>) {
    for number in numbers {
        let now = pair.now;
        pair.hosts[from].send(now, number, &number.to_be_bytes());
        pair.run_for(SECOND);
    }
}

/// The numbers of the messages that a host has received.
fn received(pair: &Pair, host: usize) -> Vec<u32> {
    let all = pair.hosts[host].received.iter();
    all.map(|payload| u32::from_be_bytes(payload[..].try_into().unwrap()))
        .collect()
}

fn failed(pair: &Pair, host: usize, because: FailureReason) -> usize {
    let is_one = |it: &&MessageEvent| matches!(it, MessageEvent::Failed { reason, .. } if *reason == because);
    pair.hosts[host].events.iter().filter(is_one).count()
}

#[test]
fn a_reader_that_comes_again_is_served_again() {
    for durability in [Durability::Volatile, Durability::TransientLocal] {
        for end in [End::Goodbye, End::Crash] {
            for (writer, reader) in [(0, 1), (1, 0)] {
                let what = format!("{durability:?}, {end:?}, host {reader}");
                let mut pair = Pair::new(DdsConfig {
                    durability,
                    ..DdsConfig::default()
                });
                pair.run_for(SECOND);
                send(&mut pair, writer, 1..=5);
                end.of(&mut pair, reader);
                pair.run_for(SECOND * 5);
                start(&mut pair, reader);
                pair.run_for(SECOND * 10);
                // More than the history holds.
                send(&mut pair, writer, 6..=35);
                let received = received(&pair, reader);
                let new: Vec<u32> = received.into_iter().filter(|it| *it > 5).collect();
                assert!(new.into_iter().eq(6..=35), "{what}");
                assert_eq!(failed(&pair, writer, FailureReason::QueueFull), 0, "{what}");
            }
        }
    }
}

#[test]
fn nothing_goes_to_a_reader_that_said_goodbye() {
    let mut pair = Pair::new(DdsConfig::default());
    pair.run_for(SECOND);
    send(&mut pair, 0, 1..=3);
    End::Goodbye.of(&mut pair, 1);
    pair.run_for(SECOND);
    let before = pair.sent;
    send(&mut pair, 0, 4..=33);
    // Its announcements, one in 5 s.
    assert!(pair.sent - before <= 8, "{}", pair.sent - before);
    assert_eq!(failed(&pair, 0, FailureReason::NotConnected), 30);
}

#[test]
fn a_reader_that_is_not_heard_for_a_lease_no_longer_fills_the_history() {
    let mut pair = Pair::new(DdsConfig::default());
    pair.run_for(SECOND);
    send(&mut pair, 0, 1..=3);
    End::Crash.of(&mut pair, 1);
    send(&mut pair, 0, 4..=30);
    // Ten are held, and the others find no room.
    assert_eq!(failed(&pair, 0, FailureReason::QueueFull), 17);
    pair.run_for(LEASE);
    pair.hosts[0].events.clear();
    send(&mut pair, 0, 31..=60);
    assert_eq!(failed(&pair, 0, FailureReason::QueueFull), 0);
    assert_eq!(failed(&pair, 0, FailureReason::NotConnected), 30);
    start(&mut pair, 1);
    pair.run_for(SECOND * 10);
    send(&mut pair, 0, 61..=90);
    assert!(received(&pair, 1)[3..].iter().copied().eq(61..=90));
}

#[test]
fn what_comes_late_from_a_participant_that_has_ended_is_not_read() {
    let mut pair = Pair::new(DdsConfig::default());
    pair.run_for(SECOND * 6);
    // The last announcement of the first server is on its way for longer than anything else.
    let last = Rc::new(RefCell::new(None));
    let kept = Rc::clone(&last);
    pair.meddle = Box::new(move |to, packet| {
        if to == 0 {
            kept.replace(Some(packet.duplicate()));
        }
        Some(packet)
    });
    pair.run_for(SECOND * 6);
    let last = last.take().unwrap();
    End::Crash.of(&mut pair, 1);
    pair.run_for(SECOND * 3);
    start(&mut pair, 1);
    pair.run_for(SECOND * 10);
    pair.deliver(0, last);
    send(&mut pair, 0, 1..=30);
    assert!(received(&pair, 1).into_iter().eq(1..=30));
    let id = message(30);
    let events = &pair.hosts[0].events;
    assert!(events.contains(&MessageEvent::Acknowledged { id }));
}
