//! No client keeps the others waiting: what takes long is done in turns.

use lasthop_contract::{ApplicationInput, ConnectionId};
use lasthop_mqtt::codec::{Connect, PacketType};
use lasthop_mqtt::{MqttBrokerConfig, Version};

use super::hand::Hand;

const V5: Version = Version::V5;
const PINGREQ: &[u8] = &[0xc0, 0];

/// Units of a turn.
const TURN: usize = 10_000;

/// SUBSCRIBE to one filter, by hand.
fn subscribe(filter: &str) -> Vec<u8> {
    let length = 2 + 1 + 2 + filter.len() + 1;
    let head = [0x82, length as u8, 0, 1, 0, 0, filter.len() as u8];
    [&head[..], filter.as_bytes(), &[0]].concat()
}

/// A broker that retains messages of so many topics, `r/0` and so on.
fn retaining(topics: usize) -> Hand {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    let publisher = hand.connected(&Connect::new(V5, "publisher"));
    for number in 0..topics {
        let topic = format!("r/{number:06}");
        let length = 2 + topic.len() + 1 + 1;
        let head = [0x31, length as u8, 0, topic.len() as u8];
        hand.send(
            publisher,
            &[&head[..], topic.as_bytes(), &[0, b'x']].concat(),
        );
    }
    hand
}

/// Gives the broker one more turn, if it wants one.
fn next_turn(hand: &mut Hand) -> bool {
    let is_wanted = hand.broker.deadline.is_some_and(|at| at <= hand.now);
    if is_wanted {
        hand.broker.handle(hand.now, ApplicationInput::Timeout);
        hand.broker.drain(hand.now);
    }
    is_wanted
}

fn count(hand: &mut Hand, connection: ConnectionId, kind: PacketType) -> usize {
    let answers = hand.answers(connection);
    let of_kind = answers.iter().filter(|answer| answer.packet_type == kind);
    of_kind.count()
}

#[test]
fn a_burst_of_subscriptions_is_served_in_turns_and_others_between_them() {
    let mut hand = retaining(3 * TURN);
    let honest = hand.connected(&Connect::new(V5, "honest"));
    let other = hand.connected(&Connect::new(V5, "other"));
    hand.send(other, &subscribe("r/+/no").repeat(20));
    let mut acknowledged = count(&mut hand, other, PacketType::Suback);
    assert_eq!(acknowledged, 1, "the rest is for later");
    let mut turns = 0;
    while next_turn(&mut hand) {
        turns += 1;
        hand.send(honest, PINGREQ);
        assert_eq!(count(&mut hand, honest, PacketType::Pingresp), 1);
        let more = count(&mut hand, other, PacketType::Suback);
        assert!(more <= 1, "{more} searches begin in one turn");
        acknowledged += more;
    }
    assert_eq!(acknowledged, 20);
    // Each search takes three turns, and the first turn was that of the burst.
    assert!((2 * 20..=3 * 20).contains(&turns), "{turns}");
}

#[test]
fn who_sends_without_end_is_read_in_turns_and_others_between_them() {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    let honest = hand.connected(&Connect::new(V5, "honest"));
    let other = hand.connected(&Connect::new(V5, "other"));
    let publish = [&[0x32, 0xe8, 0x07, 0, 1, b't', 0, 1, 0][..], &[b'x'; 994]].concat();
    let count_of_turn = (16 * TURN).div_ceil(publish.len());
    hand.send(other, &publish.repeat(3 * count_of_turn));
    let mut acknowledged = count(&mut hand, other, PacketType::Puback);
    let mut turns = 0;
    loop {
        assert!(
            acknowledged <= (turns + 1) * count_of_turn,
            "{acknowledged}"
        );
        hand.send(honest, PINGREQ);
        assert_eq!(count(&mut hand, honest, PacketType::Pingresp), 1);
        if !next_turn(&mut hand) {
            break;
        }
        turns += 1;
        acknowledged += count(&mut hand, other, PacketType::Puback);
    }
    assert_eq!(acknowledged, 3 * count_of_turn);
    assert!(turns >= 2, "{turns}");
}

#[test]
fn who_comes_after_a_burst_has_its_turn_before_the_burst_is_over() {
    let mut hand = retaining(2 * TURN);
    let first = hand.connected(&Connect::new(V5, "first"));
    hand.send(first, &subscribe("r/+/no").repeat(50));
    let second = hand.connected(&Connect::new(V5, "second"));
    hand.send(second, &subscribe("r/000007"));
    for _ in 0..2 {
        next_turn(&mut hand);
    }
    let got = hand.got(V5, second);
    assert_eq!(got.len(), 1);
    assert!(hand.broker.deadline.is_some_and(|at| at <= hand.now));
}

#[test]
fn a_search_ends_where_the_queue_is_full() {
    let mut hand = retaining(2 * TURN);
    let client = hand.connected(&Connect::new(V5, "client"));
    hand.wire.borrow_mut().set_room([1 << 20, 200]);
    hand.send(client, &subscribe("#").repeat(20));
    let mut turns = 0;
    while next_turn(&mut hand) {
        turns += 1;
    }
    assert!(turns < 3, "{turns}");
    assert_eq!(hand.broker.application.counters().dropped, 20);
}

#[test]
fn all_that_is_retained_comes_though_it_takes_turns() {
    let mut hand = retaining(2 * TURN);
    let client = hand.connected(&Connect::new(V5, "client"));
    hand.send(client, &subscribe("r/+/no"));
    hand.send(client, &[subscribe("r/019999"), PINGREQ.to_vec()].concat());
    while next_turn(&mut hand) {}
    let answers = hand.answers(client);
    assert_eq!(answers.last().unwrap().packet_type, PacketType::Pingresp);
    let published = answers
        .iter()
        .filter(|it| it.packet_type == PacketType::Publish);
    assert_eq!(published.count(), 1);
}

#[test]
fn a_session_that_ends_is_searched_for_no_more() {
    let mut hand = retaining(3 * TURN);
    let client = hand.connected(&Connect::new(V5, "client"));
    hand.send(client, &subscribe("r/+/no").repeat(10));
    hand.wire.borrow_mut().cut();
    hand.broker.drain(hand.now);
    let mut turns = 0;
    while next_turn(&mut hand) {
        turns += 1;
    }
    assert!(turns <= 2, "{turns}");
}

#[test]
fn a_publisher_whose_messages_go_to_many_lets_others_have_their_turn() {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    for number in 0..100 {
        let name = format!("subscriber {number}");
        let subscriber = hand.connected(&Connect::new(V5, &name));
        hand.subscribe(V5, subscriber, "t");
    }
    let publisher = hand.connected(&Connect::new(V5, "publisher"));
    let publication: &[u8] = &[0x30, 5, 0, 1, b't', 0, b'x'];
    hand.send(publisher, &[&publication.repeat(350), PINGREQ].concat());
    assert_eq!(hand.answers(publisher).len(), 0);
    let mut turns = 0;
    while next_turn(&mut hand) {
        turns += 1;
    }
    assert_eq!(turns, 350 * 100 / TURN);
    assert_eq!(count(&mut hand, publisher, PacketType::Pingresp), 1);
}
