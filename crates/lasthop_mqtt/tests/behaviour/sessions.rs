//! What outlives a connection, and what ends with it.

use lasthop_contract::{ConnectionId, OutgoingMessage};
use lasthop_mqtt::codec::{Connack, Connect, PacketType, Will};
use lasthop_mqtt::{BrokerLimits, MqttBrokerConfig, Qos, Version};
use lasthop_units::Duration;

use super::hand::Hand;
use super::world::{id, payload};

const V5: Version = Version::V5;
const VERSIONS: [Version; 2] = [Version::V3_1_1, Version::V5];

fn broker() -> Hand {
    Hand::new(MqttBrokerConfig::default())
}

/// A CONNECT for a session that lasts.
fn lasting(version: Version, name: &str) -> Connect<'_> {
    Connect {
        clean_start: false,
        session_expiry: 100,
        ..Connect::new(version, name)
    }
}

fn with_will<'a>(connect: Connect<'a>, delay: u32) -> Connect<'a> {
    Connect {
        will: Some(Will {
            topic: "will",
            payload: b"gone",
            qos: Qos::AtLeastOnce,
            retain: false,
            delay,
            message_expiry: None,
            properties: Vec::new(),
        }),
        ..connect
    }
}

fn session_present(hand: &mut Hand, connect: &Connect<'_>) -> (ConnectionId, bool) {
    let connection = hand.connect(connect);
    let answers = hand.answers(connection);
    let connack = Connack::read(connect.version, &answers[0].body).unwrap();
    (connection, connack.session_present)
}

fn watcher(hand: &mut Hand) -> ConnectionId {
    let watcher = hand.connected(&Connect::new(V5, "watcher"));
    hand.subscribe_with(V5, watcher, "will", 0, 0);
    hand.answers(watcher);
    watcher
}

/// MQTT-3.1.2-4 to -6, MQTT-3.2.2-2 and -3.
#[test]
fn a_lasting_session_is_present_and_a_clean_one_is_not() {
    for version in VERSIONS {
        let mut hand = broker();
        let lasting = lasting(version, "a");
        let clean = Connect::new(version, "a");
        for (connect, is_present) in [
            (&lasting, false),
            (&lasting, true),
            (&clean, false),
            (&lasting, false),
            (&lasting, true),
        ] {
            let (connection, present) = session_present(&mut hand, connect);
            assert_eq!(present, is_present, "{version:?}");
            hand.send(connection, &[0xe0, 0]);
        }
    }
}

/// MQTT-3.1.2-23: to the second.
#[test]
fn a_session_ends_when_its_time_has_come() {
    for (seconds, is_present) in [(99, true), (101, false)] {
        let mut hand = broker();
        let (connection, _) = session_present(&mut hand, &lasting(V5, "a"));
        hand.finish(connection);
        hand.run_for(Duration::from_secs(seconds));
        assert_eq!(
            hand.broker.application.session_count(),
            usize::from(is_present)
        );
        let (_, present) = session_present(&mut hand, &lasting(V5, "a"));
        assert_eq!(present, is_present, "after {seconds} s");
    }
}

#[test]
fn disconnect_may_change_how_long_a_session_lasts() {
    let mut hand = broker();
    let (connection, _) = session_present(&mut hand, &lasting(V5, "a"));
    hand.send(connection, &[0xe0, 7, 0, 5, 17, 0, 0, 0, 0]);
    assert_eq!(hand.broker.application.session_count(), 0);
}

/// MQTT-4.4.0-1, MQTT-3.3.1-1: with DUP, in their order, with their identifiers; PUBREL where PUBREC has come.
#[test]
fn what_is_in_flight_is_sent_again_on_the_next_connection() {
    for version in VERSIONS {
        let mut hand = broker();
        let (connection, _) = session_present(&mut hand, &lasting(version, "a"));
        hand.subscribe(version, connection, "t");
        hand.answers(connection);
        let publisher = hand.connected(&Connect::new(V5, "p"));
        for (text, qos) in [
            ("one", Qos::AtLeastOnce),
            ("two", Qos::ExactlyOnce),
            ("three", Qos::ExactlyOnce),
        ] {
            hand.publish(V5, publisher, "t", text, qos);
            hand.send(publisher, &[0x62, 2, 0, 77]);
        }
        let first = hand.got(version, connection);
        assert!(first.iter().all(|got| !got.dup));
        let [high, low] = first[1].packet_id.to_be_bytes();
        hand.send(connection, &[0x50, 2, high, low]);
        assert_eq!(hand.answers(connection)[0].packet_type, PacketType::Pubrel);
        hand.finish(connection);
        let connection = hand.connect(&lasting(version, "a"));
        let answers = hand.answers(connection);
        let kinds: Vec<PacketType> = answers.iter().map(|answer| answer.packet_type).collect();
        assert_eq!(
            kinds,
            [
                PacketType::Connack,
                PacketType::Publish,
                PacketType::Pubrel,
                PacketType::Publish
            ]
        );
        let again = super::hand::got(version, &answers[1]);
        assert_eq!((again.dup, again.packet_id), (true, first[0].packet_id));
        assert_eq!(answers[2].body, [high, low]);
        let last = super::hand::got(version, &answers[3]);
        assert_eq!((last.dup, last.packet_id), (true, first[2].packet_id));
    }
}

/// MQTT-3.1.2-5; QoS 0 is not kept, as with mosquitto.
#[test]
fn messages_of_qos_1_and_2_wait_for_a_client_that_is_away() {
    let mut hand = broker();
    let (connection, _) = session_present(&mut hand, &lasting(V5, "a"));
    hand.subscribe(V5, connection, "t");
    hand.finish(connection);
    let publisher = hand.connected(&Connect::new(V5, "p"));
    for qos in [Qos::AtMostOnce, Qos::AtLeastOnce, Qos::ExactlyOnce] {
        hand.publish(V5, publisher, "t", &format!("{qos:?}"), qos);
        hand.send(publisher, &[0x62, 2, 0, 77]);
    }
    let connection = hand.connect(&lasting(V5, "a"));
    let texts: Vec<String> = hand
        .got(V5, connection)
        .into_iter()
        .map(|got| got.payload)
        .collect();
    assert_eq!(texts, ["AtLeastOnce", "ExactlyOnce"]);
}

#[test]
fn a_queue_has_an_end_and_what_is_beyond_is_counted() {
    let config = MqttBrokerConfig {
        limits: BrokerLimits {
            queued_messages: 3,
            ..BrokerLimits::default()
        },
        ..MqttBrokerConfig::default()
    };
    let mut hand = Hand::new(config);
    let (connection, _) = session_present(&mut hand, &lasting(V5, "a"));
    hand.subscribe(V5, connection, "t");
    hand.finish(connection);
    let publisher = hand.connected(&Connect::new(V5, "p"));
    for number in 0..5 {
        hand.publish(V5, publisher, "t", &number.to_string(), Qos::AtLeastOnce);
    }
    assert_eq!(hand.broker.application.counters().dropped, 2);
    let connection = hand.connect(&lasting(V5, "a"));
    assert_eq!(hand.got(V5, connection).len(), 3);
}

/// MQTT-3.3.4-9: not more than the client takes, and the next when there is room.
#[test]
fn the_receive_maximum_of_a_client_is_kept() {
    let mut hand = broker();
    let connect = Connect {
        receive_maximum: 2,
        ..lasting(V5, "a")
    };
    let connection = hand.connected(&connect);
    hand.subscribe(V5, connection, "t");
    hand.answers(connection);
    let publisher = hand.connected(&Connect::new(V5, "p"));
    for number in 0..5 {
        hand.publish(V5, publisher, "t", &number.to_string(), Qos::AtLeastOnce);
    }
    let mut texts = Vec::new();
    for count in [2, 1, 1, 1, 0] {
        let got = hand.got(V5, connection);
        assert_eq!(got.len(), count);
        let acknowledged = got.first().map(|got| got.packet_id);
        texts.extend(got.into_iter().map(|got| got.payload));
        let [high, low] = acknowledged.unwrap_or(1).to_be_bytes();
        hand.send(connection, &[0x40, 2, high, low]);
        if count == 0 {
            break;
        }
    }
    assert_eq!(texts, ["0", "1", "2", "3", "4"], "in order (MQTT-4.6.0-6)");
}

/// MQTT-3.1.2-24 and -25: what is larger than a client takes is dropped for it, and acknowledged to nobody's harm.
#[test]
fn a_message_larger_than_its_subscriber_takes_is_dropped() {
    let mut hand = broker();
    let connect = Connect {
        maximum_packet_size: Some(30),
        ..Connect::new(V5, "a")
    };
    let connection = hand.connected(&connect);
    hand.subscribe(V5, connection, "t");
    hand.answers(connection);
    let publisher = hand.connected(&Connect::new(V5, "p"));
    for text in ["a text that does not fit into thirty bytes", "fits"] {
        hand.publish(V5, publisher, "t", text, Qos::AtLeastOnce);
    }
    let got = hand.got(V5, connection);
    assert_eq!((got.len(), &*got[0].payload), (1, "fits"));
    assert_eq!(hand.broker.application.counters().dropped, 1);
}

/// MQTT-3.1.4-3.
#[test]
fn a_second_connection_takes_the_session_over() {
    for (version, word) in [(Version::V3_1_1, None), (V5, Some(0x8e))] {
        let mut hand = broker();
        let old = hand.connected(&lasting(version, "a"));
        let (_, present) = session_present(&mut hand, &lasting(version, "a"));
        assert!(present);
        let (bytes, is_finished) = hand.read(old);
        assert!(is_finished);
        assert_eq!(bytes, word.map_or(vec![], |reason| vec![0xe0, 1, reason]));
    }
}

#[test]
fn taking_over_a_session_without_a_life_of_its_own_begins_a_new_one() {
    let mut hand = broker();
    hand.connected(&Connect::new(V5, "a"));
    let connect = Connect {
        clean_start: false,
        ..Connect::new(V5, "a")
    };
    let (_, present) = session_present(&mut hand, &connect);
    assert!(!present);
    assert_eq!(hand.broker.application.session_count(), 1);
}

/// MQTT-3.1.2-8, MQTT-3.14.4-3; with reason 0x04 it is published after all.
#[test]
fn a_will_is_published_unless_the_client_says_good_bye() {
    let endings: [(&str, &[u8], usize); 4] = [
        ("good-bye", &[0xe0, 0], 0),
        ("good-bye with will", &[0xe0, 1, 0x04], 1),
        ("a broken packet", &[0x00, 0], 1),
        ("the end of the stream", &[], 1),
    ];
    for (name, bytes, count) in endings {
        let mut hand = broker();
        let watcher = watcher(&mut hand);
        let client = hand.connected(&with_will(Connect::new(V5, "a"), 0));
        hand.send(client, bytes);
        hand.finish(client);
        let got = hand.got(V5, watcher);
        assert_eq!(got.len(), count, "{name}");
        assert!(got.iter().all(|got| got.payload == "gone"));
    }
}

/// MQTT-3.1.3-9: after its delay, at the end of the session if that is earlier, not at all if the client is back.
#[test]
fn a_will_waits_for_its_delay() {
    for (delay, expiry, back_after, seconds, count) in [
        (10, 100, None, 9, 0),
        (10, 100, None, 10, 1),
        (10, 100, Some(9), 60, 0),
        (10, 5, None, 4, 0),
        (10, 5, None, 5, 1),
        (10, 0, None, 0, 1),
    ] {
        let mut hand = broker();
        let watcher = watcher(&mut hand);
        let connect = Connect {
            session_expiry: expiry,
            ..lasting(V5, "a")
        };
        let client = hand.connected(&with_will(connect.clone(), delay));
        hand.finish(client);
        let mut rest = seconds;
        if let Some(after) = back_after {
            hand.run_for(Duration::from_secs(after));
            hand.connected_again(&connect);
            rest -= after;
        }
        hand.run_for(Duration::from_secs(rest));
        let context = format!("delay {delay} expiry {expiry} after {seconds}");
        assert_eq!(hand.got(V5, watcher).len(), count, "{context}");
    }
}

#[test]
fn a_new_session_of_the_same_client_does_not_wait_for_the_old_will() {
    let mut hand = broker();
    let watcher = watcher(&mut hand);
    let client = hand.connected(&with_will(lasting(V5, "a"), 50));
    hand.finish(client);
    hand.connected(&Connect::new(V5, "a"));
    assert_eq!(hand.got(V5, watcher).len(), 1);
}

/// MQTT-3.1.2-22: 1.5 times the keep alive after the last packet, and MQTT-3.12.4-1.
#[test]
fn silence_closes_and_a_ping_breaks_it() {
    for (version, word) in [(Version::V3_1_1, vec![]), (V5, vec![0xe0, 1, 0x8d])] {
        let mut hand = broker();
        let connect = Connect {
            keep_alive: 10,
            ..Connect::new(version, "a")
        };
        let connection = hand.connected(&connect);
        for _ in 0..5 {
            hand.run_for(Duration::from_secs(14));
            hand.send(connection, &[0xc0, 0]);
            assert_eq!(hand.read(connection), (vec![0xd0, 0], false));
        }
        hand.run_for(Duration::from_millis(14_999));
        assert_eq!(hand.read(connection), (vec![], false));
        hand.run_for(Duration::from_millis(1));
        assert_eq!(hand.read(connection), (word, true));
    }
}

#[test]
fn a_client_without_keep_alive_may_be_silent_for_ever() {
    let mut hand = broker();
    let connection = hand.connected(&Connect::new(V5, "a"));
    hand.run_for(Duration::from_secs(1_000_000));
    assert!(!hand.read(connection).1);
    assert_eq!(hand.broker.deadline, None, "and costs nothing");
}

/// MQTT-3.2.2-21.
#[test]
fn the_broker_may_set_the_keep_alive() {
    let config = MqttBrokerConfig {
        maximum_keep_alive: Some(Duration::from_secs(20)),
        ..MqttBrokerConfig::default()
    };
    for (asked, told) in [(0, Some(20)), (21, Some(20)), (20, None), (5, None)] {
        let mut hand = Hand::new(config);
        let connect = Connect {
            keep_alive: asked,
            ..Connect::new(V5, "a")
        };
        let connection = hand.connect(&connect);
        let answers = hand.answers(connection);
        let connack = Connack::read(V5, &answers[0].body).unwrap();
        assert_eq!(connack.server_keep_alive, told);
        let longest = 1500 * u64::from(told.unwrap_or(asked));
        hand.run_for(Duration::from_millis(longest));
        assert!(hand.read(connection).1);
    }
}

/// MQTT-3.1.3-6 and -7, MQTT-3.2.2-16.
#[test]
fn a_client_without_an_identifier_is_given_one() {
    let mut hand = broker();
    let mut names = Vec::new();
    for _ in 0..3 {
        let connection = hand.connect(&Connect::new(V5, ""));
        let answers = hand.answers(connection);
        let connack = Connack::read(V5, &answers[0].body).unwrap();
        names.push(connack.assigned_client_id.unwrap().to_owned());
    }
    names.dedup();
    assert_eq!(names.len(), 3);
    hand.connected(&Connect::new(Version::V3_1_1, ""));
    assert_eq!(hand.broker.application.session_count(), 4);
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let mut hand = broker();
    let connection = hand.open();
    hand.run_for(Duration::from_secs(89));
    assert!(!hand.read(connection).1);
    hand.run_for(Duration::from_secs(1));
    assert!(hand.read(connection).1);
}

#[test]
fn a_client_that_does_not_close_is_reset() {
    let mut hand = broker();
    let connection = hand.connected(&Connect::new(V5, "a"));
    hand.send(connection, &[0xe0, 0]);
    hand.run_for(Duration::from_secs(59));
    hand.broker.drain(hand.now);
    assert!(hand.is_there(connection));
    hand.run_for(Duration::from_secs(1));
    assert!(!hand.is_there(connection));
    assert_eq!(hand.broker.deadline, None);
}

#[test]
fn a_limit_of_sessions_refuses_the_next_client() {
    let config = MqttBrokerConfig {
        limits: BrokerLimits {
            sessions: 2,
            ..BrokerLimits::default()
        },
        ..MqttBrokerConfig::default()
    };
    let mut hand = Hand::new(config);
    hand.connected(&Connect::new(V5, "a"));
    hand.connected(&Connect::new(V5, "b"));
    let connection = hand.connect(&Connect::new(V5, "c"));
    assert_eq!(hand.answers(connection)[0].body[1], 0x97);
    let connection = hand.connect(&Connect::new(Version::V3_1_1, "d"));
    assert_eq!(hand.answers(connection)[0].body[1], 3);
}

#[test]
fn a_parked_session_makes_room_for_the_next_client() {
    let config = MqttBrokerConfig {
        limits: BrokerLimits {
            sessions: 2,
            ..BrokerLimits::default()
        },
        ..MqttBrokerConfig::default()
    };
    let mut hand = Hand::new(config);
    for name in ["a", "b", "c"] {
        let (connection, is_present) = session_present(&mut hand, &lasting(V5, name));
        assert!(!is_present);
        hand.finish(connection);
    }
    let (_, is_present) = session_present(&mut hand, &lasting(V5, "c"));
    assert!(is_present);
    let (_, is_present) = session_present(&mut hand, &lasting(V5, "a"));
    assert!(!is_present, "it was parked longest");
}

/// The server's own messages: queued for a client that is away, and reported when they come to nothing.
#[test]
fn the_servers_own_messages_wait_for_their_device_or_fail() {
    let mut hand = broker();
    let text = payload(1);
    let message = OutgoingMessage {
        id: id(1),
        payload: &text,
        asks: false,
    };
    hand.send_own(message);
    assert_eq!(
        hand.broker.events.len(),
        1,
        "nobody wants it: {:?}",
        hand.broker.events
    );
    let connect = lasting(V5, "device-7");
    let connection = hand.connected(&connect);
    hand.subscribe(V5, connection, "device/7");
    hand.finish(connection);
    hand.send_own(message);
    assert_eq!(hand.broker.events.len(), 1, "it waits");
    let connection = hand.connect(&connect);
    let got = hand.got(V5, connection);
    let [high, low] = got[0].packet_id.to_be_bytes();
    hand.send(connection, &[0x40, 2, high, low]);
    assert_eq!(hand.broker.events.len(), 3, "sent and acknowledged");
    assert_eq!(hand.broker.acknowledged(), [1]);
}

/// MQTT-4.3.3-10: the same packet again is answered again and handed on once, when it is released.
#[test]
fn a_repeated_message_of_qos_2_is_handed_on_once() {
    let config = MqttBrokerConfig {
        is_destination: true,
        ..MqttBrokerConfig::default()
    };
    for version in VERSIONS {
        let mut hand = Hand::new(config);
        let connection = hand.connected(&lasting(version, "a"));
        let text = String::from_utf8(payload(1)).unwrap();
        hand.publish(version, connection, "t", &text, Qos::ExactlyOnce);
        hand.publish(version, connection, "t", &text, Qos::ExactlyOnce);
        hand.finish(connection);
        let connection = hand.connected(&lasting(version, "a"));
        hand.publish(version, connection, "t", &text, Qos::ExactlyOnce);
        assert!(hand.broker.received.is_empty());
        hand.send(connection, &[0x62, 2, 0, 77]);
        hand.send(connection, &[0x62, 2, 0, 77]);
        assert_eq!(hand.broker.received.len(), 1);
        let kinds: Vec<PacketType> = hand
            .answers(connection)
            .iter()
            .map(|answer| answer.packet_type)
            .collect();
        assert_eq!(
            kinds,
            [PacketType::Pubrec, PacketType::Pubcomp, PacketType::Pubcomp]
        );
    }
}
