//! The user's messages, up and down.

use lasthop_coap::Push;
use lasthop_contract::{Direction, Expectation, FailureReason, MessageEvent, Transport};
use lasthop_units::{Duration, Probability};

use crate::harness::{self, CON, NON, Said, Setting};
use crate::peer::Peer;

#[test]
fn a_non_confirmable_report_is_one_datagram() {
    let mut pair = Setting::reports(NON).pair();
    pair.report(1, 409);
    pair.run_seconds(1);
    assert_eq!(pair.server.received(), [1]);
    let datagrams = pair.wire.datagrams(Direction::Up);
    let lengths: Vec<usize> = datagrams.iter().map(Vec::len).collect();
    assert_eq!((lengths, pair.wire.log.len()), (vec![425], 1));
}

#[test]
fn a_confirmable_report_is_acknowledged_in_eight_bytes() {
    let mut pair = Setting::reports(CON).pair();
    pair.report(1, 409);
    pair.run_seconds(1);
    assert_eq!(pair.server.received(), [1]);
    assert_eq!(pair.client.acknowledged(), [1]);
    assert_eq!(pair.wire.datagrams(Direction::Up)[0].len(), 422);
    assert_eq!(pair.wire.datagrams(Direction::Down)[0].len(), 8);
}

#[test]
fn messages_are_pushed_to_a_device_that_made_itself_known() {
    for kind in [CON, NON] {
        for push in [Push::Post, Push::Put, Push::Observe] {
            let mut pair = Setting::pushes(kind, push).pair();
            pair.run_seconds(1);
            assert!(pair.client.is_ready() && pair.server.is_ready());
            for number in 1..=20 {
                pair.push(number, 409);
                pair.run_seconds(1);
            }
            let all: Vec<u32> = (1..=20).collect();
            assert_eq!(pair.client.received(), all, "{kind:?} {push:?}");
            let acknowledged = if kind == CON { all } else { Vec::new() };
            assert_eq!(pair.server.acknowledged(), acknowledged);
            assert_eq!(pair.server.failed(), []);
        }
    }
}

/// The probability that a message and its acknowledgement both arrive is one minus this.
fn lost_exchange(loss: f64) -> f64 {
    1.0 - (1.0 - loss) * (1.0 - loss)
}

fn power(base: f64, exponent: usize) -> f64 {
    [base].repeat(exponent).iter().product()
}

/// Asserts that a count of `n` trials of this probability lies within four standard deviations: for a fixed seed
/// and a correct rate, that fails with probability 6e-5.
fn assert_binomial(count: usize, n: usize, probability: f64) {
    let (count, n) = (count as f64, n as f64);
    let deviation = (n * probability * (1.0 - probability)).sqrt();
    let distance = (count - n * probability).abs();
    assert!(
        distance <= 4.0 * deviation,
        "{count} of {n}, expected {}",
        n * probability
    );
}

#[test]
fn non_confirmable_messages_arrive_unless_the_wire_loses_them() {
    for push in [Push::Post, Push::Put, Push::Observe] {
        let mut pair = Setting::pushes(NON, push).pair();
        pair.run_seconds(1);
        pair.wire.loss = Probability::new(0.1).unwrap();
        let n = 4000;
        // Devices and server are apart in time, so that a round trip can be told from its halves.
        for number in 1..=n {
            pair.report(number, 100);
            pair.run_for(Duration::from_millis(110));
            if pair.server.received().last() == Some(&number) {
                pair.push(number, 100);
            }
            pair.run_for(Duration::from_millis(140));
        }
        assert_binomial(pair.server.received().len(), n as usize, 0.9);
        assert_binomial(pair.client.received().len(), n as usize, 0.81);
    }
}

#[test]
fn confirmable_messages_are_given_up_at_the_rate_that_max_retransmit_implies() {
    for max_retransmit in [0, 1, 2] {
        let mut setting = Setting::reports(CON);
        setting.parameters.max_retransmit = max_retransmit;
        setting.parameters.nstart = 1000;
        let mut pair = setting.pair();
        pair.wire.loss = Probability::new(0.3).unwrap();
        let n = 4000;
        for number in 1..=n {
            pair.report(number, 100);
            pair.run_for(Duration::from_millis(250));
        }
        pair.run_seconds(300);
        let failed = pair.client.failed();
        let tries = usize::from(max_retransmit) + 1;
        let expected = power(lost_exchange(0.3), tries);
        assert_binomial(failed.len(), n as usize, expected);
        assert!(
            failed
                .iter()
                .all(|failure| failure.1 == FailureReason::NoAcknowledgement)
        );
        assert_eq!(failed.len() + pair.client.acknowledged().len(), n as usize);
        let mut received = pair.server.received();
        received.sort_unstable();
        received.dedup();
        assert_eq!(
            received.len(),
            pair.server.received().len(),
            "none arrives twice"
        );
        // It does not arrive when every copy of it is lost.
        let undelivered = power(0.3, tries);
        assert_binomial(received.len(), n as usize, 1.0 - undelivered);
    }
}

#[test]
fn a_sender_of_confirmable_messages_falls_behind_as_the_arithmetic_says() {
    for nstart in [1_u16, 4] {
        let mut setting = Setting::reports(CON);
        setting.parameters.nstart = nstart;
        let mut pair = setting.pair();
        pair.wire.loss = Probability::new(0.1).unwrap();
        // More than it can carry, for 20 minutes.
        let (seconds, rate) = (1200, 8);
        for number in 1..=seconds * rate {
            pair.report(number, 100);
            pair.run_for(Duration::from_millis(1000 / u64::from(rate)));
        }
        let done = pair.client.acknowledged().len() + pair.client.failed().len();
        let p = lost_exchange(0.1);
        // The mean wait of the first try is 2.5 s and doubles; a try that goes well takes 0.2 s.
        let waits: f64 = [1.0, 2.0, 4.0, 8.0, 16.0]
            .iter()
            .zip(1..)
            .map(|(factor, tries)| 2.5 * factor * power(p, tries))
            .sum();
        let time_each = 0.2 * (1.0 - power(p, 5)) + waits;
        let expected = f64::from(nstart) * f64::from(seconds) / time_each;
        let ratio = done as f64 / expected;
        // About 1250 and 5000 messages, each with a standard deviation of twice its mean.
        assert!((0.85..1.15).contains(&ratio), "nstart {nstart}: {ratio}");
        let carried = expected / f64::from(seconds);
        assert!(
            (carried / f64::from(nstart) - 1.04).abs() < 0.03,
            "{carried}"
        );
    }
}

#[test]
fn no_more_than_nstart_are_under_way_and_the_rest_waits_in_order() {
    let mut setting = Setting::reports(CON);
    setting.parameters.nstart = 2;
    setting.parameters.max_waiting = 5;
    let mut pair = setting.pair();
    for number in 1..=10 {
        pair.report(number, 100);
    }
    assert_eq!(pair.wire.log.len(), 2);
    let full = FailureReason::QueueFull;
    assert_eq!(pair.client.failed(), [(8, full), (9, full), (10, full)]);
    pair.run_seconds(10);
    assert_eq!(pair.server.received(), (1..=7).collect::<Vec<u32>>());
}

#[test]
fn a_message_that_is_alone_under_way_tells_what_follows_it() {
    let expected = |setting: &Setting, reports: &[usize], loses: bool| {
        let mut pair = setting.pair();
        if loses {
            pair.wire.lost = vec![(Direction::Down, 0)];
        }
        for (number, length) in (1..).zip(reports) {
            pair.report(number, *length);
        }
        pair.run_seconds(60);
        pair.wire.expectations(Direction::Up)
    };
    let (nothing, one) = (Some(Expectation::NothingMore), Some(Expectation::OneAnswer));
    let mut several = Setting::reports(CON);
    several.parameters.nstart = 2;
    let mut separate = Setting::reports(CON);
    separate.parameters.separate_responses = true;
    for (what, setting, reports, loses, told) in [
        (
            "no answer",
            Setting::reports(NON),
            &[9][..],
            false,
            vec![nothing],
        ),
        ("an answer", Setting::reports(CON), &[9], false, vec![one]),
        ("lost", Setting::reports(CON), &[9], true, vec![one, one]),
        (
            "one waits",
            Setting::reports(CON),
            &[9, 9],
            false,
            vec![one, one],
        ),
        ("at once", several, &[9, 9], false, vec![one, None]),
        (
            "blocks",
            Setting::reports(CON),
            &[2500],
            false,
            vec![None, None, one],
        ),
        ("separate", separate, &[9], false, vec![None, None]),
    ] {
        assert_eq!(expected(&setting, reports, loses), told, "{what}");
    }
    let pushes = expected(&Setting::pushes(CON, Push::Post), &[9], false);
    assert!(pushes.iter().all(Option::is_none), "more may come");
}

#[test]
fn tries_are_told_with_their_number_and_the_last_as_such() {
    let mut pair = Setting::reports(CON).pair();
    pair.wire.loss = Probability::ALWAYS;
    pair.report(1, 100);
    pair.run_seconds(100);
    let tries: Vec<(Duration, u16, bool)> = pair
        .client
        .said
        .iter()
        .filter_map(|(at, said)| match said {
            Said::Event(MessageEvent::Transmitted { attempt, last, .. }) => {
                Some((at.since_start(), *attempt, *last))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        tries.iter().map(|t| t.1).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(
        tries.iter().map(|t| t.2).collect::<Vec<_>>(),
        [false, false, false, false, true]
    );
    let first = (tries[1].0 - tries[0].0).as_secs_f64();
    assert!(
        (2.0..=3.0).contains(&first),
        "ACK_TIMEOUT to ACK_TIMEOUT x ACK_RANDOM_FACTOR"
    );
    for (place, factor) in [(2, 2.0), (3, 4.0), (4, 8.0)] {
        let wait = (tries[place].0 - tries[place - 1].0).as_secs_f64();
        assert!(
            (wait - first * factor).abs() < 1e-6,
            "each wait is twice the one before"
        );
    }
    assert_eq!(
        pair.client.failed(),
        [(1, FailureReason::NoAcknowledgement)]
    );
    // What is sent again is the same datagram (RFC 7252 section 4.2).
    let copies = pair.wire.datagrams(Direction::Up);
    assert!(copies.iter().all(|copy| *copy == copies[0]));
}

#[test]
fn what_the_wire_copies_is_taken_once_and_answered_each_time() {
    for (kind, answers) in [(CON, 2), (NON, 0)] {
        let mut pair = Setting::reports(kind).pair();
        pair.wire.duplication = Probability::ALWAYS;
        pair.report(1, 100);
        pair.run_seconds(1);
        assert_eq!(pair.server.received(), [1]);
        let down = pair.wire.datagrams(Direction::Down);
        assert_eq!(down.len(), answers);
        assert!(down.iter().all(|answer| *answer == down[0]));
        assert_eq!(pair.server.application.counters().duplicates, 1);
    }
}

#[test]
fn a_number_is_taken_as_new_when_its_lifetime_is_over() {
    let server = Setting::reports(CON).server();
    let mut peer = Peer::of(server);
    // A NON POST to d/7 with the number 5.
    let post = [0x50, 0x02, 0, 5, 0xb1, b'd', 1, b'7', 0xff, b'x'];
    peer.says(&post);
    peer.wait(144);
    peer.says(&post);
    assert_eq!(peer.received(), 1);
    peer.wait(2);
    peer.says(&post);
    assert_eq!(peer.received(), 2, "NON_LIFETIME is 145 s");
}

#[test]
fn a_server_keeps_nothing_of_who_reports_from_one_port_after_the_other() {
    let mut peer = Peer::of(Setting::reports(CON).server());
    for number in 1..=200_u8 {
        // A CON POST to d/7, behind a translator that has forgotten the last one.
        peer.moves();
        peer.says(&[0x40, 0x02, 0, number, 0xb1, b'd', 1, b'7', 0xff, b'x']);
        peer.wait(100);
        assert_eq!(peer.received(), usize::from(number));
        assert!(peer.known.len() <= 4, "{} after {number}", peer.known.len());
    }
}

#[test]
fn who_reports_now_and_then_from_one_port_is_answered() {
    let mut peer = Peer::of(Setting::reports(CON).server());
    for number in 1..=10 {
        let heard = peer.says(&[0x40, 0x02, 0, number, 0xb1, b'd', 1, b'7', 0xff, b'x']);
        assert_eq!(heard, [[0x60, 0x44, 0, number]]);
        assert_eq!(peer.known.len(), 1);
        peer.wait(1000);
    }
}

#[test]
fn a_server_stays_in_touch_with_who_made_itself_known_and_fell_silent() {
    let mut peer = Peer::of(Setting::reports(CON).server());
    // A CON POST to rd?ep=7, and a CON GET of d/8 that observes it from elsewhere.
    let register = [&[0x40, 0x02, 0, 1, 0xb2][..], b"rd\x44ep=7"].concat();
    assert_eq!(peer.says(&register)[0][1], 0x41);
    peer.moves();
    let observe = [0x41, 0x01, 0, 2, 9, 0x60, 0x51, b'd', 1, b'8'];
    assert_eq!(peer.says(&observe)[0][1], 0x45);
    for number in 3..=10 {
        peer.wait(1000);
        peer.moves();
        peer.says(&[0x40, 0x02, 0, number, 0xb1, b'd', 1, b'9', 0xff, b'x']);
    }
    assert_eq!(peer.known.len(), 3, "those two, and who spoke last");
}

#[test]
fn a_peer_is_sent_no_number_twice_within_its_lifetime() {
    let mut pair = Setting::reports(NON).pair();
    for number in 1..=80_000 {
        pair.report(number, 20);
        pair.run_for(Duration::from_millis(2));
    }
    pair.run_seconds(400);
    assert_eq!(pair.server.received().len(), 80_000);
    assert_eq!(pair.server.application.counters().duplicates, 0);
    let lifetime = Duration::from_secs(247);
    let mut used = vec![None; 1 << 16];
    for (at, _, packet) in &pair.wire.log {
        let id = &packet.bytes()[30..32];
        let id = usize::from(u16::from_be_bytes([id[0], id[1]]));
        assert!(
            used[id]
                .replace(*at)
                .is_none_or(|before| before + lifetime <= *at)
        );
    }
}

#[test]
fn separate_responses_are_acknowledged_and_repeated_until_then() {
    let mut setting = Setting::reports(CON);
    setting.parameters.separate_responses = true;
    let mut pair = setting.pair();
    pair.wire.loss = Probability::new(0.3).unwrap();
    for number in 1..=200 {
        pair.report(number, 100);
        pair.run_seconds(100);
    }
    assert_eq!(pair.server.received(), (1..=200).collect::<Vec<u32>>());
    assert_eq!(pair.client.failed(), []);
    assert_eq!(pair.client.acknowledged().len(), 200);
    assert_eq!(pair.client.application.counters().unmatched_responses, 0);
}

#[test]
fn a_message_larger_than_a_block_goes_block_by_block() {
    for kind in [CON, NON] {
        for push in [Push::Post, Push::Put, Push::Observe] {
            let mut pair = Setting::pushes(kind, push).pair();
            pair.run_seconds(1);
            pair.report(1, 5000);
            pair.push(2, 5000);
            pair.run_seconds(60);
            assert_eq!(pair.server.received(), [1], "{kind:?} {push:?}");
            assert_eq!(pair.client.received(), [2], "{kind:?} {push:?}");
            assert_eq!(pair.client.acknowledged(), [1]);
            let whole = Said::Received(harness::payload(2, 5000));
            assert!(pair.client.said.iter().any(|(_, said)| *said == whole));
        }
    }
}

#[test]
fn a_device_registers_until_it_is_heard() {
    for push in [Push::Post, Push::Observe] {
        let mut pair = Setting::pushes(CON, push).pair();
        pair.wire.loss = Probability::new(0.8).unwrap();
        pair.run_seconds(4000);
        assert!(pair.client.is_ready(), "{push:?}");
    }
}

#[test]
fn a_device_that_moves_is_found_where_it_was_last_heard() {
    let mut pair = Setting::pushes(CON, Push::Post).pair();
    pair.run_seconds(1);
    let address = core::net::IpAddr::from([10, 0, 0, 77]);
    let moved = lasthop_contract::TransportInput::AddressChanged {
        interface: lasthop_contract::InterfaceId(0),
        address,
    };
    pair.client.transport.handle(pair.now, moved);
    pair.report(1, 100);
    pair.run_seconds(1);
    pair.push(2, 100);
    pair.run_seconds(1);
    assert_eq!(pair.client.received(), [2]);
}

#[test]
fn a_device_that_is_told_that_it_moved_registers_again() {
    for push in [Push::Post, Push::Put, Push::Observe] {
        for is_told in [false, true] {
            let mut pair = Setting::pushes(CON, push).pair();
            pair.run_seconds(1);
            let moved = lasthop_contract::TransportInput::AddressChanged {
                interface: lasthop_contract::InterfaceId(0),
                address: core::net::IpAddr::from([10, 0, 0, 77]),
            };
            pair.client.transport.handle(pair.now, moved);
            if is_told {
                let told = lasthop_contract::TransportInput::AddressNoticed;
                pair.client.transport.handle(pair.now, told);
            }
            pair.run_seconds(1);
            pair.push(2, 100);
            pair.run_seconds(1);
            let received = pair.client.received();
            assert_eq!(received == [2], is_told, "{push:?} {received:?}");
        }
    }
}

#[test]
fn a_message_for_a_device_that_nobody_knows_is_given_up() {
    let mut pair = Setting::reports(CON).pair();
    pair.push(1, 100);
    assert_eq!(pair.server.failed(), [(1, FailureReason::NotConnected)]);
}

#[test]
fn a_run_depends_on_its_seed_alone() {
    let trace = |seed| {
        let mut setting = Setting::pushes(CON, Push::Observe);
        setting.seed = seed;
        let mut pair = setting.pair();
        pair.wire.loss = Probability::new(0.2).unwrap();
        for number in 1..=50 {
            pair.report(number, 100);
            pair.push(number, 100);
            pair.run_seconds(1);
        }
        pair.wire.datagrams(Direction::Up)
    };
    assert_eq!(trace(1), trace(1));
    assert_ne!(trace(1), trace(2));
}
