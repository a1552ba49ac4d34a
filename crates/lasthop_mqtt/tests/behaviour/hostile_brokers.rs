//! What a client does with bytes that no broker should send. Each case holds whole and in single bytes.

use lasthop_contract::{ChannelSet, RandomStream};
use lasthop_mqtt::codec::{Connack, ReasonCode};
use lasthop_mqtt::{MqttClientConfig, Qos, Version};
use lasthop_units::Duration;

use super::hand_broker::HandBroker;
use super::world::client_config;

const MALFORMED: u8 = 0x81;
const PROTOCOL: u8 = 0x82;

fn config(version: Version) -> MqttClientConfig {
    MqttClientConfig {
        subscribes: ChannelSet::of(0),
        topic_alias: true,
        receive_maximum: 3,
        ..client_config(version, Qos::ExactlyOnce)
    }
}

/// After CONNACK and SUBACK of MQTT 5: the reason code with which the client closes.
fn when_ready() -> Vec<(&'static str, Vec<u8>, u8)> {
    vec![
        ("the reserved type 0", vec![0x00, 0], MALFORMED),
        (
            "a second CONNACK [3.2.0-2]",
            vec![0x20, 3, 0, 0, 0],
            PROTOCOL,
        ),
        ("a CONNECT", vec![0x10, 0], PROTOCOL),
        ("a SUBSCRIBE", vec![0x82, 0], PROTOCOL),
        ("a PINGREQ", vec![0xc0, 0], PROTOCOL),
        (
            "a SUBACK that nobody waits for",
            vec![0x90, 4, 0, 1, 0, 0],
            PROTOCOL,
        ),
        ("an AUTH without a method", vec![0xf0, 0], PROTOCOL),
        ("PINGRESP with a body", vec![0xd0, 1, 0], MALFORMED),
        (
            "PUBLISH of QoS 3",
            vec![0x36, 6, 0, 1, b'a', 0, 1, 0],
            MALFORMED,
        ),
        (
            "a topic of ill-formed UTF-8",
            vec![0x30, 4, 0, 1, 0xff, 0],
            MALFORMED,
        ),
        ("a topic with #", vec![0x30, 4, 0, 1, b'#', 0], MALFORMED),
        (
            "an empty topic without an alias",
            vec![0x30, 3, 0, 0, 0],
            PROTOCOL,
        ),
        (
            "QoS 2 with packet id 0",
            vec![0x34, 6, 0, 1, b'a', 0, 0, 0],
            PROTOCOL,
        ),
        (
            "properties past the end",
            vec![0x30, 5, 0, 1, b'a', 5, 1],
            MALFORMED,
        ),
        (
            "an unknown property",
            vec![0x30, 6, 0, 1, b'a', 2, 0x7f, 0],
            MALFORMED,
        ),
        (
            "a property twice",
            vec![0x30, 8, 0, 1, b'a', 4, 1, 0, 1, 0],
            PROTOCOL,
        ),
        (
            "a topic alias above the maximum [3.1.2-26]",
            vec![0x30, 7, 0, 1, b'a', 3, 35, 0, 11],
            0x94,
        ),
        (
            "a topic alias that stands for nothing",
            vec![0x30, 6, 0, 0, 3, 35, 0, 5],
            PROTOCOL,
        ),
        (
            "more of QoS 2 than the client takes [3.3.4-9]",
            (1..=4)
                .flat_map(|id| vec![0x34, 6, 0, 1, b'a', 0, id, 0])
                .collect(),
            0x93,
        ),
        (
            "PUBACK for a message of QoS 2",
            vec![0x40, 2, 0, 2],
            PROTOCOL,
        ),
        ("PUBCOMP before PUBREC", vec![0x70, 2, 0, 2], PROTOCOL),
        (
            "PUBREC with an unknown reason",
            vec![0x50, 3, 0, 2, 0x01],
            MALFORMED,
        ),
        ("PUBREL with flags 0", vec![0x60, 2, 0, 1], MALFORMED),
        (
            "DISCONNECT with an unknown reason",
            vec![0xe0, 1, 0x77],
            MALFORMED,
        ),
    ]
}

fn ready(version: Version) -> HandBroker {
    let mut hand = HandBroker::new(config(version));
    hand.accept();
    match version {
        Version::V3_1_1 => hand.send(&[0x90, 3, 0, 1, 2]),
        Version::V5 => hand.send(&[0x90, 4, 0, 1, 0, 2]),
    }
    assert_eq!(hand.client.ready.len(), 1);
    hand.send_up(1);
    hand.read();
    hand
}

fn send(hand: &mut HandBroker, bytes: &[u8], piece: usize) {
    for piece in bytes.chunks(piece) {
        hand.send(piece);
    }
}

#[test]
fn what_breaks_mqtt_5_closes_with_its_reason_code() {
    for (name, bytes, reason) in when_ready() {
        for piece in [usize::MAX, 1] {
            let mut hand = ready(Version::V5);
            send(&mut hand, &bytes, piece);
            let (answer, is_finished) = hand.read();
            assert!(is_finished, "{name}");
            assert!(answer.ends_with(&[0xe0, 1, reason]), "{name}: {answer:x?}");
        }
    }
}

#[test]
fn what_breaks_mqtt_3_1_1_closes_without_a_word() {
    for (name, bytes) in [
        ("the reserved type 15", vec![0xf0, 0]),
        ("a DISCONNECT from a broker", vec![0xe0, 0]),
        ("PUBLISH of QoS 3", vec![0x36, 5, 0, 1, b'a', 0, 1]),
        ("DUP at QoS 0", vec![0x38, 3, 0, 1, b'a']),
        ("an empty topic", vec![0x30, 2, 0, 0]),
        ("PUBREC with a reason", vec![0x50, 3, 0, 2, 0]),
    ] {
        for piece in [usize::MAX, 1] {
            let mut hand = ready(Version::V3_1_1);
            send(&mut hand, &bytes, piece);
            assert_eq!(hand.read(), (vec![], true), "{name}");
        }
    }
}

#[test]
fn what_is_no_connack_closes() {
    let cases: Vec<(&str, Vec<u8>, u8)> = vec![
        (
            "PUBLISH first [3.2.0-1]",
            vec![0x30, 4, 0, 1, b'a', 0],
            PROTOCOL,
        ),
        (
            "reserved flags [3.2.2-1]",
            vec![0x20, 3, 2, 0, 0],
            MALFORMED,
        ),
        (
            "a session for one that is refused [3.2.2-6]",
            vec![0x20, 3, 1, 0x80, 0],
            MALFORMED,
        ),
        ("CONNACK without properties", vec![0x20, 2, 0, 0], MALFORMED),
        ("bytes behind the end", vec![0x20, 4, 0, 0, 0, 9], MALFORMED),
        (
            "a receive maximum of 0",
            vec![0x20, 6, 0, 0, 3, 33, 0, 0],
            PROTOCOL,
        ),
        (
            "a maximum QoS of 2",
            vec![0x20, 5, 0, 0, 2, 36, 2],
            PROTOCOL,
        ),
        (
            "a property of PUBLISH",
            vec![0x20, 5, 0, 0, 2, 1, 0],
            MALFORMED,
        ),
        (
            "a session that the client does not know [3.2.2-4]",
            vec![0x20, 3, 1, 0, 0],
            PROTOCOL,
        ),
    ];
    for (name, bytes, reason) in cases {
        let mut hand = HandBroker::new(config(Version::V5));
        hand.read();
        hand.send(&bytes);
        assert_eq!(hand.read(), (vec![0xe0, 1, reason], true), "{name}");
        assert!(hand.client.ready.is_empty(), "{name}");
    }
}

/// MQTT-3.2.2-4: a session of which only the broker knows is given up on the next connection.
#[test]
fn a_session_that_only_the_broker_knows_is_begun_anew() {
    let mut hand = HandBroker::new(client_config(Version::V5, Qos::AtLeastOnce));
    assert_eq!(hand.read().0[9], 0, "no clean start at first");
    hand.connack(&Connack::new(true, ReasonCode::SUCCESS));
    hand.finish();
    hand.read();
    hand.run_for(Duration::from_secs(2));
    assert_eq!(hand.opened.len(), 2);
    assert_eq!(hand.read().0[9], 2, "then a clean start");
    hand.accept();
    assert_eq!(hand.client.ready.len(), 1);
}

#[test]
fn a_client_of_3_1_1_goes_on_with_a_session_that_only_the_broker_knows() {
    let mut hand = HandBroker::new(client_config(Version::V3_1_1, Qos::AtLeastOnce));
    hand.connack(&Connack::new(true, ReasonCode::SUCCESS));
    assert_eq!(hand.client.ready.len(), 1);
    let clean = MqttClientConfig {
        clean_start: true,
        ..client_config(Version::V3_1_1, Qos::AtLeastOnce)
    };
    let mut hand = HandBroker::new(clean);
    hand.connack(&Connack::new(true, ReasonCode::SUCCESS));
    assert!(hand.client.ready.is_empty(), "MQTT 3.1.1, MQTT-3.2.2-1");
}

/// 5,000 streams of random packets and mutations of good ones: the client closes or goes on, and comes back.
#[test]
fn random_streams_leave_the_client_standing() {
    let mut random = RandomStream::named(1, "hostile");
    let good = when_ready();
    let mut hand = HandBroker::new(config(Version::V5));
    for _ in 0..5_000 {
        let mut bytes = vec![0x20, 3, 0, 0, 0, 0x90, 4, 0, 1, 0, 0];
        for _ in 0..=random.below(3) {
            bytes.extend(&good[random.below(good.len() as u64) as usize].1);
        }
        for _ in 0..random.below(4) {
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] = random.next_u64() as u8;
        }
        send(&mut hand, &bytes, 1 + random.below(12) as usize);
        hand.finish();
        hand.read();
        let connections = hand.opened.len();
        hand.run_for(Duration::from_secs(121));
        assert!(hand.opened.len() > connections, "the client is back");
    }
    hand.accept();
}
