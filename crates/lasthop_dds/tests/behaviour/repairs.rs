//! What is sent again of samples of several fragments, and when.

use core::cell::Cell;
use std::rc::Rc;

use lasthop_dds::DdsConfig;
use lasthop_units::Duration;

use crate::pair::Pair;

const SECOND: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// More than anything but a fragment has.
const LARGE: usize = 1_000;

/// Loses those packets of the device that are chosen, by their length and the number of the large ones that have left, and
/// counts the large ones.
fn lose(pair: &mut Pair, chosen: impl Fn(usize, u32) -> bool + 'static) -> Rc<Cell<u32>> {
    let large = Rc::new(Cell::new(0));
    let count = Rc::clone(&large);
    pair.meddle = Box::new(move |to, packet| {
        let length = packet.length();
        if to == 0 {
            return Some(packet);
        }
        count.set(count.get() + u32::from(length > LARGE));
        (!chosen(length, count.get())).then_some(packet)
    });
    large
}

/// Samples of four fragments, all of which are large, that are written at once.
fn send(pair: &mut Pair, numbers: core::ops::RangeInclusive<u32>) -> Vec<Vec<u8>> {
    let payloads = numbers.map(|number| (number, vec![number as u8; 4 * 1344 - 12]));
    let now = pair.now;
    payloads
        .map(|(number, payload)| {
            pair.hosts[0].send(now, number, &payload);
            payload
        })
        .collect()
}

fn met(config: DdsConfig) -> Pair {
    let mut pair = Pair::new(config);
    pair.run_for(SECOND * 2);
    // From the first answer on what comes early is held.
    let now = pair.now;
    pair.hosts[0].send(now, 1, b"first");
    pair.run_for(SECOND);
    pair.hosts[1].received.clear();
    pair
}

#[test]
fn of_a_sample_only_the_fragments_that_were_lost_are_sent_again() {
    let mut pair = met(DdsConfig::default());
    let large = lose(&mut pair, |length, number| {
        length > LARGE && [2, 3].contains(&number)
    });
    let expected = send(&mut pair, 2..=2);
    pair.run_for(SECOND * 2);
    assert!(pair.hosts[1].received == expected);
    assert_eq!(large.get(), 4 + 2);
}

#[test]
fn fragments_behind_a_sample_that_was_lost_are_held() {
    // All of the first sample; the second fragment of the first and of the third.
    for lost in [vec![1, 2, 3, 4], vec![2, 10]] {
        let mut pair = met(DdsConfig::default());
        let again = lost.len() as u32;
        let large = lose(&mut pair, move |length, number| {
            length > LARGE && lost.contains(&number)
        });
        let expected = send(&mut pair, 2..=5);
        pair.run_for(SECOND * 3);
        assert!(pair.hosts[1].received == expected);
        assert_eq!(large.get(), 4 * 4 + again);
    }
}

#[test]
fn fragments_that_never_fit_are_asked_for_at_a_rate_that_does_not_grow() {
    // As where the MTU of a hop is too small: the last fragment of each sample is short, and arrives with its heartbeat.
    let mut pair = met(DdsConfig::default());
    let _ = lose(&mut pair, |length, _| length > LARGE);
    for number in 2..=5 {
        let now = pair.now;
        pair.hosts[0].send(now, number, &vec![1; 3 * 1344 + 100]);
    }
    let mut sent = Vec::new();
    for _ in 0..20 {
        let before = pair.sent;
        pair.run_for(SECOND);
        sent.push(pair.sent - before);
    }
    // Five heartbeats a second, an answer to each, and twelve fragments that it asks for; announcements beside them.
    let most = 5 * (1 + 1 + 12) + 10;
    assert!(sent[1..].iter().all(|it| *it <= most), "{sent:?}");
}

#[test]
fn suppression_takes_out_copies_and_nothing_else() {
    let sent = |nack_suppression| {
        let mut pair = met(DdsConfig {
            nack_suppression,
            ..DdsConfig::default()
        });
        pair.delay = MILLISECOND * 15;
        let mut stream = lasthop_contract::RandomStream::named(1, "loss");
        pair.meddle = Box::new(move |_, packet| (stream.below(5) != 0).then_some(packet));
        let before = pair.sent;
        let mut expected = Vec::new();
        for number in 2..=51 {
            expected.extend(send(&mut pair, number..=number));
            pair.run_for(MILLISECOND * 200);
        }
        pair.run_for(SECOND * 10);
        assert!(pair.hosts[1].received == expected, "{nack_suppression:?}");
        pair.sent - before
    };
    let without = sent(Duration::ZERO);
    for millis in [10, 29, 31, 50, 100] {
        let with = sent(MILLISECOND * millis);
        assert!(with * 10 <= without * 11, "{millis} ms: {with}, {without}");
    }
}

#[test]
fn what_is_answered_later_is_answered_once() {
    let answers = |config: DdsConfig| {
        let mut pair = met(config);
        let answers = Rc::new(Cell::new([0; 2]));
        let count = Rc::clone(&answers);
        pair.meddle = Box::new(move |to, packet| {
            let mut all = count.get();
            all[to] += 1;
            count.set(all);
            Some(packet)
        });
        let now = pair.now;
        for number in 2..=9 {
            pair.hosts[0].send(now, number, &[1; 100]);
        }
        pair.run_for(SECOND);
        assert_eq!(pair.hosts[1].received.len(), 8);
        answers.get()
    };
    assert_eq!(answers(DdsConfig::default()), [8, 8]);
    let later = answers(DdsConfig {
        heartbeat_response_delay: MILLISECOND * 5,
        ..DdsConfig::default()
    });
    assert_eq!(later, [1, 8]);
}

#[test]
fn what_is_asked_for_twice_is_sent_once_where_the_writer_waits() {
    let again = |config: DdsConfig| {
        let mut pair = met(config);
        // The first of five samples is lost; four heartbeats have it asked for four times.
        let large = lose(&mut pair, |length, number| length > LARGE && number == 1);
        let now = pair.now;
        for number in 2..=6 {
            pair.hosts[0].send(now, number, &[1; 1_100]);
        }
        pair.run_for(SECOND);
        assert_eq!(pair.hosts[1].received.len(), 5);
        large.get() - 5
    };
    assert_eq!(again(DdsConfig::default()), 4);
    let waits = again(DdsConfig {
        nack_response_delay: MILLISECOND * 5,
        ..DdsConfig::default()
    });
    assert_eq!(waits, 1);
}
