//! What is lost, what comes in parts, and who comes late.

use lasthop_contract::{ApplicationInput, FailureReason, MessageEvent, RandomStream};
use lasthop_dds::{DdsConfig, Durability, Reliability};
use lasthop_units::Duration;

use crate::pair::{Pair, message};

const SECOND: Duration = Duration::from_secs(1);

/// Every tenth packet is lost, by chance.
fn lose(pair: &mut Pair, seed: u64) {
    let mut stream = RandomStream::named(seed, "loss");
    pair.meddle = Box::new(move |_, packet| (stream.below(10) != 0).then_some(packet));
}

/// So many messages of so many bytes, each a second after the other, up and down.
fn exchange(pair: &mut Pair, messages: u32, bytes: usize) {
    for number in 1..=messages {
        let now = pair.now;
        for (host, first) in [(0, 0), (1, 1000)] {
            let payload = vec![number as u8; bytes];
            pair.hosts[host].send(now, first + number, &payload);
        }
        pair.run_for(SECOND);
    }
    pair.run_for(SECOND * 30);
}

#[test]
fn reliable_messages_arrive_once_and_in_order_through_losses_whole_or_in_fragments() {
    for bytes in [100, 1000, 1333, 20_000, 64_000] {
        let mut pair = Pair::new(DdsConfig::default());
        lose(&mut pair, 1);
        pair.run_for(SECOND * 30);
        exchange(&mut pair, 30, bytes);
        let expected: Vec<_> = (1..=30).map(|number| vec![number; bytes]).collect();
        for host in &pair.hosts {
            assert!(host.received == expected, "{bytes} B");
        }
        let acknowledged =
            |event: &&MessageEvent| matches!(event, MessageEvent::Acknowledged { .. });
        for host in &pair.hosts {
            assert_eq!(host.events.iter().filter(acknowledged).count(), 30);
        }
    }
}

#[test]
fn only_what_was_lost_is_sent_again() {
    let mut pair = Pair::new(DdsConfig::default());
    pair.run_for(SECOND);
    let now = pair.now;
    pair.hosts[0].send(now, 1, &[1; 100]);
    pair.run_for(SECOND);
    // Of ten messages that leave at once the first three are lost.
    let mut left = 0;
    pair.meddle = Box::new(move |to, packet| {
        left += u32::from(to == 1);
        (to == 0 || left > 3).then_some(packet)
    });
    let now = pair.now;
    for number in 2..=11 {
        pair.hosts[0].send(now, number, &[number as u8; 100]);
    }
    pair.run_for(SECOND * 10);
    let expected: Vec<_> = (1..=11).map(|number| vec![number; 100]).collect();
    assert_eq!(pair.hosts[1].received, expected);
    let again = pair.hosts[0].events.iter();
    let again = again.filter_map(|event| match event {
        MessageEvent::Transmitted { id, attempt, .. } if *attempt > 1 => Some(id.number.get()),
        _ => None,
    });
    let again: std::collections::BTreeSet<_> = again.collect();
    assert_eq!(again, [2, 3, 4].into());
}

#[test]
fn of_best_effort_messages_that_need_many_packets_those_arrive_that_lost_none() {
    let delivered = |bytes: usize| {
        let mut pair = Pair::new(DdsConfig {
            reliability: Reliability::BestEffort,
            ..DdsConfig::default()
        });
        pair.run_for(SECOND * 30);
        lose(&mut pair, 2);
        exchange(&mut pair, 250, bytes);
        pair.hosts
            .iter()
            .map(|host| host.received.len())
            .sum::<usize>() as f64
    };
    // Binomial, 500 messages of one packet and of five; four standard deviations.
    for (bytes, packets) in [(100, 1), (6000, 5)] {
        let arrives: f64 = (0..packets).map(|_| 0.9).product();
        let spread = 4.0 * (500.0 * arrives * (1.0 - arrives)).sqrt();
        let count = delivered(bytes);
        assert!(
            (count - 500.0 * arrives).abs() <= spread,
            "{bytes} B: {count}"
        );
    }
}

#[test]
fn a_message_of_more_fragments_than_can_be_asked_for_is_too_large() {
    let mut pair = Pair::new(DdsConfig {
        fragment_size: 64,
        ..DdsConfig::default()
    });
    pair.run_for(SECOND);
    // The encapsulation, the key and the length take 12 B.
    for (number, bytes) in [(1, 256 * 64 - 12), (2, 256 * 64 - 11)] {
        let now = pair.now;
        pair.hosts[0].send(now, number, &vec![1; bytes]);
    }
    pair.run_for(SECOND);
    let id = message(2);
    let reason = FailureReason::TooLarge;
    let events = &pair.hosts[0].events;
    assert!(events.contains(&MessageEvent::Failed { id, reason }));
    assert_eq!(pair.hosts[1].received.len(), 1);
}

#[test]
fn who_comes_late_gets_what_is_held_for_him_and_else_nothing_of_before() {
    for (durability, held) in [(Durability::TransientLocal, 3), (Durability::Volatile, 0)] {
        let mut pair = Pair::new(DdsConfig {
            durability,
            history_depth: 3,
            ..DdsConfig::default()
        });
        pair.run_for(SECOND);
        let now = pair.now;
        pair.hosts[1].send(now, 1, b"before");
        pair.run_for(SECOND);
        assert_eq!(pair.hosts[0].received, [b"before"]);
        // Another reader comes, of whom the writer of the first message knows nothing yet.
        let now = pair.now;
        pair.hosts[0].tell(now, ApplicationInput::Stop);
        pair.run_for(SECOND * 200);
        pair.hosts[0].received.clear();
        for number in 2..=4 {
            let now = pair.now;
            pair.hosts[1].send(now, number, format!("held {number}").as_bytes());
            pair.run_for(SECOND);
        }
        let now = pair.now;
        pair.hosts[0].tell(now, ApplicationInput::Start);
        pair.run_for(SECOND * 30);
        let expected: Vec<_> = (2..=4).map(|number| format!("held {number}")).collect();
        let expected: Vec<_> = expected.iter().map(|it| it.as_bytes().to_vec()).collect();
        assert_eq!(
            pair.hosts[0].received,
            expected[3 - held..],
            "{durability:?}"
        );
    }
}

#[test]
fn what_is_asked_for_while_it_is_on_its_way_is_sent_again_unless_that_is_suppressed() {
    let again = |nack_suppression| {
        let mut pair = Pair::new(DdsConfig {
            nack_suppression,
            ..DdsConfig::default()
        });
        pair.run_for(SECOND);
        // The first packet with the sample is lost, and what brings it again stays on its way for a second.
        let mut left = 0;
        pair.meddle = Box::new(move |to, packet| {
            left += u32::from(to == 1);
            (to == 0 || left > 1).then_some(packet)
        });
        pair.delay = Duration::from_millis(500);
        let now = pair.now;
        pair.hosts[0].send(now, 1, &[1; 100]);
        pair.run_for(SECOND * 10);
        assert_eq!(pair.hosts[1].received, [vec![1; 100]]);
        let events = pair.hosts[0].events.iter();
        let is_again =
            |it: &&MessageEvent| matches!(it, MessageEvent::Transmitted { attempt: 2.., .. });
        events.filter(is_again).count()
    };
    assert!(again(Duration::ZERO) > 3);
    assert_eq!(again(SECOND * 2), 1);
}
