use std::sync::Arc;

use lasthop_broker::{
    BrokerCore, BrokerLimits, Full, Message, Origin, Publication, Qos, QueuedMessage,
    SubscriptionOptions, TopicFilter,
};
use lasthop_units::{DataSize, Instant};

const LIMITS: BrokerLimits = BrokerLimits {
    sessions: 3,
    subscriptions_per_session: 2,
    retained_messages: 2,
    queued_messages: 4,
    queued_size: DataSize::from_bytes(100),
};

fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

fn message(topic: &str, payload: &[u8], expires_at: Option<Instant>) -> Arc<Message> {
    Arc::new(Message::from(&Publication {
        topic,
        payload,
        properties: &[1, 1],
        qos: Qos::AtLeastOnce,
        retain: true,
        expires_at,
        id: None,
        origin: Origin::Gone,
    }))
}

fn filter(text: &str) -> TopicFilter<'_> {
    TopicFilter::parse(text).unwrap()
}

fn recipients(core: &mut BrokerCore<()>, topic: &str) -> usize {
    let mut found = Vec::new();
    core.recipients(topic, &mut found);
    found.len()
}

#[test]
fn a_session_is_found_by_its_client_until_it_ends() {
    let mut core = BrokerCore::new(LIMITS);
    let id = core.open("alice", ()).unwrap();
    assert_eq!(core.session_of("alice"), Some(id));
    core.subscribe(id, &filter("a/+"), SubscriptionOptions::default())
        .unwrap();
    assert_eq!(recipients(&mut core, "a/b"), 1);
    assert_eq!(core.end(id).unwrap().client_id(), "alice");
    assert_eq!(core.session_of("alice"), None);
    assert_eq!(recipients(&mut core, "a/b"), 0);
    let again = core.open("bob", ()).unwrap();
    assert_eq!(again, id, "a number is used again");
    assert_eq!(recipients(&mut core, "a/b"), 0, "without what it had");
}

#[test]
fn a_parked_session_ends_at_its_time_unless_the_client_is_back() {
    let mut core = BrokerCore::new(LIMITS);
    let [alice, bob, carol] = ["alice", "bob", "carol"].map(|name| core.open(name, ()).unwrap());
    core.park(alice, Some(at(20)));
    core.park(bob, Some(at(10)));
    core.park(carol, None);
    core.park(alice, Some(at(30)));
    assert_eq!(core.next_ending(), Some(at(10)));
    core.resume(bob);
    assert_eq!(core.pop_ending(at(29)), None);
    assert_eq!(core.pop_ending(at(30)), Some(alice));
    assert_eq!(core.next_ending(), None);
}

#[test]
fn limits_hold() {
    let mut core = BrokerCore::new(LIMITS);
    let ids = ["a", "b", "c"].map(|name| core.open(name, ()).unwrap());
    assert_eq!(core.open("d", ()), Err(Full));
    let options = SubscriptionOptions::default();
    for text in ["x", "y", "x"] {
        assert!(core.subscribe(ids[0], &filter(text), options).is_ok());
    }
    assert_eq!(core.subscribe(ids[0], &filter("z"), options), Err(Full));
    for (topic, has_room) in [("1", true), ("2", true), ("3", false), ("1", true)] {
        assert_eq!(
            core.retain(&message(topic, b"x", None)),
            has_room,
            "{topic}"
        );
    }
    let queued = |size: usize| QueuedMessage {
        message: message("t", &vec![0; size - 3], None),
        qos: Qos::AtLeastOnce,
        retain: false,
        ids: Default::default(),
    };
    for (size, has_room) in [(60, true), (41, false), (40, true), (3, false)] {
        assert_eq!(core.enqueue(ids[0], queued(size)), has_room, "{size} B");
    }
    for number in 0..6 {
        assert_eq!(core.enqueue(ids[1], queued(5)), number < 4);
    }
    let queue = &mut core.session_mut(ids[0]).unwrap().queue;
    queue.pop();
    assert!(core.enqueue(ids[0], queued(60)), "what has gone makes room");
}

#[test]
fn retained_messages_come_in_the_order_of_their_topics_until_they_expire() {
    let mut core = BrokerCore::<()>::new(BrokerLimits::default());
    for (topic, expiry) in [
        ("a/c", None),
        ("a/b", Some(at(5))),
        ("a", None),
        ("ab", None),
        ("$s", None),
    ] {
        core.retain(&message(topic, b"x", expiry));
    }
    let mut topics = |now, text| -> Vec<String> {
        let found = core.retained(now, &filter(text));
        found
            .iter()
            .map(|message| message.topic().to_owned())
            .collect()
    };
    assert_eq!(topics(at(4), "a/#"), ["a", "a/b", "a/c"]);
    assert_eq!(topics(at(5), "a/#"), ["a", "a/c"]);
    assert_eq!(topics(at(0), "#"), ["a", "a/c", "ab"]);
    assert_eq!(topics(at(0), "$s"), ["$s"]);
    core.retain(&message("a", b"", None));
    let mut topics = |text| core.retained(at(9), &filter(text)).len();
    assert_eq!((topics("a"), topics("a/c"), topics("+/c")), (0, 1, 1));
}

#[test]
fn a_message_gives_back_what_was_published() {
    let kept = message("t", b"payload", Some(at(1)));
    let publication = kept.publication();
    assert_eq!(publication.topic, "t");
    assert_eq!(publication.payload, b"payload");
    assert_eq!(publication.properties, [1, 1]);
    assert!(!kept.is_expired(at(0)) && kept.is_expired(at(1)));
}
