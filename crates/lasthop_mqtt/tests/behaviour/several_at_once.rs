//! A client that comes by several connections at once: the newest is served, and nothing of the others stays or is lost.

use std::sync::Arc;

use lasthop_broker::{KeeperOutput, Message, Origin, Publication};
use lasthop_contract::ConnectionId;
use lasthop_mqtt::codec::{Connect, PacketType, Will};
use lasthop_mqtt::{Qos, Version};
use lasthop_units::Duration;

use super::hand::Hand;
use super::toy_keeper::{Toy, broker};

const BOTH: [Version; 2] = [Version::V3_1_1, Version::V5];
const EIGHT: core::ops::Range<usize> = 0..8;
const TAKEN_OVER: u8 = 0x8E;

/// A CONNECT of the one client, with a will.
fn coming(version: Version, will: &str) -> Connect<'_> {
    Connect {
        will: Some(Will {
            topic: will,
            payload: b"gone",
            qos: Qos::AtLeastOnce,
            retain: false,
            delay: 0,
            message_expiry: None,
            properties: Vec::new(),
        }),
        ..Connect::new(version, "c")
    }
}

/// The keeper tells the client something, to be retained.
fn tell(toy: &Toy, hand: &mut Hand, payload: &[u8]) {
    let publication = Publication {
        topic: "config",
        payload,
        properties: &[],
        qos: Qos::AtLeastOnce,
        retain: true,
        expires_at: None,
        id: None,
        origin: Origin::Gone,
    };
    toy.say(
        hand,
        KeeperOutput::Publish(Arc::new(Message::from(&publication))),
    );
}

fn pubacks(hand: &mut Hand, connection: ConnectionId) -> usize {
    let answers = hand.answers(connection);
    let pubacks = answers
        .iter()
        .filter(|it| it.packet_type == PacketType::Puback);
    pubacks.count()
}

#[test]
fn of_eight_that_come_at_once_the_newest_is_served_and_each_other_leaves_its_will() {
    for version in BOTH {
        let (toy, mut hand) = broker();
        let names: Vec<[String; 2]> = EIGHT
            .map(|it| [format!("w{it}"), format!("e{it}")])
            .collect();
        // All have a connection before the first says who it is.
        let all: Vec<ConnectionId> = EIGHT.map(|_| hand.open()).collect();
        for ([will, event], connection) in names.iter().zip(&all) {
            hand.send(*connection, &coming(version, will).write());
            hand.subscribe(version, *connection, "config");
            hand.publish(version, *connection, event, "x", Qos::AtLeastOnce);
        }
        let mut expected = vec!["c e0".to_owned()];
        for number in 1..8 {
            expected.extend([format!("c w{}", number - 1), format!("c e{number}")]);
        }
        assert_eq!(toy.inner.borrow().taken, expected, "{version:?}");
        let (newest, others) = all.split_last().unwrap();
        for connection in others {
            let (bytes, has_ended) = hand.read(*connection);
            assert!(has_ended, "{version:?}");
            let told = bytes
                .windows(3)
                .any(|it| it[0] == 0xE0 && it[2] == TAKEN_OVER);
            assert_eq!(told, version == Version::V5, "{bytes:?}");
        }
        hand.answers(*newest);
        // What the others published is kept, and they alone could have been told.
        for ticket in 1..=15 {
            toy.settle(&mut hand, ticket, Ok(()));
        }
        assert_eq!(pubacks(&mut hand, *newest), 1, "{version:?}");
        tell(&toy, &mut hand, b"slow");
        let got = hand.got(version, *newest);
        assert_eq!(got.len(), 1, "one subscription, {got:?}");
        // Whoever does not close is cut off, and nobody is left behind.
        hand.run_for(Duration::from_secs(61));
        for connection in others {
            assert!(!hand.is_there(*connection), "{version:?}");
        }
    }
}

#[test]
fn a_session_that_lasts_goes_on_with_each_that_takes_it_over() {
    for version in BOTH {
        let (toy, mut hand) = broker();
        let connect = Connect {
            clean_start: false,
            session_expiry: 3600,
            ..Connect::new(version, "c")
        };
        let mut newest = hand.connected_again(&connect);
        hand.subscribe(version, newest, "config");
        tell(&toy, &mut hand, b"first");
        for _ in EIGHT {
            // It was told and did not say that it heard: it is told again, by the newest connection alone.
            let before = newest;
            newest = hand.connect(&connect);
            let answers = hand.answers(newest);
            assert_eq!(answers[0].body[..2], [1, 0], "a session is present");
            assert_eq!(answers[1].packet_type, PacketType::Publish, "{version:?}");
            assert!(hand.read(before).1);
        }
        tell(&toy, &mut hand, b"second");
        assert_eq!(hand.got(version, newest).len(), 1, "{version:?}");
    }
}

#[test]
fn clients_that_evict_each_other_for_long_lose_nothing_that_was_acknowledged() {
    const ROUNDS: u64 = 400;
    const LATE_BY: u64 = 3;
    for version in BOTH {
        let (toy, mut hand) = broker();
        let mut acknowledged = 0;
        let mut all = Vec::new();
        for round in 1..=ROUNDS {
            let connection = hand.connected(&Connect::new(version, "c"));
            let event = format!("e{round}");
            hand.publish(version, connection, &event, "x", Qos::AtLeastOnce);
            // Every tenth is served for long enough.
            if round % 10 == 0 {
                for ticket in round.saturating_sub(9)..=round {
                    toy.settle(&mut hand, ticket, Ok(()));
                }
                acknowledged += pubacks(&mut hand, connection);
            } else if round > LATE_BY {
                toy.settle(&mut hand, round - LATE_BY, Ok(()));
                assert_eq!(pubacks(&mut hand, connection), 0, "of another's message");
            }
            all.push(connection);
            hand.run_for(Duration::from_millis(500));
        }
        assert_eq!(acknowledged as u64, ROUNDS / 10);
        assert_eq!(toy.inner.borrow().taken.len() as u64, ROUNDS);
        // Those that never close take a place for a short time only.
        let mut there = 0;
        for connection in &all {
            there += usize::from(hand.is_there(*connection));
        }
        assert!(there < 150, "{there}");
    }
}

#[test]
fn a_will_is_kept_unless_its_client_or_its_server_said_good_bye() {
    for version in BOTH {
        for (ends, is_kept) in [
            ("by a loss", true),
            ("by a word", false),
            ("by a stop", false),
        ] {
            let (toy, mut hand) = broker();
            let client = hand.connected(&coming(version, "w"));
            match ends {
                "by a loss" => hand.finish(client),
                "by a word" => hand.send(client, &[0xE0, 0]),
                _ => hand.stop(),
            }
            let taken = toy.inner.borrow().taken.len();
            assert_eq!(taken, usize::from(is_kept), "{version:?} {ends}");
        }
    }
}

#[test]
fn a_will_that_waits_is_not_kept_where_its_session_goes_on() {
    for (returns_after, wills) in [(5, 0), (15, 1)] {
        let (toy, mut hand) = broker();
        let mut connect = coming(Version::V5, "w");
        connect.session_expiry = 3600;
        connect.clean_start = false;
        if let Some(will) = &mut connect.will {
            will.delay = 10;
        }
        let client = hand.connected_again(&connect);
        hand.finish(client);
        hand.run_for(Duration::from_secs(returns_after));
        connect.will = None;
        hand.connected_again(&connect);
        hand.run_for(Duration::from_secs(60));
        assert_eq!(toy.inner.borrow().taken.len(), wills, "{returns_after}");
    }
}

/// MQTT-3.2.2-12.
#[test]
fn a_will_of_a_qos_that_is_not_served_is_refused() {
    let (_toy, mut hand) = broker();
    let mut connect = coming(Version::V5, "w");
    if let Some(will) = &mut connect.will {
        will.qos = Qos::ExactlyOnce;
    }
    let client = hand.connect(&connect);
    let (bytes, has_ended) = hand.read(client);
    assert_eq!((bytes[3], has_ended), (0x9B, true));
}

#[test]
fn who_is_sent_away_for_good_leaves_no_session() {
    for version in BOTH {
        for is_connected in [true, false] {
            let (toy, mut hand) = broker();
            let connect = Connect {
                clean_start: false,
                session_expiry: u32::MAX,
                ..Connect::new(version, "c")
            };
            let client = hand.connected_again(&connect);
            hand.subscribe(version, client, "config");
            if !is_connected {
                hand.finish(client);
            }
            toy.say(&mut hand, KeeperOutput::Disconnect("c".into()));
            assert!(hand.read(client).1);
            tell(&toy, &mut hand, b"secret");
            // Another may have the name now.
            toy.inner.borrow_mut().identity = 2;
            let other = hand.connect(&connect);
            let answers = hand.answers(other);
            assert_eq!(answers.len(), 1, "{version:?} {answers:?}");
            assert_eq!(answers[0].body[..2], [0, 0], "no session is present");
        }
    }
}
