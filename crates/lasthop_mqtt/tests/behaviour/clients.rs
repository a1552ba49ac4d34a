//! How a client keeps its connection, its session and its accounts.

use lasthop_contract::{Cause, ChannelSet, FailureReason, MessageEvent, Provenance};
use lasthop_mqtt::codec::{Connack, Frame, PacketType, Publish, ReasonCode};
use lasthop_mqtt::{
    MqttBrokerConfig, MqttClientConfig, Presence, Qos, Reconnect, Silence, Version,
};
use lasthop_units::{Duration, Instant};

use super::hand_broker::HandBroker;
use super::world::{World, client_config, id};

const V5: Version = Version::V5;
const SUCCESS: ReasonCode = ReasonCode::SUCCESS;

/// MQTT-3.1.2-20: PINGREQ after the keep alive since the last packet.
#[test]
fn a_silent_client_pings_and_a_busy_one_does_not() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtMostOnce));
    hand.accept();
    hand.run_for(Duration::from_secs(59));
    assert!(hand.kinds().is_empty());
    hand.run_for(Duration::from_secs(1));
    assert_eq!(hand.kinds(), [PacketType::Pingreq]);
    hand.send(&[0xd0, 0]);
    for number in 1..=10 {
        hand.run_for(Duration::from_secs(50));
        hand.send_up(number);
    }
    assert_eq!(hand.kinds(), [PacketType::Publish; 10]);
}

#[test]
fn a_client_whose_ping_is_not_answered_comes_by_another_connection() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtMostOnce));
    hand.accept();
    hand.run_for(Duration::from_secs(119));
    assert_eq!(hand.opened.len(), 1);
    hand.run_for(Duration::from_secs(2));
    assert_eq!(hand.opened.len(), 2);
}

/// As libmosquitto and paho do; by its own silence alone it goes on for ever.
#[test]
fn who_only_sends_learns_of_a_dead_path_where_the_silence_of_the_broker_counts() {
    for (ping_after, connections, pings) in [(Silence::Own, 1, 0), (Silence::Any, 2, 1)] {
        let mut hand = HandBroker::new(MqttClientConfig {
            ping_after,
            ..client_config(Version::V3_1_1, Qos::AtMostOnce)
        });
        hand.accept();
        let mut heard = Vec::new();
        for number in 1..=11 {
            hand.run_for(Duration::from_secs(10));
            hand.send_up(number);
            heard.extend(hand.kinds());
        }
        let is_ping = |kind: &&PacketType| **kind == PacketType::Pingreq;
        assert_eq!(heard.iter().filter(is_ping).count(), pings);
        // The ping went after 60 s, and its answer may take as long.
        assert_eq!(hand.opened.len(), 1);
        hand.run_for(Duration::from_secs(12));
        assert_eq!(hand.opened.len(), connections);
    }
}

#[test]
fn an_answer_to_a_ping_ends_the_silence_of_the_broker() {
    let mut hand = HandBroker::new(MqttClientConfig {
        ping_after: Silence::Any,
        ..client_config(Version::V5, Qos::AtMostOnce)
    });
    hand.accept();
    let mut pings = 0;
    for number in 1..=30 {
        hand.run_for(Duration::from_secs(10));
        hand.send_up(number);
        if hand.kinds().contains(&PacketType::Pingreq) {
            pings += 1;
            hand.send(&[0xd0, 0]);
        }
    }
    assert_eq!((hand.opened.len(), pings), (1, 5));
}

#[test]
fn the_broker_may_set_the_keep_alive() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtMostOnce));
    let connack = Connack {
        server_keep_alive: Some(7),
        ..Connack::new(false, SUCCESS)
    };
    hand.connack(&connack);
    hand.read();
    hand.run_for(Duration::from_secs(7));
    assert_eq!(hand.kinds(), [PacketType::Pingreq]);
}

#[test]
fn without_keep_alive_a_client_sleeps() {
    let config = MqttClientConfig {
        keep_alive_seconds: 0,
        ..client_config(V5, Qos::AtMostOnce)
    };
    let mut hand = HandBroker::new(config);
    assert_eq!(&hand.read().0[10..12], [0, 0]);
    hand.accept();
    assert_eq!(hand.client.deadline, None);
}

/// The n-th wait is between half of min(2^n first, longest) and all of it, and differs between devices.
#[test]
fn waits_between_connections_grow_and_are_spread() {
    let config = MqttClientConfig {
        reconnect: Reconnect {
            first: Duration::from_secs(1),
            longest: Duration::from_secs(8),
        },
        connect_timeout: Duration::from_secs(5),
        ..client_config(V5, Qos::AtMostOnce)
    };
    let mut firsts = Vec::new();
    for seed in 0..20 {
        let mut hand = HandBroker::with_seed(config.clone(), seed);
        hand.run_for(Duration::from_secs(100));
        let times: Vec<Instant> = hand.opened.iter().map(|(at, _)| *at).collect();
        let limits = [1, 2, 4, 8, 8, 8];
        for (pair, limit) in times.windows(2).zip(limits) {
            let wait = (pair[1] - pair[0]).as_secs_f64() - 5.0;
            let limit = f64::from(limit);
            assert!((limit / 2.0..=limit).contains(&wait), "{wait} of {limit}");
        }
        firsts.push(times[1]);
    }
    firsts.sort();
    firsts.dedup();
    assert_eq!(firsts.len(), 20);
}

#[test]
fn a_success_begins_the_waits_anew() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtMostOnce));
    for _ in 0..5 {
        hand.cut();
        hand.run_for(Duration::from_secs(61));
    }
    hand.accept();
    let cut = hand.now;
    hand.cut();
    hand.run_for(Duration::from_secs(2));
    let (opened, _) = hand.opened[hand.opened.len() - 1];
    assert!(opened - cut <= Duration::from_secs(1));
}

#[test]
fn a_client_that_is_refused_tries_again() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtMostOnce));
    hand.connack(&Connack::new(false, ReasonCode::SERVER_UNAVAILABLE));
    hand.finish();
    hand.read();
    assert!(hand.client.ready.is_empty());
    hand.run_for(Duration::from_secs(2));
    assert_eq!(hand.opened.len(), 2);
}

/// §4.9: no more in flight than the broker takes.
#[test]
fn the_receive_maximum_of_a_broker_is_kept() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtLeastOnce));
    let connack = Connack {
        receive_maximum: 3,
        ..Connack::new(false, SUCCESS)
    };
    hand.connack(&connack);
    hand.read();
    for number in 1..=10 {
        hand.send_up(number);
    }
    assert_eq!(hand.kinds().len(), 3);
    hand.send(&[0x40, 2, 0, 2]);
    assert_eq!(hand.kinds().len(), 1);
}

#[test]
fn the_maximum_qos_and_packet_size_of_a_broker_are_kept() {
    let mut hand = HandBroker::new(client_config(V5, Qos::ExactlyOnce));
    // Maximum QoS 1, maximum packet size 40: one byte too few for a message of 40 bytes.
    hand.send(&[0x20, 10, 0, 0, 7, 36, 1, 39, 0, 0, 0, 40]);
    hand.read();
    hand.send_up(1);
    assert!(hand.kinds().is_empty());
    let failed = MessageEvent::Failed {
        id: id(1),
        reason: FailureReason::TooLarge,
    };
    assert_eq!(hand.client.events, [failed]);
    let mut hand = HandBroker::new(client_config(V5, Qos::ExactlyOnce));
    hand.send(&[0x20, 5, 0, 0, 2, 36, 1]);
    hand.read();
    hand.send_up(1);
    let (bytes, _) = hand.read();
    assert_eq!(bytes[0], 0x32, "QoS 1");
}

/// MQTT-3.2.2-5: what the broker has forgotten goes as new messages; the accounts count on.
#[test]
fn a_lost_session_sends_what_was_in_flight_as_new() {
    let mut hand = HandBroker::new(client_config(V5, Qos::AtLeastOnce));
    hand.accept();
    hand.send_up(1);
    hand.cut();
    hand.send_up(2);
    hand.run_for(Duration::from_secs(2));
    hand.read();
    hand.connack(&Connack::new(false, SUCCESS));
    let (bytes, _) = hand.read();
    let mut rest = &bytes[..];
    for (packet_id, number) in [(1, 1), (2, 2)] {
        let frame = Frame::split(rest, usize::MAX).unwrap().unwrap();
        let publish = Publish::read(V5, &frame).unwrap();
        assert_eq!((publish.dup, publish.packet_id), (false, packet_id));
        assert_eq!(publish.payload, super::world::payload(number));
        rest = &rest[frame.length..];
    }
    let attempts: Vec<u16> = hand
        .client
        .events
        .iter()
        .filter_map(|event| match event {
            MessageEvent::Transmitted { attempt, last, .. } => {
                assert!(!last);
                Some(*attempt)
            }
            _ => None,
        })
        .collect();
    assert_eq!(attempts, [1, 2, 1]);
}

/// MQTT-3.3.1-1, MQTT-4.4.0-1: DUP and the same identifier, or PUBREL where PUBREC has come.
#[test]
fn what_is_in_flight_is_sent_again_on_the_next_connection() {
    for (qos, first) in [(Qos::AtLeastOnce, 0x3a), (Qos::ExactlyOnce, 0x3c)] {
        let mut hand = HandBroker::new(client_config(V5, qos));
        hand.accept();
        hand.send_up(1);
        let (sent, _) = hand.read();
        assert_eq!(sent[0], first & !8, "no repetition yet");
        hand.cut();
        hand.run_for(Duration::from_secs(2));
        hand.read();
        hand.connack(&Connack::new(true, SUCCESS));
        let (again, _) = hand.read();
        assert_eq!(again, [&[first], &sent[1..]].concat());
        if qos == Qos::ExactlyOnce {
            hand.send(&[0x50, 2, 0, 1]);
            hand.read();
            hand.cut();
            hand.run_for(Duration::from_secs(2));
            hand.read();
            hand.connack(&Connack::new(true, SUCCESS));
            assert_eq!(hand.read().0, [0x62, 2, 0, 1]);
        }
    }
}

#[test]
fn a_client_on_demand_is_connected_while_it_has_messages() {
    for version in [Version::V3_1_1, V5] {
        for qos in [Qos::AtMostOnce, Qos::AtLeastOnce, Qos::ExactlyOnce] {
            let config = MqttClientConfig {
                presence: Presence::OnDemand,
                clean_start: true,
                session_expiry: Some(Duration::ZERO),
                ..client_config(version, qos)
            };
            let broker = MqttBrokerConfig {
                is_destination: true,
                ..MqttBrokerConfig::default()
            };
            let mut world = World::new(config, broker, 1);
            world.settle();
            assert_eq!(world.wire.borrow().connections(), 0);
            for number in 1..=2 {
                world.send_up(number);
                assert_eq!(world.wire.borrow().connections(), 1);
                world.settle();
                assert_eq!(world.wire.borrow().connections(), 0, "{version:?} {qos:?}");
                assert_eq!(world.broker.received.len(), number as usize);
            }
            assert_eq!(world.broker.application.session_count(), 0);
            world.run_for(Duration::from_secs(1000));
            assert_eq!(world.wire.borrow().connections(), 0);
            assert_eq!((world.client.deadline, world.broker.deadline), (None, None));
        }
    }
}

/// The first message takes its topic and the number, the next ones the number alone.
#[test]
fn a_topic_alias_saves_the_topic() {
    let mut config = client_config(V5, Qos::AtMostOnce);
    config.topic_alias = true;
    let mut hand = HandBroker::new(config);
    let connack = Connack {
        topic_alias_maximum: 1,
        ..Connack::new(false, SUCCESS)
    };
    hand.connack(&connack);
    hand.read();
    for (number, topic) in [(1, "device/7"), (2, ""), (3, "")] {
        hand.send_up(number);
        let (bytes, _) = hand.read();
        let frame = Frame::split(&bytes, usize::MAX).unwrap().unwrap();
        let publish = Publish::read(V5, &frame).unwrap();
        assert_eq!((publish.topic, publish.topic_alias), (topic, 1));
    }
}

/// Every byte has the layer's cause, and those of a message its identity.
#[test]
fn the_ledger_tells_what_bytes_are_for() {
    let mut config = client_config(Version::V3_1_1, Qos::ExactlyOnce);
    config.subscribes = ChannelSet::of(0);
    let mut world = World::new(config, MqttBrokerConfig::default(), 1);
    world.send_up(1);
    world.run_for(Duration::from_secs(60));
    let wire = world.wire.borrow();
    let sums = |end: usize| {
        let mut sums: Vec<(Cause, bool, usize)> = Vec::new();
        for (Provenance { cause, message, .. }, bytes) in &wire.written[end] {
            let key = (*cause, message.is_some());
            match sums
                .iter_mut()
                .find(|(cause, known, _)| (*cause, *known) == key)
            {
                Some((_, _, sum)) => *sum += bytes.len(),
                None => sums.push((key.0, key.1, bytes.len())),
            }
        }
        sums
    };
    let expected_up = [
        // CONNECT 22, SUBSCRIBE 15.
        (Cause::SessionSetUp, false, 37),
        // Fixed header 2, topic 10, packet identifier 2.
        (Cause::Header, true, 14),
        (Cause::Payload, true, 40),
        // PUBREL; PUBREC and PUBCOMP for what comes back.
        (Cause::Acknowledgement, true, 12),
        (Cause::KeepAlive, false, 2),
    ];
    assert_eq!(sums(0), expected_up);
    let expected_down = [
        // CONNACK 4, SUBACK 5.
        (Cause::SessionSetUp, false, 9),
        (Cause::Acknowledgement, true, 12),
        (Cause::Header, true, 14),
        (Cause::Payload, true, 40),
        (Cause::KeepAlive, false, 2),
    ];
    assert_eq!(sums(1), expected_down);
}

#[test]
fn a_repetition_is_a_further_copy_in_the_ledger() {
    let broker = MqttBrokerConfig::default();
    let mut world = World::new(client_config(Version::V3_1_1, Qos::AtLeastOnce), broker, 1);
    world.send_up(1);
    world.cut();
    world.run_for(Duration::from_secs(2));
    let wire = world.wire.borrow();
    let copies = wire.written[0]
        .iter()
        .filter(|(provenance, _)| provenance.cause == Cause::Retransmission);
    let length: usize = copies.map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(length, 14 + 40, "the whole packet");
    assert_eq!(world.client.acknowledged(), [1]);
}
