//! Publications that are acknowledged once somebody has them, and clients that are served for as long as their credentials
//! are worth something.

use lasthop_broker::{KeeperOutput, Message, NotKept, Origin, Publication};
use lasthop_mqtt::codec::{Connect, PacketType};
use lasthop_mqtt::{Qos, Version};
use lasthop_units::Duration;

use super::hand::Answer;
use super::toy_keeper::broker;

const BOTH: [Version; 2] = [Version::V3_1_1, Version::V5];

fn types(answers: &[Answer]) -> Vec<PacketType> {
    answers.iter().map(|answer| answer.packet_type).collect()
}

#[test]
fn a_publication_is_acknowledged_once_it_is_kept() {
    for version in BOTH {
        let (toy, mut hand) = broker();
        let client = hand.connected(&Connect::new(version, "c"));
        for topic in ["a", "b", "c"] {
            hand.publish(version, client, topic, "x", Qos::AtLeastOnce);
        }
        hand.publish(version, client, "d", "x", Qos::AtMostOnce);
        assert_eq!(hand.answers(client), []);
        assert_eq!(toy.inner.borrow().taken, ["c a", "c b", "c c", "c d"]);
        for ticket in [1, 2, 4] {
            toy.settle(&mut hand, ticket, Ok(()));
        }
        let answers = hand.answers(client);
        assert_eq!(types(&answers), [PacketType::Puback; 2], "{version:?}");
        // Nobody is told twice, or of what nobody knows.
        toy.settle(&mut hand, 1, Ok(()));
        toy.settle(&mut hand, 77, Ok(()));
        assert_eq!(hand.answers(client), []);
        toy.settle(&mut hand, 3, Ok(()));
        assert_eq!(types(&hand.answers(client)), [PacketType::Puback]);
    }
}

#[test]
fn what_is_not_kept_is_never_acknowledged() {
    let reasons = [
        (NotKept::Denied, 0x87),
        (NotKept::Limit, 0x97),
        (NotKept::Failed, 0x80),
    ];
    for ((why, code), is_late) in reasons.into_iter().flat_map(|it| [(it, false), (it, true)]) {
        for version in BOTH {
            let (toy, mut hand) = broker();
            let client = hand.connected(&Connect::new(version, "c"));
            toy.inner.borrow_mut().refuses = (!is_late).then_some(why);
            hand.publish(version, client, "a", "x", Qos::AtLeastOnce);
            if is_late {
                toy.settle(&mut hand, 1, Err(why));
            }
            let (bytes, has_ended) = hand.read(client);
            match version {
                Version::V3_1_1 => assert!(bytes.is_empty() && has_ended, "{bytes:?}"),
                Version::V5 => assert_eq!((bytes[0], bytes[4], has_ended), (0x40, code, false)),
            }
        }
    }
}

#[test]
fn who_has_gone_is_told_nothing_and_nobody_in_its_place() {
    let (toy, mut hand) = broker();
    let client = hand.connected(&Connect::new(Version::V5, "c"));
    hand.publish(Version::V5, client, "a", "x", Qos::AtLeastOnce);
    hand.finish(client);
    let other = hand.connected(&Connect::new(Version::V5, "other"));
    toy.settle(&mut hand, 1, Ok(()));
    assert_eq!(hand.answers(other), []);
}

#[test]
fn qos_2_is_neither_taken_nor_granted() {
    for version in BOTH {
        let (toy, mut hand) = broker();
        let client = hand.connected(&Connect::new(version, "c"));
        hand.subscribe(version, client, "a/#");
        let granted = hand.answers(client);
        assert_eq!(granted[0].body.last(), Some(&1));
        hand.publish(version, client, "b", "x", Qos::ExactlyOnce);
        assert!(hand.read(client).1, "the connection has ended");
        assert!(toy.inner.borrow().taken.is_empty());
    }
}

#[test]
fn the_keeper_speaks_to_clients_and_sends_them_away() {
    let (toy, mut hand) = broker();
    let client = hand.connected(&Connect::new(Version::V3_1_1, "c"));
    hand.subscribe(Version::V3_1_1, client, "a/#");
    let publication = Publication {
        topic: "a/b",
        payload: b"slow",
        properties: &[],
        qos: Qos::AtLeastOnce,
        retain: true,
        expires_at: None,
        id: None,
        origin: Origin::Gone,
    };
    let message = std::sync::Arc::new(Message::from(&publication));
    toy.say(&mut hand, KeeperOutput::Publish(message));
    let got = hand.got(Version::V3_1_1, client);
    assert_eq!((&*got[0].topic, &*got[0].payload), ("a/b", "slow"));
    toy.say(&mut hand, KeeperOutput::Disconnect("nobody".into()));
    assert!(!hand.read(client).1);
    toy.say(&mut hand, KeeperOutput::Disconnect("c".into()));
    assert!(hand.read(client).1);
}

#[test]
fn a_connection_ends_with_what_its_client_showed() {
    for version in BOTH {
        for keep_alive in [0, 4] {
            let (_toy, mut hand) = broker();
            let connect = Connect {
                keep_alive,
                ..Connect::new(version, "c")
            };
            let client = hand.connected(&connect);
            for _ in 0..9 {
                hand.run_for(Duration::from_secs(1));
                hand.send(client, &[0xC0, 0]);
            }
            assert!(!hand.read(client).1);
            hand.run_for(Duration::from_secs(1));
            hand.broker.drain(hand.now);
            let (bytes, has_ended) = hand.read(client);
            assert!(has_ended);
            // MQTT 5 says why: DISCONNECT, not authorized.
            let told = bytes.ends_with(&[0x87]) || bytes.ends_with(&[0x87, 0]);
            assert_eq!(told, version == Version::V5, "{bytes:?}");
        }
    }
}

#[test]
fn who_may_have_less_keeps_what_it_may_have() {
    let (toy, mut hand) = broker();
    let client = hand.connected(&Connect::new(Version::V3_1_1, "c"));
    for filter in ["a/#", "b"] {
        hand.subscribe(Version::V3_1_1, client, filter);
        hand.answers(client);
    }
    toy.inner.borrow_mut().forbidden = Some("b".into());
    toy.say(&mut hand, KeeperOutput::Reconsider("nobody".into()));
    toy.say(&mut hand, KeeperOutput::Reconsider("c".into()));
    for (topic, comes) in [("b", false), ("a/b", true)] {
        let publication = Publication {
            topic,
            payload: b"x",
            properties: &[],
            qos: Qos::AtLeastOnce,
            retain: false,
            expires_at: None,
            id: None,
            origin: Origin::Gone,
        };
        let message = std::sync::Arc::new(Message::from(&publication));
        toy.say(&mut hand, KeeperOutput::Publish(message));
        assert_eq!(
            !hand.got(Version::V3_1_1, client).is_empty(),
            comes,
            "{topic}"
        );
    }
}

#[test]
fn the_keeper_ends_a_connection_and_leaves_the_session() {
    let (toy, mut hand) = broker();
    let connect = Connect {
        clean_start: false,
        ..Connect::new(Version::V3_1_1, "c")
    };
    let client = hand.connected(&connect);
    hand.subscribe(Version::V3_1_1, client, "a/#");
    toy.say(&mut hand, KeeperOutput::End("nobody".into()));
    assert!(!hand.read(client).1);
    toy.say(&mut hand, KeeperOutput::End("c".into()));
    assert!(hand.read(client).1);
    let again = hand.connected(&connect);
    let publication = Publication {
        topic: "a/b",
        payload: b"slow",
        properties: &[],
        qos: Qos::AtLeastOnce,
        retain: false,
        expires_at: None,
        id: None,
        origin: Origin::Gone,
    };
    let message = std::sync::Arc::new(Message::from(&publication));
    toy.say(&mut hand, KeeperOutput::Publish(message));
    let got = hand.got(Version::V3_1_1, again);
    assert_eq!((&*got[0].topic, &*got[0].payload), ("a/b", "slow"));
}
