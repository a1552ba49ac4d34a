//! What a client that does not read can make a broker hold.

use lasthop_mqtt::codec::Connect;
use lasthop_mqtt::{MqttBrokerConfig, Qos, Version};

use super::hand::Hand;

const V5: Version = Version::V5;

/// A subscriber on a wire with room for 200 bytes, which does not read.
fn slow_subscriber() -> (
    Hand,
    lasthop_contract::ConnectionId,
    lasthop_contract::ConnectionId,
) {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    let subscriber = hand.connected(&Connect::new(V5, "slow"));
    hand.subscribe(V5, subscriber, "t");
    hand.answers(subscriber);
    let publisher = hand.connected(&Connect::new(V5, "p"));
    hand.wire.borrow_mut().set_room([200; 2]);
    (hand, subscriber, publisher)
}

/// Reads until nothing more comes.
fn read_all(hand: &mut Hand, connection: lasthop_contract::ConnectionId) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let (bytes, _) = hand.read(connection);
        hand.broker.drain(hand.now);
        if bytes.is_empty() {
            return all;
        }
        all.extend(bytes);
    }
}

/// mosquitto's `max_queued_messages`: 1,000 wait, the rest is dropped and counted, and what waits comes in order.
#[test]
fn a_slow_subscriber_keeps_a_thousand_messages_of_qos_0() {
    let (mut hand, subscriber, publisher) = slow_subscriber();
    for number in 0..1500 {
        let text = format!("{number:04}");
        hand.publish(V5, publisher, "t", &text, Qos::AtMostOnce);
    }
    let dropped = hand.broker.application.counters().dropped as usize;
    // A packet of 10 bytes: 20 fit into the wire, one is on its way, a thousand fit into the queue.
    assert_eq!(dropped, 1500 - 1000 - 21);
    let bytes = read_all(&mut hand, subscriber);
    let numbers: Vec<usize> = bytes
        .chunks(10)
        .map(|packet| {
            String::from_utf8(packet[6..].to_vec())
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert_eq!(numbers, (0..1021).collect::<Vec<usize>>());
}

#[test]
fn a_slow_subscriber_slows_nobody_else() {
    let (mut hand, _, publisher) = slow_subscriber();
    let quick = hand.connected(&Connect::new(V5, "quick"));
    hand.subscribe(V5, quick, "t");
    hand.answers(quick);
    for _ in 0..100 {
        hand.publish(V5, publisher, "t", "text", Qos::AtMostOnce);
        assert_eq!(hand.got(V5, quick).len(), 1);
    }
}

/// Requests are answered into a bounded outbox; when it is full the broker stops reading, and goes on when it can.
#[test]
fn who_does_not_read_answers_is_not_read_from() {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    let connection = hand.connected(&Connect::new(V5, "a"));
    hand.wire.borrow_mut().set_room([50_000; 2]);
    let pings = [0xc0, 0].repeat(25_000);
    let mut sent = 0;
    loop {
        match hand.send_some(connection, &pings) {
            0 => break,
            taken => sent += taken,
        }
        assert!(sent < 1_000_000, "the broker holds on to all of it");
    }
    assert!(sent > 256 << 10, "it took {sent} B");
    let answers = read_all(&mut hand, connection);
    assert_eq!(answers, [0xd0, 0].repeat(sent / 2));
    hand.send(connection, &[0xc0, 0]);
    assert_eq!(hand.read(connection), (vec![0xd0, 0], false));
}
