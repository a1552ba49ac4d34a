//! PUBLISH behind CONNECT, before CONNACK has come.

use lasthop_contract::{ChannelSet, MessageEvent};
use lasthop_mqtt::codec::{Connack, PacketType, ReasonCode};
use lasthop_mqtt::{MqttBrokerConfig, MqttClientConfig, Presence, Qos, Version};
use lasthop_units::Duration;

use super::hand_broker::HandBroker;
use super::world::{World, client_config};

const VERSIONS: [Version; 2] = [Version::V3_1_1, Version::V5];
const ALL_QOS: [Qos; 3] = [Qos::AtMostOnce, Qos::AtLeastOnce, Qos::ExactlyOnce];

fn pipelining(version: Version, qos: Qos) -> MqttClientConfig {
    MqttClientConfig {
        connect_pipelining: true,
        ..client_config(version, qos)
    }
}

/// How often each message was sent.
fn attempts(hand: &HandBroker) -> Vec<u16> {
    let events = hand.client.events.iter();
    let sent = events.filter_map(|event| match event {
        MessageEvent::Transmitted { attempt, .. } => Some(*attempt),
        _ => None,
    });
    sent.collect()
}

#[test]
fn publish_leaves_behind_connect_and_once() {
    for version in VERSIONS {
        for qos in ALL_QOS {
            for session_present in [false, true] {
                let mut hand = HandBroker::new(pipelining(version, qos));
                hand.send_up(1);
                hand.send_up(2);
                let (connect, publish) = (PacketType::Connect, PacketType::Publish);
                assert_eq!(hand.kinds(), [connect, publish, publish], "{qos:?}");
                if version == Version::V5 && session_present {
                    // MQTT-3.2.2-4: the client knows of no session.
                    continue;
                }
                hand.connack(&Connack::new(session_present, ReasonCode::SUCCESS));
                assert_eq!(hand.kinds(), [], "{version:?} {qos:?}");
                assert_eq!(attempts(&hand), [1, 1]);
                hand.send_up(3);
                assert_eq!(hand.kinds(), [publish]);
            }
        }
    }
}

#[test]
fn a_client_that_waits_sends_connect_alone() {
    for qos in [Qos::AtLeastOnce, Qos::ExactlyOnce] {
        let mut hand = HandBroker::new(client_config(Version::V5, qos));
        hand.send_up(1);
        assert_eq!(hand.kinds(), [PacketType::Connect]);
    }
}

#[test]
fn no_more_leave_than_may_be_in_flight() {
    let config = MqttClientConfig {
        max_in_flight: 2,
        ..pipelining(Version::V5, Qos::AtLeastOnce)
    };
    let mut hand = HandBroker::new(config);
    for number in 1..=5 {
        hand.send_up(number);
    }
    assert_eq!(hand.kinds().len(), 1 + 2);
    hand.accept();
    hand.send(&[0x40, 2, 0, 1]);
    assert_eq!(hand.kinds(), [PacketType::Publish]);
}

/// What an earlier connection left in flight goes as the broker's CONNACK says, with all else behind it.
#[test]
fn what_is_in_flight_waits_for_connack() {
    for (session_present, dup) in [(true, 0x3a), (false, 0x32)] {
        let mut hand = HandBroker::new(pipelining(Version::V5, Qos::AtLeastOnce));
        hand.send_up(1);
        hand.accept();
        hand.cut();
        hand.send_up(2);
        hand.run_for(Duration::from_secs(2));
        assert_eq!(hand.kinds(), [PacketType::Connect]);
        hand.connack(&Connack::new(session_present, ReasonCode::SUCCESS));
        let (bytes, _) = hand.read();
        assert_eq!(bytes[0], dup);
        assert_eq!(attempts(&hand), [1, 2, 1]);
    }
}

/// What went behind a CONNECT that was refused is sent again.
#[test]
fn a_refused_connect_loses_nothing_that_is_to_be_acknowledged() {
    for clean_start in [false, true] {
        let config = MqttClientConfig {
            clean_start,
            ..pipelining(Version::V3_1_1, Qos::AtLeastOnce)
        };
        let mut hand = HandBroker::new(config);
        hand.send_up(1);
        hand.read();
        hand.connack(&Connack::new(false, ReasonCode::SERVER_UNAVAILABLE));
        hand.finish();
        hand.run_for(Duration::from_secs(62));
        assert!(hand.opened.len() > 1);
        hand.accept();
        hand.send(&[0x40, 2, 0, 1]);
        let events = &hand.client.events;
        assert!(
            events
                .iter()
                .any(|it| matches!(it, MessageEvent::Acknowledged { .. }))
        );
        assert_eq!(attempts(&hand), [1, 2]);
    }
}

/// SUBSCRIBE goes before PUBLISH, so that no answer is missed.
#[test]
fn a_subscription_leaves_behind_connect_too() {
    let config = MqttClientConfig {
        subscribes: ChannelSet::ALL,
        ..pipelining(Version::V5, Qos::AtLeastOnce)
    };
    let mut hand = HandBroker::new(config);
    hand.send_up(1);
    let kinds = hand.kinds();
    assert_eq!(kinds[..2], [PacketType::Connect, PacketType::Subscribe]);
    assert_eq!(kinds[2], PacketType::Publish);
}

/// The broker takes what comes behind CONNECT, and nothing behind one that it refuses (MQTT-3.1.4-5).
#[test]
fn a_broker_takes_what_comes_behind_connect() {
    for version in VERSIONS {
        for qos in ALL_QOS {
            let config = MqttClientConfig {
                presence: Presence::OnDemand,
                clean_start: true,
                session_expiry: Some(Duration::ZERO),
                ..pipelining(version, qos)
            };
            let broker = MqttBrokerConfig {
                is_destination: true,
                ..MqttBrokerConfig::default()
            };
            let mut world = World::new(config, broker, 1);
            world.settle();
            for number in 1..=3 {
                world.send_up(number);
                world.settle();
                assert_eq!(world.wire.borrow().connections(), 0, "{version:?} {qos:?}");
                assert_eq!(world.broker.received.len(), number as usize);
            }
            assert_eq!(world.broker.application.session_count(), 0);
        }
    }
}
