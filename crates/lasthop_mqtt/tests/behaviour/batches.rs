//! A broker that sends nothing to who has yet to acknowledge, and then all that waits.

use lasthop_contract::ConnectionId;
use lasthop_mqtt::codec::Connect;
use lasthop_mqtt::{MqttBrokerConfig, Qos, Sending, Version};

use super::hand::{Got, Hand};

const V5: Version = Version::V5;

/// A broker with a window of three, a subscriber and a publisher.
fn hand() -> (Hand, ConnectionId, ConnectionId) {
    let mut hand = Hand::new(MqttBrokerConfig {
        sending: Sending::InBatches,
        max_in_flight: 3,
        ..MqttBrokerConfig::default()
    });
    let subscriber = hand.connected(&Connect::new(V5, "s"));
    hand.subscribe(V5, subscriber, "t");
    hand.answers(subscriber);
    let publisher = hand.connected(&Connect::new(V5, "p"));
    (hand, subscriber, publisher)
}

fn acknowledge(hand: &mut Hand, subscriber: ConnectionId, got: &Got) {
    let [high, low] = got.packet_id.to_be_bytes();
    hand.send(subscriber, &[0x40, 2, high, low]);
}

fn texts(got: &[Got]) -> Vec<&str> {
    got.iter().map(|got| &*got.payload).collect()
}

#[test]
fn what_waits_is_sent_together_when_all_is_acknowledged() {
    let (mut hand, subscriber, publisher) = hand();
    for text in ["a", "b", "c", "d", "e"] {
        hand.publish(V5, publisher, "t", text, Qos::AtLeastOnce);
    }
    let first = hand.got(V5, subscriber);
    assert_eq!(texts(&first), ["a"]);
    acknowledge(&mut hand, subscriber, &first[0]);
    let batch = hand.got(V5, subscriber);
    assert_eq!(
        texts(&batch),
        ["b", "c", "d"],
        "as many as the window holds"
    );
    for got in &batch[..2] {
        acknowledge(&mut hand, subscriber, got);
        hand.publish(V5, publisher, "t", "later", Qos::AtLeastOnce);
        assert_eq!(
            hand.got(V5, subscriber),
            [],
            "one is to be acknowledged yet"
        );
    }
    acknowledge(&mut hand, subscriber, &batch[2]);
    assert_eq!(texts(&hand.got(V5, subscriber)), ["e", "later", "later"]);
}

#[test]
fn who_owes_no_acknowledgement_is_sent_all_at_once() {
    let (mut hand, subscriber, publisher) = hand();
    for text in ["a", "b"] {
        hand.publish(V5, publisher, "t", text, Qos::AtLeastOnce);
        let got = hand.got(V5, subscriber);
        assert_eq!(texts(&got), [text]);
        acknowledge(&mut hand, subscriber, &got[0]);
    }
    for text in ["c", "d"] {
        hand.publish(V5, publisher, "t", text, Qos::AtMostOnce);
        assert_eq!(texts(&hand.got(V5, subscriber)), [text]);
    }
}

#[test]
fn who_comes_back_gets_what_was_in_flight_and_then_the_rest() {
    let (mut hand, _, publisher) = hand();
    let lasting = Connect {
        clean_start: false,
        session_expiry: 60,
        ..Connect::new(V5, "back")
    };
    let before = hand.connected(&lasting);
    hand.subscribe(V5, before, "t");
    hand.answers(before);
    for text in ["a", "b", "c"] {
        hand.publish(V5, publisher, "t", text, Qos::AtLeastOnce);
    }
    assert_eq!(texts(&hand.got(V5, before)), ["a"]);
    hand.finish(before);
    let after = hand.connect(&lasting);
    let again = hand.got(V5, after);
    assert_eq!(texts(&again), ["a"]);
    acknowledge(&mut hand, after, &again[0]);
    assert_eq!(texts(&hand.got(V5, after)), ["b", "c"]);
}
