//! Who gets what: filters, overlapping and shared subscriptions, options, retained messages.

use lasthop_mqtt::codec::{Connect, PacketType, PublishHead};
use lasthop_mqtt::{MqttBrokerConfig, Qos, Version};
use lasthop_units::Duration;

use super::hand::{Got, Hand};

const V5: Version = Version::V5;

fn broker() -> Hand {
    Hand::new(MqttBrokerConfig::default())
}

fn client(hand: &mut Hand, name: &str) -> lasthop_contract::ConnectionId {
    hand.connected(&Connect::new(V5, name))
}

fn payloads(got: &[Got]) -> Vec<&str> {
    got.iter().map(|got| got.payload.as_str()).collect()
}

fn retained(topic: &str, qos: Qos, length: usize) -> PublishHead<'_> {
    PublishHead {
        retain: true,
        ..PublishHead::new(topic, qos, 5, length)
    }
}

/// MQTT 5 §4.7: its own examples, and the rules of MQTT-4.7.1-1, -2, MQTT-4.7.2-1, MQTT-4.7.3-4.
#[test]
fn filters_match_as_the_standard_says() {
    let table = [
        ("sport/tennis/player1/#", "sport/tennis/player1", true),
        (
            "sport/tennis/player1/#",
            "sport/tennis/player1/ranking",
            true,
        ),
        (
            "sport/tennis/player1/#",
            "sport/tennis/player1/score/wimbledon",
            true,
        ),
        ("sport/#", "sport", true),
        ("sport/#", "sports", false),
        ("#", "any/thing", true),
        ("#", "$SYS/load", false),
        ("+/monitor", "$SYS/monitor", false),
        ("$SYS/#", "$SYS/monitor/load", true),
        ("$SYS/monitor/+", "$SYS/monitor/load", true),
        ("a/$b", "a/$b", true),
        ("a/+", "a/$b", true),
        ("sport/tennis/+", "sport/tennis/player1", true),
        ("sport/tennis/+", "sport/tennis/player1/ranking", false),
        ("sport/+", "sport", false),
        ("sport/+", "sport/", true),
        ("+", "finance", true),
        ("+", "/finance", false),
        ("/+", "/finance", true),
        ("+/+", "/finance", true),
        ("+/tennis/#", "sport/tennis", true),
        ("+/tennis/#", "sport/tennis/a/b", true),
        ("ACCOUNTS", "Accounts", false),
        ("a//b", "a//b", true),
        ("a/+/b", "a//b", true),
        ("a/b", "a/b/", false),
        ("a/b/", "a/b", false),
        ("ä/β", "ä/β", true),
        ("ab", "a", false),
        ("+/b", "a/b/c", false),
        ("a/+/c/#", "a/b/c", true),
    ];
    for (filter, topic, matches) in table {
        let mut hand = broker();
        let connection = client(&mut hand, "a");
        hand.subscribe(V5, connection, filter);
        hand.publish(V5, connection, topic, "x", Qos::AtMostOnce);
        let count = hand.got(V5, connection).len();
        assert_eq!(count, usize::from(matches), "{filter} {topic}");
        // The same when the message is there first.
        hand.publish_as(V5, connection, retained(topic, Qos::AtMostOnce, 1), "x");
        let later = client(&mut hand, "b");
        hand.subscribe(V5, later, filter);
        let count = hand.got(V5, later).len();
        assert_eq!(count, usize::from(matches), "retained: {filter} {topic}");
    }
}

#[test]
fn an_ended_subscription_brings_nothing() {
    let mut hand = broker();
    let connection = client(&mut hand, "a");
    for filter in ["a/b", "a/+", "a/#", "$share/g/a/b"] {
        hand.subscribe(V5, connection, filter);
        let mut body = vec![0, 4, 0, 0, filter.len() as u8];
        body.extend(filter.bytes());
        let unsubscribe = [&[0xa2, body.len() as u8][..], &body].concat();
        hand.send(connection, &unsubscribe);
        hand.send(connection, &unsubscribe);
        let answers = hand.answers(connection);
        let reasons: Vec<u8> = answers
            .iter()
            .filter(|answer| answer.packet_type == PacketType::Unsuback)
            .map(|answer| answer.body[3])
            .collect();
        assert_eq!(reasons, [0, 0x11], "{filter}: ended, then not there");
        hand.publish(V5, connection, "a/b", "x", Qos::AtMostOnce);
        assert!(hand.got(V5, connection).is_empty(), "{filter}");
    }
}

/// MQTT-3.3.4-2 to -5: one copy, the best quality, all identifiers.
#[test]
fn overlapping_subscriptions_bring_one_copy_with_all_identifiers() {
    let mut hand = broker();
    let connection = client(&mut hand, "a");
    hand.subscribe_with(V5, connection, "a/#", 0, 11);
    hand.subscribe_with(V5, connection, "a/+", 1, 12);
    hand.subscribe_with(V5, connection, "a/b", 0, 0);
    hand.answers(connection);
    let other = client(&mut hand, "b");
    hand.publish(V5, other, "a/b", "x", Qos::ExactlyOnce);
    hand.send(other, &[0x62, 2, 0, 77]);
    let got = hand.got(V5, connection);
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].qos, 1);
    let mut ids = got[0].ids.clone();
    ids.sort_unstable();
    assert_eq!(ids, [11, 12]);
}

/// MQTT-3.8.4-3: a subscription to a known filter replaces its options.
#[test]
fn a_repeated_subscription_replaces_the_options() {
    let mut hand = broker();
    let connection = client(&mut hand, "a");
    hand.subscribe_with(V5, connection, "a", 2, 1);
    hand.subscribe_with(V5, connection, "a", 0, 2);
    hand.answers(connection);
    hand.publish(V5, connection, "a", "x", Qos::AtLeastOnce);
    let got = hand.got(V5, connection);
    assert_eq!((got.len(), got[0].qos, &got[0].ids[..]), (1, 0, &[2][..]));
}

/// MQTT-3.8.3-3.
#[test]
fn no_local_keeps_a_publisher_from_its_own_messages() {
    let mut hand = broker();
    let one = client(&mut hand, "one");
    let other = client(&mut hand, "other");
    hand.subscribe_with(V5, one, "a", 0b0100, 0);
    hand.subscribe_with(V5, other, "a", 0b0100, 0);
    hand.answers(one);
    hand.publish(V5, one, "a", "x", Qos::AtMostOnce);
    assert!(hand.got(V5, one).is_empty());
    assert_eq!(hand.got(V5, other).len(), 1);
}

/// MQTT-3.3.1-12 and -13.
#[test]
fn the_retain_flag_goes_on_where_it_is_wanted_as_published() {
    let mut hand = broker();
    let plain = client(&mut hand, "plain");
    let as_published = client(&mut hand, "as published");
    hand.subscribe_with(V5, plain, "a", 0, 0);
    hand.subscribe_with(V5, as_published, "a", 0b1000, 0);
    hand.publish_as(V5, plain, retained("a", Qos::AtMostOnce, 1), "x");
    assert!(!hand.got(V5, plain)[0].retain);
    assert!(hand.got(V5, as_published)[0].retain);
}

/// MQTT-3.3.1-5 to -11.
#[test]
fn the_last_retained_message_comes_with_the_subscription() {
    let mut hand = broker();
    let publisher = client(&mut hand, "publisher");
    for text in ["old", "new"] {
        hand.publish_as(V5, publisher, retained("a/b", Qos::AtLeastOnce, 3), text);
    }
    hand.publish_as(V5, publisher, retained("a/c", Qos::AtMostOnce, 1), "c");
    hand.publish(V5, publisher, "a/b", "passing", Qos::AtMostOnce);
    let subscriber = client(&mut hand, "subscriber");
    hand.subscribe(V5, subscriber, "a/#");
    let got = hand.got(V5, subscriber);
    assert_eq!(payloads(&got), ["new", "c"]);
    assert!(got.iter().all(|got| got.retain));
    assert_eq!((got[0].qos, got[1].qos), (1, 0));
    // An empty payload clears the topic, and goes on as any other message.
    hand.publish_as(V5, publisher, retained("a/b", Qos::AtMostOnce, 0), "");
    assert_eq!(payloads(&hand.got(V5, subscriber)), [""]);
    hand.subscribe(V5, subscriber, "a/+");
    assert_eq!(payloads(&hand.got(V5, subscriber)), ["c"]);
}

/// MQTT-3.3.1-9 to -11: 0 always, 1 for a new subscription, 2 never.
#[test]
fn retain_handling_says_when_retained_messages_come() {
    for (handling, expected) in [(0, [1, 1]), (1, [1, 0]), (2, [0, 0])] {
        let mut hand = broker();
        let connection = client(&mut hand, "a");
        hand.publish_as(V5, connection, retained("a", Qos::AtMostOnce, 1), "x");
        for count in expected {
            hand.subscribe_with(V5, connection, "a", handling << 4, 0);
            assert_eq!(hand.got(V5, connection).len(), count, "handling {handling}");
        }
    }
}

/// MQTT-4.8.2: each message to one of a group, in turn; those outside the group get it as well.
#[test]
fn a_group_shares_what_it_subscribes_to() {
    let mut hand = broker();
    let members: Vec<_> = ["one", "two", "three"]
        .map(|name| client(&mut hand, name))
        .into();
    for member in &members {
        hand.subscribe(V5, *member, "$share/group/a/+");
    }
    let other_group = client(&mut hand, "four");
    hand.subscribe(V5, other_group, "$share/other/a/+");
    let outside = client(&mut hand, "outside");
    hand.subscribe(V5, outside, "a/#");
    for number in 0..9 {
        hand.publish(V5, outside, "a/b", &number.to_string(), Qos::AtMostOnce);
    }
    let shares: Vec<usize> = members
        .iter()
        .map(|member| hand.got(V5, *member).len())
        .collect();
    assert_eq!(shares, [3, 3, 3]);
    assert_eq!(hand.got(V5, other_group).len(), 9);
    assert_eq!(hand.got(V5, outside).len(), 9);
}

#[test]
fn a_group_passes_over_members_that_are_away() {
    let mut hand = broker();
    let mut connect = Connect::new(V5, "away");
    connect.session_expiry = 100;
    let away = hand.connected(&connect);
    let here = client(&mut hand, "here");
    for member in [away, here] {
        hand.subscribe(V5, member, "$share/group/a");
    }
    hand.answers(here);
    hand.send(away, &[0xe0, 0]);
    for _ in 0..4 {
        hand.publish(V5, here, "a", "x", Qos::AtLeastOnce);
        let got = hand.got(V5, here);
        assert_eq!(got.len(), 1);
        let [high, low] = got[0].packet_id.to_be_bytes();
        hand.send(here, &[0x40, 2, high, low]);
    }
}

/// §4.8.2: no retained messages for a group.
#[test]
fn a_group_gets_no_retained_messages() {
    let mut hand = broker();
    let connection = client(&mut hand, "a");
    hand.publish_as(V5, connection, retained("a", Qos::AtMostOnce, 1), "x");
    hand.subscribe(V5, connection, "$share/group/a");
    assert!(hand.got(V5, connection).is_empty());
}

/// MQTT-3.3.2-5 and -6.
#[test]
fn what_waits_too_long_is_not_sent_and_the_rest_says_how_long_it_has_left() {
    let mut hand = broker();
    let mut connect = Connect::new(V5, "sleeper");
    connect.clean_start = false;
    connect.session_expiry = 1000;
    let sleeper = hand.connected(&connect);
    hand.subscribe(V5, sleeper, "a");
    hand.send(sleeper, &[0xe0, 0]);
    let publisher = client(&mut hand, "publisher");
    for (text, expiry) in [("short", Some(5)), ("long", Some(60)), ("ever", None)] {
        let head = PublishHead {
            message_expiry: expiry,
            ..PublishHead::new("a", Qos::AtLeastOnce, 3, text.len())
        };
        hand.publish_as(V5, publisher, head, text);
        let head = PublishHead {
            message_expiry: expiry,
            ..retained(text, Qos::AtLeastOnce, text.len())
        };
        hand.publish_as(V5, publisher, head, text);
    }
    hand.run_for(Duration::from_secs(20));
    let sleeper = hand.connect(&connect);
    let got = hand.got(V5, sleeper);
    assert_eq!(payloads(&got), ["long", "ever"]);
    assert_eq!((got[0].expiry, got[1].expiry), (Some(40), None));
    hand.subscribe(V5, sleeper, "#");
    assert_eq!(
        payloads(&hand.got(V5, sleeper)),
        ["ever", "long"],
        "retained, by topic"
    );
    assert_eq!(hand.broker.application.counters().expired, 1);
}

/// MQTT-3.3.2-4, -15 to -18, -20: they go on as they came, in their order.
#[test]
fn properties_of_a_message_go_on_unaltered() {
    let mut hand = broker();
    let connection = client(&mut hand, "a");
    hand.subscribe_with(V5, connection, "a", 0, 0);
    hand.answers(connection);
    let properties = [
        &[1, 1, 3, 0, 1, b't', 8, 0, 1, b'r', 9, 0, 2, 7, 8][..],
        &[38, 0, 1, b'k', 0, 1, b'v', 38, 0, 1, b'k', 0, 1, b'w'],
    ]
    .concat();
    let head = PublishHead {
        properties: &properties,
        ..PublishHead::new("a", Qos::AtMostOnce, 0, 1)
    };
    let expected = [&head.write(V5)[..], b"x"].concat();
    hand.send(connection, &expected);
    assert_eq!(hand.read(connection).0, expected);
}

/// MQTT-3.3.2-7 to -12, both ways.
#[test]
fn a_number_stands_for_a_topic_both_ways() {
    let mut hand = broker();
    let mut connect = Connect::new(V5, "a");
    connect.topic_alias_maximum = 1;
    let connection = hand.connected(&connect);
    hand.subscribe_with(V5, connection, "#", 0, 0);
    hand.answers(connection);
    for (topic, text) in [("first", "1"), ("", "2"), ("second", "3"), ("", "4")] {
        let head = PublishHead {
            topic_alias: 10,
            ..PublishHead::new(topic, Qos::AtMostOnce, 0, 1)
        };
        hand.publish_as(V5, connection, head, text);
    }
    let got: Vec<(String, u16, String)> = hand
        .got(V5, connection)
        .into_iter()
        .map(|got| (got.topic, got.alias, got.payload))
        .collect();
    let expected = [
        ("first", 1, "1"),
        ("", 1, "2"),
        ("second", 0, "3"),
        ("second", 0, "4"),
    ];
    let expected = expected.map(|(topic, alias, text)| (topic.into(), alias, text.into()));
    assert_eq!(got, expected);
}

#[test]
fn a_client_of_each_version_gets_what_the_other_publishes() {
    let mut hand = broker();
    let old = hand.connected(&Connect::new(Version::V3_1_1, "old"));
    let new = client(&mut hand, "new");
    hand.subscribe(Version::V3_1_1, old, "a");
    hand.subscribe(V5, new, "a");
    hand.publish(Version::V3_1_1, old, "a", "from old", Qos::AtMostOnce);
    let head = PublishHead {
        message_expiry: Some(9),
        ..PublishHead::new("a", Qos::AtMostOnce, 0, 8)
    };
    hand.publish_as(V5, new, head, "from new");
    assert_eq!(
        payloads(&hand.got(Version::V3_1_1, old)),
        ["from old", "from new"]
    );
    assert_eq!(payloads(&hand.got(V5, new)), ["from old", "from new"]);
}
