//! Who may connect, publish and subscribe, and how those are told who may not.

use lasthop_broker::{
    Admission, Authority, BrokerCore, Client, Credentials, Identity, Refusal, TopicFilter,
};
use lasthop_contract::{ConnectionId, WakeFlag};
use lasthop_mqtt::codec::{Connack, Connect, PacketType, PublishHead, Will};
use lasthop_mqtt::{BrokerLimits, MqttBrokerConfig, Qos, Version};
use lasthop_units::{Duration, Instant};

use super::hand::Hand;

const BOTH: [Version; 2] = [Version::V3_1_1, Version::V5];

/// Ann and Bob, with their names as passwords, have what begins with their names.
#[derive(Debug)]
struct Names;

const NAMES: [&str; 2] = ["ann", "bob"];

impl Authority for Names {
    fn identify(&self, _now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal> {
        let name = credentials.user_name.ok_or(Refusal::NoCredentials)?;
        let known = NAMES.iter().position(|known| known.as_bytes() == name);
        let is_right = credentials.password == Some(name);
        let place = known.filter(|_| is_right).ok_or(Refusal::BadCredentials)?;
        // Identity 0 is anybody's.
        Ok(Identity(place as u32 + 1).into())
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        topic.starts_with(NAMES[client.identity.0 as usize - 1])
    }

    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        self.may_publish(client, filter.filter())
    }
}

fn broker() -> Hand {
    let core = BrokerCore::new(BrokerLimits::default(), Box::new(Names), WakeFlag::new());
    Hand::at(core.service(), MqttBrokerConfig::default())
}

fn named<'a>(version: Version, client_id: &'a str, name: &'a str) -> Connect<'a> {
    Connect {
        user_name: Some(name),
        password: Some(name.as_bytes()),
        ..Connect::new(version, client_id)
    }
}

fn connack(hand: &mut Hand, connect: &Connect<'_>) -> (u8, bool) {
    let connection = hand.connect(connect);
    let (bytes, has_ended) = hand.read(connection);
    let connack = Connack::read(connect.version, &bytes[2..]).unwrap();
    (connack.reason.0, has_ended)
}

fn publish(hand: &mut Hand, version: Version, by: ConnectionId, topic: &str, qos: Qos) -> Vec<u8> {
    hand.publish(version, by, topic, "x", qos);
    let answers = hand.answers(by);
    answers.into_iter().flat_map(|answer| answer.body).collect()
}

#[test]
fn connack_says_whether_credentials_are_wrong_or_missing() {
    for (version, wrong, missing) in [(Version::V3_1_1, 4, 5), (Version::V5, 0x86, 0x87)] {
        let mut hand = broker();
        for (user_name, password, code) in [
            (Some("ann"), Some(&b"ann"[..]), 0),
            (Some("ann"), Some(b"bob"), wrong),
            (Some("ann"), None, wrong),
            (Some("eve"), Some(b"eve"), wrong),
            (None, None, missing),
        ] {
            let connect = Connect {
                user_name,
                password,
                ..Connect::new(version, "c")
            };
            let told = connack(&mut hand, &connect);
            assert_eq!(told, (code, code != 0), "{user_name:?} {version:?}");
        }
    }
}

#[test]
fn suback_refuses_a_filter_that_is_not_allowed_beside_one_that_is() {
    for (version, code) in [(Version::V3_1_1, 0x80), (Version::V5, 0x87)] {
        let mut hand = broker();
        let ann = hand.connected(&named(version, "a", "ann"));
        for (filter, told) in [("bob/#", code), ("#", code), ("ann/#", 1)] {
            hand.subscribe_with(version, ann, filter, 1, 0);
            let suback = hand.answers(ann).remove(0);
            assert_eq!(suback.body.last(), Some(&told), "{filter} {version:?}");
        }
        let bob = hand.connected(&named(version, "b", "bob"));
        publish(&mut hand, version, bob, "bob/x", Qos::AtLeastOnce);
        assert!(hand.got(version, ann).is_empty());
    }
}

#[test]
fn a_publication_that_is_not_allowed_reaches_nobody_and_5_says_so() {
    let table = [
        (Version::V3_1_1, Qos::AtMostOnce, vec![]),
        (Version::V3_1_1, Qos::AtLeastOnce, vec![0, 77]),
        (Version::V3_1_1, Qos::ExactlyOnce, vec![0, 77]),
        (Version::V5, Qos::AtMostOnce, vec![]),
        (Version::V5, Qos::AtLeastOnce, vec![0, 77, 0x87]),
        (Version::V5, Qos::ExactlyOnce, vec![0, 77, 0x87]),
    ];
    for (version, qos, answer) in table {
        let mut hand = broker();
        let bob = hand.connected(&named(version, "b", "bob"));
        hand.subscribe(version, bob, "bob/#");
        hand.answers(bob);
        let ann = hand.connected(&named(version, "a", "ann"));
        assert_eq!(publish(&mut hand, version, ann, "bob/x", qos), answer);
        if qos == Qos::ExactlyOnce {
            hand.send(ann, &[0x62, 2, 0, 77]);
            let pubcomp = hand.answers(ann).remove(0);
            assert_eq!(pubcomp.packet_type, PacketType::Pubcomp);
        }
        assert!(hand.got(version, bob).is_empty(), "{version:?} {qos:?}");
        assert_eq!(hand.broker.application.counters().denied, 1);
        publish(&mut hand, version, ann, "ann/x", qos);
        assert!(hand.is_there(ann), "it goes on");
    }
}

#[test]
fn nothing_that_is_not_allowed_is_retained() {
    let mut hand = broker();
    let ann = hand.connected(&named(Version::V5, "a", "ann"));
    let head = PublishHead {
        retain: true,
        ..PublishHead::new("bob/x", Qos::AtMostOnce, 0, 1)
    };
    hand.publish_as(Version::V5, ann, head, "x");
    let bob = hand.connected(&named(Version::V5, "b", "bob"));
    hand.subscribe(Version::V5, bob, "bob/#");
    assert!(hand.got(Version::V5, bob).is_empty());
}

#[test]
fn a_will_that_is_not_allowed_is_as_none() {
    for version in BOTH {
        for (topic, count) in [("bob/will", 0), ("ann/will", 1)] {
            let mut hand = broker();
            let listener = named(version, "l", &topic[..3]);
            let listener = hand.connected(&listener);
            hand.subscribe(version, listener, topic);
            hand.answers(listener);
            let will = Will {
                topic,
                payload: b"gone",
                qos: Qos::AtLeastOnce,
                retain: false,
                delay: 0,
                message_expiry: None,
                properties: Vec::new(),
            };
            let ann = hand.connected(&Connect {
                will: Some(will),
                ..named(version, "a", "ann")
            });
            hand.finish(ann);
            assert_eq!(hand.got(version, listener).len(), count, "{topic}");
        }
    }
}

#[test]
fn nobody_takes_the_session_of_somebody_else() {
    for (version, refused) in [(Version::V3_1_1, 2), (Version::V5, 0x85)] {
        let mut hand = broker();
        let lasting = |name| Connect {
            clean_start: false,
            session_expiry: u32::MAX,
            ..named(version, "shared", name)
        };
        let ann = hand.connected(&lasting("ann"));
        hand.subscribe(version, ann, "ann/#");
        hand.answers(ann);
        let taking = [lasting("bob"), named(version, "shared", "bob")];
        for connect in &taking {
            assert_eq!(connack(&mut hand, connect), (refused, true));
        }
        assert!(hand.is_there(ann), "and she is not cut off");
        hand.finish(ann);
        hand.run_for(Duration::from_secs(1));
        for connect in &taking {
            assert_eq!(connack(&mut hand, connect), (refused, true));
        }
        let again = hand.connected_again(&lasting("ann"));
        publish(&mut hand, version, again, "ann/x", Qos::AtMostOnce);
        let sessions = hand.broker.application.session_count();
        assert_eq!(sessions, 1);
    }
}

/// The same, and who shows nothing is served as well.
#[derive(Debug)]
struct NamesAndGuests;

impl Authority for NamesAndGuests {
    fn identify(&self, now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal> {
        match credentials.user_name {
            None => Ok(Identity::ANONYMOUS.into()),
            Some(_) => Names.identify(now, credentials),
        }
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        client.identity == Identity::ANONYMOUS || Names.may_publish(client, topic)
    }

    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        self.may_publish(client, filter.filter())
    }
}

#[test]
fn a_guest_neither_takes_nor_keeps_the_client_identifier_of_a_user() {
    for (version, refused) in [(Version::V3_1_1, 2), (Version::V5, 0x85)] {
        let guests = Box::new(NamesAndGuests);
        let core = BrokerCore::new(BrokerLimits::default(), guests, WakeFlag::new());
        let mut hand = Hand::at(core.service(), MqttBrokerConfig::default());
        let lasting = |connect| Connect {
            clean_start: false,
            session_expiry: u32::MAX,
            ..connect
        };
        let guest = lasting(Connect::new(version, "meter"));
        let parked = hand.connected(&guest);
        hand.subscribe(version, parked, "ann/#");
        hand.answers(parked);
        // The user finds nothing of the guest, who is gone.
        let ann = hand.connected(&lasting(named(version, "meter", "ann")));
        assert!(hand.read(parked).1);
        let sessions = hand.broker.application.session_count();
        assert_eq!(sessions, 1);
        publish(&mut hand, version, ann, "ann/x", Qos::AtMostOnce);
        assert!(hand.answers(ann).is_empty(), "no subscription is inherited");
        assert_eq!(connack(&mut hand, &guest), (refused, true));
        assert!(hand.is_there(ann));
        // Nor is it the guest's while the user is away.
        hand.finish(ann);
        hand.run_for(Duration::from_secs(1));
        assert_eq!(connack(&mut hand, &guest), (refused, true));
    }
}
