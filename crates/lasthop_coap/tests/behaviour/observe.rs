//! Notifications of a resource's changes (RFC 7641).

use lasthop_coap::{CoapRequest, Code, MessageType, Push, RequestEvent, RequestId};
use lasthop_contract::{Direction, RandomStream};
use lasthop_units::{Duration, Probability};

use crate::changer::Changer;
use crate::harness::{CON, NON, Said, Setting, UdpPair};

fn ask(pair: &mut UdpPair, request: CoapRequest) -> RequestId {
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    let id = client.request(pair.now, request, transport).unwrap();
    pair.drain();
    id
}

fn put(pair: &mut UdpPair, path: &str, payload: &[u8]) {
    let request = CoapRequest {
        payload: payload.into(),
        ..CoapRequest::new(CON, Code::PUT, path)
    };
    ask(pair, request);
}

fn observe(pair: &mut UdpPair, path: &str) -> RequestId {
    let request = CoapRequest {
        observe: true,
        ..CoapRequest::new(CON, Code::GET, path)
    };
    ask(pair, request)
}

/// The states that a request was told of, in order.
fn states(pair: &mut UdpPair, id: RequestId) -> Vec<Vec<u8>> {
    let mut states = Vec::new();
    while let Some(event) = pair.client.application.next_event() {
        if let RequestEvent::Response(response) = event
            && response.request == id
            && response.code == Code::CONTENT
        {
            states.push(response.payload.to_vec());
        }
    }
    states
}

#[test]
fn an_observer_is_told_of_each_change() {
    for kind in [CON, NON] {
        let mut pair = Setting::reports(kind).pair();
        put(&mut pair, "a", b"0");
        pair.run_seconds(1);
        let id = observe(&mut pair, "a");
        for state in [b"1", b"2", b"3"] {
            pair.run_seconds(1);
            put(&mut pair, "a", state);
        }
        pair.run_seconds(1);
        assert_eq!(states(&mut pair, id), [b"0", b"1", b"2", b"3"]);
    }
}

#[test]
fn an_observer_ends_up_with_the_last_state_and_never_goes_back() {
    for seed in 0..20 {
        for kind in [CON, NON] {
            let mut setting = Setting::reports(kind);
            setting.seed = seed;
            setting.parameters.nstart = 4;
            let mut pair = setting.pair();
            put(&mut pair, "a", b"00");
            pair.run_seconds(1);
            let id = observe(&mut pair, "a");
            pair.run_seconds(1);
            pair.wire.loss = Probability::new(0.2).unwrap();
            pair.wire.duplication = Probability::new(0.1).unwrap();
            pair.wire.jitter = Duration::from_millis(500);
            let mut random = RandomStream::named(seed, "changes");
            let mut changer = Changer::new();
            for number in 1..=40_u8 {
                let text = format!("{number:02}");
                changer.says(&mut pair, Code::PUT, text.as_bytes());
                pair.run_for(Duration::from_millis(100 + random.below(1500)));
            }
            // Losses end, and freshness does: then the observer asks again.
            pair.wire.loss = Probability::NEVER;
            pair.run_seconds(300);
            let states = states(&mut pair, id);
            let now = b"40".to_vec();
            assert_eq!(states.last(), Some(&now), "seed {seed} {kind:?}");
            assert!(states.is_sorted(), "{states:?}");
        }
    }
}

#[test]
fn of_a_burst_of_changes_the_last_one_waits_for_the_observer() {
    let mut setting = Setting::reports(CON);
    setting.parameters.max_waiting = 1;
    let mut pair = setting.pair();
    put(&mut pair, "a", b"0");
    pair.run_seconds(1);
    let id = observe(&mut pair, "a");
    pair.run_seconds(1);
    let mut changer = Changer::new();
    for state in [b"1", b"2", b"3", b"4"] {
        changer.says(&mut pair, Code::PUT, state);
    }
    pair.run_seconds(10);
    assert_eq!(states(&mut pair, id), [b"0", b"1", b"4"]);
}

#[test]
fn notifications_that_come_late_are_left_out() {
    let mut setting = Setting::pushes(NON, Push::Observe);
    setting.seed = 5;
    let mut pair = setting.pair();
    pair.run_seconds(1);
    pair.wire.jitter = Duration::from_secs(2);
    for number in 1..=200 {
        pair.push(number, 100);
        pair.run_for(Duration::from_millis(250));
    }
    pair.run_seconds(5);
    let received = pair.client.received();
    assert!(received.is_sorted(), "{received:?}");
    let stale = pair.client.application.counters().stale_notifications;
    assert!(stale > 20);
    assert_eq!(received.len() + stale as usize, 200);
}

#[test]
fn a_cancelled_observation_is_over() {
    let mut pair = Setting::reports(NON).pair();
    put(&mut pair, "a", b"0");
    pair.run_seconds(1);
    let id = observe(&mut pair, "a");
    pair.run_seconds(1);
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    client.cancel(pair.now, id, transport);
    pair.run_seconds(1);
    put(&mut pair, "a", b"1");
    pair.run_seconds(200);
    // The answer to the registration and the one to the cancellation.
    assert_eq!(states(&mut pair, id), [b"0", b"0"]);
}

#[test]
fn a_reset_ends_an_observation() {
    for kind in [CON, NON] {
        let mut pair = Setting::reports(kind).pair();
        put(&mut pair, "a", b"0");
        pair.run_seconds(1);
        let id = observe(&mut pair, "a");
        pair.run_seconds(1);
        let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
        client.forget(pair.now, id, transport);
        put(&mut pair, "a", b"1");
        pair.run_seconds(1);
        assert_eq!(pair.server.application.counters().resets_received, 1);
        pair.wire.log.clear();
        put(&mut pair, "a", b"2");
        pair.run_seconds(200);
        assert_eq!(
            pair.wire.datagrams(Direction::Down).len(),
            1,
            "the answer to the PUT"
        );
    }
}

#[test]
fn an_observer_that_does_not_acknowledge_is_dropped_and_registers_again() {
    let mut pair = Setting::pushes(CON, Push::Observe).pair();
    pair.run_seconds(1);
    pair.wire.loss = Probability::ALWAYS;
    pair.push(1, 100);
    pair.run_seconds(100);
    assert_eq!(pair.server.failed().len(), 1);
    pair.wire.loss = Probability::NEVER;
    pair.push(2, 100);
    assert_eq!(pair.server.failed().len(), 2, "nobody observes");
    pair.run_seconds(200);
    pair.push(3, 100);
    pair.run_seconds(1);
    assert_eq!(pair.client.received(), [3]);
}

#[test]
fn an_observer_that_hears_nothing_registers_again_when_freshness_is_over() {
    let mut setting = Setting::pushes(NON, Push::Observe);
    setting.parameters.max_age = Duration::from_secs(30);
    let mut pair = setting.pair();
    pair.run_seconds(1);
    pair.wire.log.clear();
    pair.run_seconds(1000);
    let times: Vec<f64> = pair
        .wire
        .log
        .iter()
        .filter(|(_, way, _)| *way == Direction::Up)
        .map(|(at, _, _)| at.as_secs_f64())
        .collect();
    // Each 30 s and 5 s to 15 s more.
    assert!((21..=28).contains(&times.len()), "{}", times.len());
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        gaps.iter().all(|gap| (35.0..45.3).contains(gap)),
        "{gaps:?}"
    );
}

#[test]
fn one_notification_a_day_is_confirmable() {
    let mut setting = Setting::pushes(NON, Push::Observe);
    setting.parameters.max_age = Duration::from_secs(4_000_000);
    let mut pair = setting.pair();
    pair.run_seconds(1);
    pair.wire.log.clear();
    for number in 1..=72 {
        pair.push(number, 100);
        pair.run_seconds(3600);
    }
    let down = pair.wire.datagrams(Direction::Down);
    let confirmable = down.iter().filter(|datagram| datagram[0] >> 4 & 3 == 0);
    assert_eq!((down.len(), confirmable.count()), (72, 2));
    assert_eq!(pair.client.received().len(), 72);
}

#[test]
fn a_large_state_is_fetched_block_by_block() {
    for kind in [CON, NON] {
        let mut pair = Setting::reports(kind).pair();
        put(&mut pair, "a", &[1; 3000]);
        pair.run_seconds(5);
        let id = observe(&mut pair, "a");
        pair.run_seconds(5);
        put(&mut pair, "a", &[2; 5000]);
        pair.run_seconds(5);
        assert_eq!(states(&mut pair, id), [vec![1; 3000], vec![2; 5000]]);
    }
}

#[test]
fn observers_are_told_when_the_resource_is_removed() {
    let mut pair = Setting::reports(CON).pair();
    put(&mut pair, "a", b"0");
    pair.run_seconds(1);
    let id = observe(&mut pair, "a");
    pair.run_seconds(1);
    ask(&mut pair, CoapRequest::new(CON, Code::DELETE, "a"));
    pair.run_seconds(1);
    let mut codes = Vec::new();
    while let Some(event) = pair.client.application.next_event() {
        if let RequestEvent::Response(response) = event
            && response.request == id
        {
            codes.push(response.code);
        }
    }
    assert_eq!(codes, [Code::CONTENT, Code::NOT_FOUND]);
}

#[test]
fn pushed_notifications_wait_their_turn_and_are_acknowledged() {
    let mut pair = Setting::pushes(MessageType::Confirmable, Push::Observe).pair();
    pair.run_seconds(1);
    pair.wire.loss = Probability::new(0.1).unwrap();
    for number in 1..=50 {
        pair.push(number, 100);
    }
    pair.run_seconds(300);
    assert_eq!(pair.client.received(), (1..=50).collect::<Vec<u32>>());
    assert_eq!(pair.server.acknowledged().len(), 50);
    let ready = pair
        .client
        .said
        .iter()
        .filter(|(_, said)| matches!(said, Said::Ready(_)));
    assert_eq!(ready.count(), 1);
}

#[test]
fn an_observation_ends_when_the_format_changes_or_the_resource_is_removed() {
    let errors = |pair: &mut UdpPair, id: RequestId| {
        let mut codes = Vec::new();
        while let Some(event) = pair.client.application.next_event() {
            if let RequestEvent::Response(response) = event
                && response.request == id
                && response.code != Code::CONTENT
            {
                codes.push(response.code);
            }
        }
        codes
    };
    let set = |pair: &mut UdpPair, code: Code, format: Option<u16>| {
        let request = CoapRequest {
            payload: b"[1]"[..].into(),
            content_format: format,
            ..CoapRequest::new(CON, code, "a")
        };
        ask(pair, request);
        pair.run_seconds(1);
    };
    let mut pair = Setting::reports(CON).pair();
    set(&mut pair, Code::PUT, None);
    let id = observe(&mut pair, "a");
    pair.run_seconds(1);
    set(&mut pair, Code::PUT, None);
    assert_eq!(errors(&mut pair, id), []);
    set(&mut pair, Code::PUT, Some(50));
    assert_eq!(errors(&mut pair, id), [Code::NOT_ACCEPTABLE]);
    // It is observed no longer.
    set(&mut pair, Code::PUT, Some(50));
    assert_eq!(errors(&mut pair, id), []);
    let id = observe(&mut pair, "a");
    pair.run_seconds(1);
    set(&mut pair, Code::DELETE, None);
    assert_eq!(errors(&mut pair, id), [Code::NOT_FOUND]);
}

#[test]
fn an_observer_that_acknowledges_nothing_gets_no_notification_after_the_last_retransmission() {
    let mut pair = Setting::reports(CON).pair();
    put(&mut pair, "a", b"0");
    pair.run_seconds(1);
    observe(&mut pair, "a");
    pair.run_seconds(1);
    let notifications = |pair: &UdpPair| {
        let sent = pair.wire.datagrams(Direction::Down);
        sent.iter().filter(|it| it[1] == Code::CONTENT.0).count()
    };
    let before = notifications(&pair);
    let mut changer = Changer::new();
    pair.wire.loss = Probability::new(1.0).unwrap();
    for _ in 0..40 {
        changer.says(&mut pair, Code::PUT, b"new");
        pair.run_seconds(5);
    }
    // The first copy and four retransmissions, for all changes together (RFC 7252 section 4.8).
    assert_eq!(notifications(&pair) - before, 5);
}
