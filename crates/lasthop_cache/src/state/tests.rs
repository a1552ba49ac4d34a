use core::num::NonZeroU32;

use lasthop_contract::{CacheOutcome, FlowId, MessageId};
use lasthop_units::{DataSize, Duration, Instant};

use super::State;
use crate::{CacheConfig, Freshness, Reply, ResponseState};

/// A cache with one service, in which requests have numbers.
struct Bench {
    state: State,
    now: Instant,
}

fn id(number: u32) -> MessageId {
    MessageId {
        flow: FlowId(0),
        number: NonZeroU32::new(number).unwrap(),
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Fresh for so many seconds, with this tag.
fn fresh(lifetime: u64, tag: Option<u32>) -> Reply {
    Reply {
        freshness: Freshness {
            lifetime: Some(seconds(lifetime)),
            age: Duration::ZERO,
            tag,
        },
        ..Reply::default()
    }
}

impl Bench {
    fn of(room: u64, stale: u64) -> Self {
        let config = CacheConfig {
            room: DataSize::from_bytes(room),
            stale_if_error: seconds(stale),
        };
        Self {
            state: State::new(config),
            now: Instant::ZERO + seconds(1000),
        }
    }

    fn wait(&mut self, time: u64) {
        self.now += seconds(time);
    }

    fn read(&mut self, number: u32, resource: u32) {
        self.state.asked(id(number), resource, false);
        self.state.take(self.now, 0, id(number), b"question");
    }

    fn write(&mut self, number: u32, resource: u32) {
        self.state.asked(id(number), resource, true);
        self.state.take(self.now, 0, id(number), b"AAAAAAAB");
    }

    fn comes(&mut self, number: u32, reply: Reply, payload: &[u8]) {
        self.state.said(self.now, id(number), reply);
        if !reply.is_unchanged {
            self.state.fetched(self.now, id(number), payload);
        }
    }

    /// The requests that the server is to be asked, by their numbers.
    fn asks(&mut self) -> Vec<u32> {
        let requests = core::iter::from_fn(|| self.state.next_request());
        requests.map(|it| it.message.number.get()).collect()
    }

    /// The last words to readers: whom, how, how old in seconds, and what.
    fn tells(&mut self) -> Vec<(u32, CacheOutcome, u32, Vec<u8>)> {
        let answers = core::iter::from_fn(|| self.state.next_answer(0));
        let last = answers.filter_map(|it| {
            let age = it.age_ms() / 1000;
            Some((it.message.number.get(), it.by?, age, it.payload.to_vec()))
        });
        last.collect()
    }
}

#[test]
fn what_is_fresh_is_given_and_what_is_stale_is_fetched() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    assert_eq!(it.asks(), [1]);
    it.comes(1, fresh(10, None), b"one");
    it.wait(9);
    it.read(2, 7);
    it.wait(1);
    it.read(3, 7);
    assert_eq!(it.asks(), [3]);
    let report = it.tells();
    assert_eq!(report[0], (1, CacheOutcome::Miss, 0, b"one".to_vec()));
    assert_eq!(report[1], (2, CacheOutcome::Hit, 9, b"one".to_vec()));
    assert_eq!(report.len(), 2);
}

#[test]
fn age_counts_what_the_answer_has_taken_where_it_is_to() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    it.wait(3);
    let mut reply = fresh(10, None);
    reply.freshness.age = seconds(2);
    it.comes(
        1,
        Reply {
            counts_delay: true,
            ..reply
        },
        b"one",
    );
    it.wait(4);
    it.read(2, 7);
    it.wait(1);
    it.read(3, 7);
    let report = it.tells();
    assert_eq!((report[0].2, report[1].2), (5, 9));
    assert_eq!(report.len(), 2, "it was made ten seconds ago");
    // An answer cannot be older than the run, whatever it says.
    let mut old = Bench::of(100, 0);
    old.read(1, 7);
    let mut reply = fresh(10, None);
    reply.freshness.age = seconds(1_000_000);
    old.comes(1, reply, b"one");
    assert_eq!(old.tells()[0].1, CacheOutcome::Miss);
}

#[test]
fn who_asks_for_the_same_meanwhile_waits_for_it() {
    let mut it = Bench::of(100, 0);
    for (number, resource) in [(1, 7), (2, 7), (3, 8), (4, 7)] {
        it.read(number, resource);
    }
    // Who repeats his request is not answered twice.
    it.read(2, 7);
    assert_eq!(it.asks(), [1, 3]);
    it.comes(1, fresh(10, None), b"seven");
    let report = it.tells();
    let by: Vec<_> = report
        .iter()
        .map(|(number, by, ..)| (*number, *by))
        .collect();
    assert_eq!(
        by,
        [
            (1, CacheOutcome::Miss),
            (2, CacheOutcome::Collapsed),
            (4, CacheOutcome::Collapsed)
        ]
    );
}

#[test]
fn what_is_not_to_be_kept_is_for_one_alone() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    it.read(2, 7);
    assert_eq!(it.asks(), [1]);
    it.comes(1, fresh(0, None), b"one");
    assert_eq!(it.asks(), [2]);
    // From now on nobody waits for another's.
    it.read(3, 7);
    assert_eq!(it.asks(), [3]);
    it.comes(2, fresh(10, None), b"two");
    it.comes(3, Reply::default(), b"three");
    let report = it.tells();
    assert!(report.iter().all(|(_, by, ..)| *by == CacheOutcome::Miss));
    // The last one said nothing of how long it is fresh, and took the place of the one before.
    it.read(4, 7);
    assert_eq!(it.asks(), [4]);
}

#[test]
fn what_the_server_finds_valid_is_fresh_again() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    assert_eq!(it.state.tag_for(id(1)), None);
    it.comes(1, fresh(10, Some(5)), b"one");
    it.wait(20);
    it.read(2, 7);
    it.read(3, 7);
    assert_eq!(it.asks().last(), Some(&2));
    assert_eq!(it.state.tag_for(id(2)), Some(5));
    let unchanged = Reply {
        is_unchanged: true,
        ..fresh(10, Some(5))
    };
    it.comes(2, unchanged, b"");
    it.wait(9);
    it.read(4, 7);
    let report = it.tells();
    let by: Vec<_> = report
        .iter()
        .map(|(number, by, ..)| (*number, *by))
        .collect();
    assert_eq!(
        by[1..],
        [
            (2, CacheOutcome::Validated),
            (3, CacheOutcome::Collapsed),
            (4, CacheOutcome::Hit)
        ]
    );
    assert!(report.iter().all(|(.., payload)| payload == b"one"));
}

#[test]
fn what_had_to_go_while_the_server_looked_is_fetched_anew() {
    let mut it = Bench::of(3, 0);
    it.read(1, 7);
    it.comes(1, fresh(1, Some(5)), b"one");
    it.wait(2);
    it.read(2, 7);
    it.read(3, 8);
    it.comes(3, fresh(10, None), b"two");
    it.asks();
    let unchanged = Reply {
        is_unchanged: true,
        ..fresh(10, Some(5))
    };
    it.comes(2, unchanged, b"");
    assert_eq!(it.asks(), [2]);
    assert_eq!(it.state.tag_for(id(2)), None);
}

#[test]
fn silence_is_told_or_covered_by_what_is_stale() {
    for (stale, by) in [(0, CacheOutcome::Failed), (60, CacheOutcome::Stale)] {
        let mut it = Bench::of(100, stale);
        it.read(1, 7);
        it.comes(1, fresh(10, None), b"one");
        it.wait(30);
        it.read(2, 7);
        it.read(3, 7);
        it.state.failed(it.now, id(2));
        let report = it.tells();
        assert_eq!((report[1].1, report[2].1), (by, by));
        it.wait(60);
        it.read(4, 7);
        it.state.failed(it.now, id(4));
        assert_eq!(it.tells()[0].1, CacheOutcome::Failed);
    }
}

#[test]
fn a_write_makes_it_forget() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    it.comes(1, fresh(100, None), b"old");
    it.write(2, 7);
    // Until the server has answered, what there is is what there is.
    it.read(3, 7);
    it.state.written(id(2));
    it.read(4, 7);
    assert_eq!(it.asks(), [1, 2, 4]);
    let report = it.tells();
    let by: Vec<_> = report
        .iter()
        .map(|(number, by, ..)| (*number, *by))
        .collect();
    assert_eq!(
        by[1..],
        [(3, CacheOutcome::Hit), (2, CacheOutcome::Written)]
    );
}

#[test]
fn what_was_asked_for_before_a_write_is_not_kept() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    it.write(2, 7);
    it.state.written(id(2));
    // It does not wait for what was asked before.
    it.read(3, 7);
    assert_eq!(it.asks(), [1, 2, 3]);
    it.comes(1, fresh(100, None), b"old");
    it.read(4, 7);
    assert_eq!(it.asks(), []);
    it.comes(3, fresh(100, None), b"new");
    let report = it.tells();
    let given: Vec<_> = report
        .iter()
        .map(|(number, .., payload)| (*number, &payload[..]))
        .collect();
    assert_eq!(
        given,
        [(2, &b""[..]), (1, b"old"), (3, b"new"), (4, b"new")]
    );
}

#[test]
fn a_write_that_fails_changes_nothing() {
    let mut it = Bench::of(100, 0);
    it.read(1, 7);
    it.comes(1, fresh(100, None), b"old");
    it.write(2, 7);
    it.state.failed(it.now, id(2));
    it.read(3, 7);
    let report = it.tells();
    assert_eq!(
        (report[1].1, report[2].1),
        (CacheOutcome::Failed, CacheOutcome::Hit)
    );
}

#[test]
fn the_least_recently_used_makes_room() {
    let mut it = Bench::of(6, 0);
    for (number, resource) in [(1, 7), (2, 8)] {
        it.read(number, resource);
        it.comes(number, fresh(100, None), b"abc");
    }
    it.read(3, 7);
    it.read(4, 9);
    it.comes(4, fresh(100, None), b"abc");
    it.asks();
    it.read(5, 7);
    assert_eq!(it.asks(), []);
    it.read(6, 8);
    assert_eq!(it.asks(), [6]);
    // What is larger than all of it takes nobody's place.
    it.comes(6, fresh(100, None), b"sevenxx");
    it.read(7, 7);
    it.read(8, 9);
    assert_eq!(it.asks(), []);
}

#[test]
fn without_room_each_asks_for_himself() {
    let mut it = Bench::of(0, 60);
    it.read(1, 7);
    it.read(2, 7);
    assert_eq!(it.asks(), [1, 2]);
    it.comes(1, fresh(100, Some(5)), b"one");
    it.state.failed(it.now, id(2));
    let report = it.tells();
    assert_eq!(
        (report[0].1, report[1].1),
        (CacheOutcome::Miss, CacheOutcome::Failed)
    );
}

#[test]
fn what_nobody_has_asked_for_is_left_alone() {
    let mut it = Bench::of(100, 0);
    it.comes(1, fresh(10, None), b"one");
    it.state.failed(it.now, id(2));
    it.state.written(id(3));
    it.state.take(it.now, 0, id(4), b"question");
    assert!(it.tells().is_empty() && it.asks().is_empty());
    it.read(5, 7);
    it.state.forget();
    it.comes(5, fresh(10, None), b"one");
    it.read(6, 7);
    assert_eq!(it.asks(), [6]);
    assert!(it.tells().is_empty());
    // Who waits is told so at once.
    let mut waits = Bench::of(100, 0);
    waits.read(1, 7);
    assert_eq!(
        waits.state.next_answer(0).unwrap().response_state,
        ResponseState::Later
    );
}
