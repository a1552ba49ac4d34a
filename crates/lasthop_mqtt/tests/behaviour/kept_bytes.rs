//! What one client can have the broker keep, in bytes.

use lasthop_broker::BrokerLimits;
use lasthop_mqtt::codec::{Connect, PacketType, PublishHead, Will};
use lasthop_mqtt::{MqttBrokerConfig, Qos, Version};
use lasthop_units::DataSize;

use super::hand::Hand;

const V5: Version = Version::V5;
const V3: Version = Version::V3_1_1;

/// A broker that keeps two messages of 1 kB for one address, and no third.
fn broker() -> Hand {
    Hand::new(MqttBrokerConfig {
        limits: BrokerLimits {
            kept_size_of_one: Some(DataSize::from_bytes(3000)),
            ..BrokerLimits::default()
        },
        ..MqttBrokerConfig::default()
    })
}

fn text() -> String {
    "x".repeat(1000)
}

fn publish(hand: &mut Hand, version: Version, to: lasthop_contract::ConnectionId, number: u16) {
    let head = PublishHead::new("t", Qos::ExactlyOnce, number, 1000);
    hand.publish_as(version, to, head, &text());
}

#[test]
fn unreleased_messages_beyond_the_budget_are_refused_until_others_are_released() {
    let mut hand = broker();
    let client = hand.connected(&Connect::new(V5, "client"));
    for number in 1..=3 {
        publish(&mut hand, V5, client, number);
    }
    let reasons: Vec<u8> = hand
        .answers(client)
        .iter()
        .map(|answer| answer.body.get(2).copied().unwrap_or(0))
        .collect();
    assert_eq!(reasons, [0, 0, 0x97]);
    hand.send(client, &[0x62, 2, 0, 1]);
    hand.answers(client);
    publish(&mut hand, V5, client, 3);
    let pubrec = &hand.answers(client)[0];
    assert_eq!(
        (pubrec.packet_type, pubrec.body.len()),
        (PacketType::Pubrec, 2)
    );
}

#[test]
fn a_client_of_3_1_1_with_too_many_unreleased_messages_is_disconnected() {
    let mut hand = broker();
    let client = hand.connected(&Connect::new(V3, "client"));
    for number in 1..=3 {
        publish(&mut hand, V3, client, number);
    }
    let (bytes, is_over) = hand.read(client);
    assert_eq!((bytes.len(), is_over), (2 * 4, true));
}

#[test]
fn a_will_beyond_the_budget_is_refused_with_its_client() {
    let mut hand = broker();
    let payload = text();
    let connect = |client_id| Connect {
        will: Some(Will {
            topic: "t",
            payload: payload.as_bytes(),
            qos: Qos::AtLeastOnce,
            retain: false,
            delay: 0,
            message_expiry: None,
            properties: Vec::new(),
        }),
        ..Connect::new(V5, client_id)
    };
    let first = hand.connected(&connect("a"));
    hand.connected(&connect("b"));
    let third = hand.connect(&connect("c"));
    assert_eq!(hand.answers(third)[0].body[1], 0x97);
    hand.send(first, &[0xe0, 0]);
    hand.connected(&connect("c"));
}

#[test]
fn what_waits_and_is_in_flight_is_within_the_budget_and_counts_once_for_all() {
    let mut hand = broker();
    for name in ["a", "b", "c"] {
        let lasting = Connect {
            session_expiry: u32::MAX,
            ..Connect::new(V5, name)
        };
        let client = hand.connected(&lasting);
        hand.subscribe(V5, client, "t");
        if name == "c" {
            // The others are away, and it acknowledges nothing.
            continue;
        }
        hand.finish(client);
    }
    let publisher = hand.connected(&Connect::new(V5, "publisher"));
    for _ in 0..3 {
        let head = PublishHead::new("t", Qos::AtLeastOnce, 1, 1000);
        hand.publish_as(V5, publisher, head, &text());
    }
    assert_eq!(
        hand.broker.application.counters().dropped,
        3,
        "the third one of each"
    );
    let back = Connect {
        clean_start: false,
        ..Connect::new(V5, "a")
    };
    let client = hand.connect(&back);
    assert_eq!(hand.got(V5, client).len(), 2);
}

/// The beginning of a PUBLISH of 100,000 bytes.
fn beginning(length: usize) -> Vec<u8> {
    let mut bytes = vec![0x30, 0xa0, 0x8d, 0x06, 0, 1, b't', 0];
    bytes.resize(length, b'x');
    bytes
}

#[test]
fn unfinished_packets_of_too_many_bytes_end_the_connection_that_waited_longest() {
    let mut hand = Hand::new(MqttBrokerConfig {
        limits: BrokerLimits {
            pending_size: Some(DataSize::from_bytes(20_000)),
            ..BrokerLimits::default()
        },
        ..MqttBrokerConfig::default()
    });
    let small = hand.connected(&Connect::new(V5, "small"));
    hand.send(small, &beginning(100));
    let attackers = ["a", "b", "c", "d"].map(|it| hand.connected(&Connect::new(V5, it)));
    for attacker in attackers {
        hand.send(attacker, &beginning(9_000));
    }
    let ends = attackers.map(|attacker| hand.read(attacker));
    assert_eq!(ends.each_ref().map(|it| it.1), [true, true, false, false]);
    assert_eq!(ends[0].0, [0xe0, 1, 0x97]);
    // One that goes on makes room when its packet is whole.
    hand.send(attackers[2], &vec![b'x'; 100_004 - 9_000]);
    let further = hand.connected(&Connect::new(V5, "e"));
    hand.send(further, &beginning(9_000));
    assert!([small, attackers[2], attackers[3]].map(|it| hand.read(it).1) == [false; 3]);
}
