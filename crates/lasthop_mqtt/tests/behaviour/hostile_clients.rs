//! What a broker does with bytes that no client should send. Each case holds whole and in single bytes.

use lasthop_contract::RandomStream;
use lasthop_mqtt::codec::{Connect, PacketType};
use lasthop_mqtt::{MqttBrokerConfig, Version};

use super::hand::Hand;

/// A case: its name, what is sent, and the reason code of MQTT 5 with which the connection is closed.
type Case = (&'static str, Vec<u8>, u8);

const MALFORMED: u8 = 0x81;
const PROTOCOL: u8 = 0x82;

fn packet(first: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![first];
    let mut length = body.len();
    while length >= 0x80 {
        packet.push(length as u8 | 0x80);
        length >>= 7;
    }
    packet.push(length as u8);
    packet.extend_from_slice(body);
    packet
}

fn connect(level: u8, flags: u8, rest: &[u8]) -> Vec<u8> {
    let mut body = vec![0, 4, b'M', b'Q', b'T', b'T', level, flags, 0, 60];
    body.extend_from_slice(rest);
    packet(0x10, &body)
}

/// After a CONNECT of MQTT 5. Where the flag is set, 3.1.1 refuses the same bytes with `[0]` for the properties left out.
fn after_connect() -> Vec<Case> {
    let long_topic = [&[0, 200][..], &[b'a'; 100]].concat();
    vec![
        ("the reserved type 0", vec![0x00, 0], MALFORMED),
        (
            "a second CONNECT [3.1.0-2]",
            connect(5, 2, &[0, 0, 1, b'x']),
            PROTOCOL,
        ),
        ("a CONNACK", vec![0x20, 3, 0, 0, 0], PROTOCOL),
        ("a SUBACK", vec![0x90, 4, 0, 1, 0, 0], PROTOCOL),
        ("an UNSUBACK", vec![0xb0, 4, 0, 1, 0, 0], PROTOCOL),
        ("a PINGRESP", vec![0xd0, 0], PROTOCOL),
        (
            "an AUTH without a method [4.12.0-6]",
            vec![0xf0, 0],
            PROTOCOL,
        ),
        (
            "a length of five bytes",
            vec![0x30, 0xff, 0xff, 0xff, 0xff, 0x01],
            MALFORMED,
        ),
        (
            "a length in more bytes than needed [1.5.5-1]",
            vec![0xc0, 0x80, 0x00],
            MALFORMED,
        ),
        (
            "SUBSCRIBE with flags 0 [3.8.1-1]",
            vec![0x80, 7, 0, 1, 0, 0, 1, b'a', 0],
            MALFORMED,
        ),
        (
            "UNSUBSCRIBE with flags 0 [3.10.1-1]",
            vec![0xa0, 6, 0, 1, 0, 0, 1, b'a'],
            MALFORMED,
        ),
        (
            "PUBREL with flags 0 [3.6.1-1]",
            vec![0x60, 2, 0, 1],
            MALFORMED,
        ),
        ("PINGREQ with flags [2.1.3-1]", vec![0xc1, 0], MALFORMED),
        ("PINGREQ with a body", vec![0xc0, 1, 0], MALFORMED),
        (
            "PUBLISH of QoS 3 [3.3.1-4]",
            packet(0x36, &[0, 1, b'a', 0, 1, 0]),
            MALFORMED,
        ),
        (
            "DUP at QoS 0 [3.3.1-2]",
            packet(0x38, &[0, 1, b'a', 0]),
            MALFORMED,
        ),
        ("PUBLISH without a body", vec![0x30, 0], MALFORMED),
        (
            "a topic longer than its packet",
            packet(0x30, &long_topic),
            MALFORMED,
        ),
        (
            "a topic of ill-formed UTF-8 [1.5.4-1]",
            packet(0x30, &[0, 1, 0xff, 0]),
            MALFORMED,
        ),
        (
            "a topic with a surrogate [1.5.4-1]",
            packet(0x30, &[0, 3, 0xed, 0xa0, 0x80, 0]),
            MALFORMED,
        ),
        (
            "a topic with an overlong form [1.5.4-1]",
            packet(0x30, &[0, 2, 0xc0, 0xaf, 0]),
            MALFORMED,
        ),
        (
            "a topic with U+0000 [1.5.4-2]",
            packet(0x30, &[0, 1, 0, 0]),
            MALFORMED,
        ),
        (
            "a topic with # [3.3.2-2]",
            packet(0x30, &[0, 3, b'a', b'/', b'#', 0]),
            MALFORMED,
        ),
        (
            "a topic with + [3.3.2-2]",
            packet(0x30, &[0, 1, b'+', 0]),
            MALFORMED,
        ),
        (
            "an empty topic without an alias",
            packet(0x30, &[0, 0, 0]),
            PROTOCOL,
        ),
        (
            "QoS 1 with packet id 0 [2.2.1-3]",
            packet(0x32, &[0, 1, b'a', 0, 0, 0]),
            PROTOCOL,
        ),
        (
            "QoS 1 without a packet id",
            packet(0x32, &[0, 1, b'a']),
            MALFORMED,
        ),
        (
            "half a packet id",
            packet(0x32, &[0, 1, b'a', 7]),
            MALFORMED,
        ),
        (
            "PUBLISH without a property length",
            packet(0x30, &[0, 1, b'a']),
            MALFORMED,
        ),
        (
            "properties past the end",
            packet(0x30, &[0, 1, b'a', 5, 1]),
            MALFORMED,
        ),
        (
            "a property cut in two",
            packet(0x30, &[0, 1, b'a', 3, 2, 0, 0]),
            MALFORMED,
        ),
        (
            "a property past the properties",
            packet(0x30, &[0, 1, b'a', 2, 2, 0, 0, 0, 9]),
            MALFORMED,
        ),
        (
            "a text past the properties",
            packet(0x30, &[0, 1, b'a', 4, 3, 0, 9, b'x']),
            MALFORMED,
        ),
        (
            "an unknown property",
            packet(0x30, &[0, 1, b'a', 2, 0x7f, 0]),
            MALFORMED,
        ),
        (
            "property 0",
            packet(0x30, &[0, 1, b'a', 2, 0, 0]),
            MALFORMED,
        ),
        (
            "a property of another packet",
            packet(0x30, &[0, 1, b'a', 3, 33, 0, 5]),
            MALFORMED,
        ),
        (
            "a property twice",
            packet(0x30, &[0, 1, b'a', 4, 1, 0, 1, 0]),
            PROTOCOL,
        ),
        (
            "a flag property of 2",
            packet(0x30, &[0, 1, b'a', 2, 1, 2]),
            PROTOCOL,
        ),
        (
            "topic alias 0 [3.3.2-8]",
            packet(0x30, &[0, 1, b'a', 3, 35, 0, 0]),
            0x94,
        ),
        (
            "a topic alias above the maximum [3.3.2-9]",
            packet(0x30, &[0, 1, b'a', 3, 35, 0, 11]),
            0x94,
        ),
        (
            "a topic alias that stands for nothing",
            packet(0x30, &[0, 0, 3, 35, 0, 5]),
            PROTOCOL,
        ),
        (
            "a subscription id from a client [3.3.4-6]",
            packet(0x30, &[0, 1, b'a', 2, 11, 1]),
            PROTOCOL,
        ),
        (
            "a subscription id of 0",
            packet(0x30, &[0, 1, b'a', 2, 11, 0]),
            PROTOCOL,
        ),
        (
            "a response topic with # [3.3.2-14]",
            packet(0x30, &[0, 1, b'a', 4, 8, 0, 1, b'#']),
            PROTOCOL,
        ),
        (
            "a user property of ill-formed UTF-8",
            packet(0x30, &[0, 1, b'a', 7, 38, 0, 1, 0xff, 0, 1, b'a']),
            MALFORMED,
        ),
        ("PUBACK without a packet id", vec![0x40, 0], MALFORMED),
        ("PUBACK with packet id 0", vec![0x40, 2, 0, 0], PROTOCOL),
        (
            "PUBACK with an unknown reason",
            vec![0x40, 3, 0, 1, 0x77],
            MALFORMED,
        ),
        (
            "PUBACK with bytes behind its end",
            vec![0x40, 5, 0, 1, 0, 0, 9],
            MALFORMED,
        ),
        ("PUBREL with packet id 0", vec![0x62, 2, 0, 0], PROTOCOL),
        (
            "PUBCOMP with a reason of PUBACK",
            vec![0x70, 3, 0, 1, 0x10],
            MALFORMED,
        ),
        (
            "SUBSCRIBE without a topic [3.8.3-2]",
            packet(0x82, &[0, 1, 0]),
            PROTOCOL,
        ),
        (
            "SUBSCRIBE with packet id 0",
            packet(0x82, &[0, 0, 0, 0, 1, b'a', 0]),
            PROTOCOL,
        ),
        (
            "SUBSCRIBE without options",
            packet(0x82, &[0, 1, 0, 0, 1, b'a']),
            MALFORMED,
        ),
        (
            "SUBSCRIBE for QoS 3",
            packet(0x82, &[0, 1, 0, 0, 1, b'a', 3]),
            PROTOCOL,
        ),
        (
            "SUBSCRIBE with reserved options [3.8.3-5]",
            packet(0x82, &[0, 1, 0, 0, 1, b'a', 0x40]),
            MALFORMED,
        ),
        (
            "retain handling 3",
            packet(0x82, &[0, 1, 0, 0, 1, b'a', 0x30]),
            PROTOCOL,
        ),
        (
            "an empty filter [4.7.3-1]",
            packet(0x82, &[0, 1, 0, 0, 0, 0]),
            MALFORMED,
        ),
        (
            "a filter a/#/b [4.7.1-1]",
            packet(0x82, &[0, 1, 0, 0, 5, b'a', b'/', b'#', b'/', b'b', 0]),
            MALFORMED,
        ),
        (
            "a filter a+ [4.7.1-2]",
            packet(0x82, &[0, 1, 0, 0, 2, b'a', b'+', 0]),
            MALFORMED,
        ),
        (
            "a filter of ill-formed UTF-8",
            packet(0x82, &[0, 1, 0, 0, 1, 0xff, 0]),
            MALFORMED,
        ),
        (
            "$share without a group [4.8.2-1]",
            packet(
                0x82,
                &[
                    0, 1, 0, 0, 9, b'$', b's', b'h', b'a', b'r', b'e', b'/', b'/', b'a', 0,
                ],
            ),
            MALFORMED,
        ),
        (
            "no local for a group [3.8.3-4]",
            packet(
                0x82,
                &[
                    0, 1, 0, 0, 10, b'$', b's', b'h', b'a', b'r', b'e', b'/', b'g', b'/', b'a', 4,
                ],
            ),
            PROTOCOL,
        ),
        (
            "two subscription ids",
            packet(0x82, &[0, 1, 4, 11, 1, 11, 2, 0, 1, b'a', 0]),
            PROTOCOL,
        ),
        (
            "UNSUBSCRIBE without a topic [3.10.3-2]",
            packet(0xa2, &[0, 1, 0]),
            PROTOCOL,
        ),
        (
            "DISCONNECT with an unknown reason",
            vec![0xe0, 1, 0x77],
            MALFORMED,
        ),
        (
            "DISCONNECT with properties past the end",
            vec![0xe0, 2, 0, 5],
            MALFORMED,
        ),
        (
            "DISCONNECT that makes a session last [3.14.2.2.2]",
            packet(0xe0, &[0, 5, 17, 0, 0, 0, 9]),
            PROTOCOL,
        ),
    ]
}

/// In place of a CONNECT: the reason code in CONNACK, or `None` when the connection is closed without one.
fn instead_of_connect() -> Vec<(&'static str, Vec<u8>, Option<u8>)> {
    let id = [0, 0, 1, b'a'];
    let name = |text: &[u8], level| {
        let mut body = vec![0, text.len() as u8];
        body.extend_from_slice(text);
        body.extend([level, 2, 0, 60, 0, 0, 1, b'a']);
        packet(0x10, &body)
    };
    vec![
        (
            "PUBLISH first [3.1.0-1]",
            packet(0x30, &[0, 1, b'a', 0]),
            None,
        ),
        ("PINGREQ first [3.1.0-1]", vec![0xc0, 0], None),
        ("an HTTP request", b"GET / HTTP/1.1\r\n\r\n".to_vec(), None),
        ("CONNECT with flags [2.1.3-1]", vec![0x11, 0], None),
        ("CONNECT without a body", vec![0x10, 0], None),
        ("the name of MQTT 3.1 [3.1.2-1]", name(b"MQIsdp", 3), None),
        ("another name [3.1.2-1]", name(b"MQTX", 5), None),
        ("a name in small letters [3.1.2-1]", name(b"mqtt", 5), None),
        ("level 3 [3.1.2-2]", connect(3, 2, &id), Some(1)),
        ("level 6 [3.1.2-2]", connect(6, 2, &id), Some(0x84)),
        (
            "level 132, a bridge of mosquitto",
            connect(132, 2, &id),
            Some(0x84),
        ),
        (
            "the reserved flag [3.1.2-3]",
            connect(5, 3, &id),
            Some(MALFORMED),
        ),
        (
            "will QoS 3 [3.1.2-12]",
            connect(5, 0b1_1110, &[0, 0, 1, b'a', 0, 0, 1, b't', 0, 0]),
            Some(MALFORMED),
        ),
        (
            "will QoS without a will [3.1.2-11]",
            connect(5, 0b0_1010, &id),
            Some(MALFORMED),
        ),
        (
            "will retain without a will [3.1.2-13]",
            connect(5, 0b10_0010, &id),
            Some(MALFORMED),
        ),
        (
            "a will that is not there",
            connect(5, 0b110, &id),
            Some(MALFORMED),
        ),
        (
            "a will topic with #",
            connect(5, 0b110, &[0, 0, 1, b'a', 0, 0, 1, b'#', 0, 0]),
            Some(MALFORMED),
        ),
        (
            "no user name where one is announced",
            connect(5, 0b1000_0010, &id),
            Some(MALFORMED),
        ),
        (
            "bytes behind the end",
            connect(5, 2, &[0, 0, 1, b'a', 9]),
            Some(MALFORMED),
        ),
        (
            "an identifier past the end",
            connect(5, 2, &[0, 0, 9, b'a']),
            Some(MALFORMED),
        ),
        (
            "an identifier of ill-formed UTF-8",
            connect(5, 2, &[0, 0, 1, 0xff]),
            Some(MALFORMED),
        ),
        (
            "properties past the end",
            connect(5, 2, &[9, 17, 0]),
            Some(MALFORMED),
        ),
        (
            "a session expiry twice",
            connect(5, 2, &[10, 17, 0, 0, 0, 1, 17, 0, 0, 0, 1, 0, 1, b'a']),
            Some(PROTOCOL),
        ),
        (
            "a receive maximum of 0",
            connect(5, 2, &[3, 33, 0, 0, 0, 1, b'a']),
            Some(PROTOCOL),
        ),
        (
            "a maximum packet size of 0",
            connect(5, 2, &[5, 39, 0, 0, 0, 0, 0, 1, b'a']),
            Some(PROTOCOL),
        ),
        (
            "a property of PUBLISH",
            connect(5, 2, &[2, 1, 0, 0, 1, b'a']),
            Some(MALFORMED),
        ),
        (
            "authentication data without a method",
            connect(5, 2, &[4, 22, 0, 1, 7, 0, 1, b'a']),
            Some(PROTOCOL),
        ),
        (
            "an authentication method",
            connect(5, 2, &[4, 21, 0, 1, b'x', 0, 1, b'a']),
            Some(0x8c),
        ),
        (
            "3.1.1: the reserved flag",
            connect(4, 3, &[0, 1, b'a']),
            None,
        ),
        (
            "3.1.1: a password without a user name [3.1.2-22]",
            connect(4, 0b100_0010, &[0, 1, b'a', 0, 1, b'p']),
            None,
        ),
        (
            "3.1.1: no identifier for a lasting session [3.1.3-8]",
            connect(4, 0, &[0, 0]),
            Some(2),
        ),
    ]
}

/// The reason code with which the broker closed, and that it did close and hold nothing back.
fn closed_with(
    hand: &mut Hand,
    connection: lasthop_contract::ConnectionId,
) -> Option<(PacketType, u8)> {
    let (bytes, is_finished) = hand.read(connection);
    assert!(is_finished, "the stream has ended");
    let frame = lasthop_mqtt::codec::Frame::split(&bytes, usize::MAX).unwrap()?;
    let place = usize::from(frame.packet_type == PacketType::Connack);
    Some((frame.packet_type, frame.body[place]))
}

fn send(hand: &mut Hand, connection: lasthop_contract::ConnectionId, bytes: &[u8], piece: usize) {
    for piece in bytes.chunks(piece) {
        hand.send(connection, piece);
    }
}

#[test]
fn what_breaks_mqtt_5_closes_with_its_reason_code() {
    for (name, bytes, reason) in after_connect() {
        for piece in [usize::MAX, 1] {
            let mut hand = Hand::new(MqttBrokerConfig::default());
            let connection = hand.connected(&Connect::new(Version::V5, "a"));
            send(&mut hand, connection, &bytes, piece);
            let closed = closed_with(&mut hand, connection);
            assert_eq!(closed, Some((PacketType::Disconnect, reason)), "{name}");
            assert_eq!(hand.broker.application.counters().refused, 1, "{name}");
        }
    }
}

#[test]
fn what_breaks_mqtt_3_1_1_closes_without_a_word() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("the reserved type 15", vec![0xf0, 0]),
        ("a second CONNECT", connect(4, 2, &[0, 1, b'x'])),
        ("PUBLISH of QoS 3", packet(0x36, &[0, 1, b'a', 0, 1])),
        ("DUP at QoS 0", packet(0x38, &[0, 1, b'a'])),
        ("packet id 0", packet(0x32, &[0, 1, b'a', 0, 0])),
        ("an empty topic", packet(0x30, &[0, 0])),
        ("a topic with #", packet(0x30, &[0, 1, b'#'])),
        ("a topic of ill-formed UTF-8", packet(0x30, &[0, 1, 0xff])),
        ("PUBACK with a reason", vec![0x40, 3, 0, 1, 0]),
        ("SUBSCRIBE without a topic", packet(0x82, &[0, 1])),
        (
            "SUBSCRIBE with options of MQTT 5",
            packet(0x82, &[0, 1, 0, 1, b'a', 4]),
        ),
        ("SUBSCRIBE for QoS 3", packet(0x82, &[0, 1, 0, 1, b'a', 3])),
        ("DISCONNECT with a reason", vec![0xe0, 1, 0]),
        ("PINGREQ with a body", vec![0xc0, 1, 0]),
    ];
    for (name, bytes) in cases {
        for piece in [usize::MAX, 1] {
            let mut hand = Hand::new(MqttBrokerConfig::default());
            let connection = hand.connected(&Connect::new(Version::V3_1_1, "a"));
            send(&mut hand, connection, &bytes, piece);
            assert_eq!(closed_with(&mut hand, connection), None, "{name}");
        }
    }
}

#[test]
fn what_is_no_connect_is_refused() {
    for (name, bytes, reason) in instead_of_connect() {
        for piece in [usize::MAX, 1] {
            let mut hand = Hand::new(MqttBrokerConfig::default());
            let connection = hand.open();
            send(&mut hand, connection, &bytes, piece);
            let expected = reason.map(|reason| (PacketType::Connack, reason));
            assert_eq!(closed_with(&mut hand, connection), expected, "{name}");
            assert_eq!(hand.broker.application.session_count(), 0, "{name}");
        }
    }
}

#[test]
fn a_packet_above_the_maximum_is_refused_by_its_length_alone() {
    let config = MqttBrokerConfig {
        maximum_packet_size: Some(100),
        ..MqttBrokerConfig::default()
    };
    let mut hand = Hand::new(config);
    let connection = hand.connected(&Connect::new(Version::V5, "a"));
    hand.send(connection, &[0x30, 99]);
    let closed = closed_with(&mut hand, connection);
    assert_eq!(closed, Some((PacketType::Disconnect, 0x95)));
}

/// 10,000 connections claim 2.5 TB.
#[test]
fn a_claim_of_256_mb_waits_for_bytes_and_takes_none() {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    for number in 0..10_000 {
        let connection = hand.connected(&Connect::new(Version::V5, &format!("a{number}")));
        hand.send(connection, &[0x30, 0xff, 0xff, 0xff, 0x7f, 0, 1, b'a']);
        let (bytes, is_finished) = hand.read(connection);
        assert!(bytes.is_empty() && !is_finished);
    }
}

#[test]
fn more_unreleased_messages_than_the_broker_takes_close_the_connection() {
    let mut hand = Hand::new(MqttBrokerConfig::default());
    let connection = hand.connected(&Connect::new(Version::V5, "a"));
    for number in 1..=20 {
        hand.send(connection, &packet(0x34, &[0, 1, b'a', 0, number, 0]));
    }
    assert!(!hand.read(connection).1);
    hand.send(connection, &packet(0x34, &[0, 1, b'a', 0, 21, 0]));
    let closed = closed_with(&mut hand, connection);
    assert_eq!(closed, Some((PacketType::Disconnect, 0x93)));
}

/// 20,000 streams of random packets and mutations of good ones, in random pieces: the broker answers or closes, and
/// goes on serving others.
#[test]
fn random_streams_leave_the_broker_standing() {
    let mut random = RandomStream::named(1, "hostile");
    let good: Vec<Vec<u8>> = after_connect()
        .into_iter()
        .map(|(_, bytes, _)| bytes)
        .collect();
    let mut hand = Hand::new(MqttBrokerConfig::default());
    for step in 0..20_000 {
        let connection = hand.open();
        if step % 4 != 0 {
            let version = if step % 2 == 0 {
                Version::V3_1_1
            } else {
                Version::V5
            };
            hand.send(connection, &Connect::new(version, "mallory").write());
        }
        let mut bytes = Vec::new();
        for _ in 0..=random.below(3) {
            bytes.extend(&good[random.below(good.len() as u64) as usize]);
        }
        for _ in 0..random.below(4) {
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] = random.next_u64() as u8;
        }
        send(&mut hand, connection, &bytes, 1 + random.below(12) as usize);
        hand.finish(connection);
        assert!(hand.read(connection).1, "the connection has ended");
    }
    assert!(hand.broker.application.session_count() <= 1);
    let connection = hand.connected(&Connect::new(Version::V5, "alice"));
    hand.subscribe(Version::V5, connection, "still/here");
    hand.publish(
        Version::V5,
        connection,
        "still/here",
        "yes",
        lasthop_mqtt::Qos::AtMostOnce,
    );
    assert_eq!(hand.got(Version::V5, connection).len(), 1);
}
