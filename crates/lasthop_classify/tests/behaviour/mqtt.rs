//! MQTT in segments of any size.

use lasthop_classify::{Classifier, Protocol, Sight};
use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Cause, Layer};
use lasthop_units::Instant;

use crate::network::{ACK, Observer, SYN, sum, tcp, words};

const PORT: u16 = 1883;

/// CONNECT, a PUBLISH of quality 1 to `t` with `payload`, one that repeats it, PINGREQ, DISCONNECT.
fn stream(level: u8) -> Vec<u8> {
    let properties: &[u8] = if level == 5 { &[0] } else { &[] };
    let body = [
        &[0, 4][..],
        b"MQTT",
        &[level, 2, 0, 60],
        properties,
        &[0, 0],
    ]
    .concat();
    let connect = [&[0x10, body.len() as u8][..], &body].concat();
    let publish = |first: u8| {
        let body = [&[0, 1, b't', 0, 9][..], properties, b"payload"].concat();
        [&[first, body.len() as u8][..], &body].concat()
    };
    [
        connect,
        publish(0x32),
        publish(0x3a),
        vec![0xc0, 0, 0xe0, 0],
    ]
    .concat()
}

fn causes_in_segments(level: u8, size: usize) -> [u64; 5] {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
    let mut seq = 1;
    for part in stream(level).chunks(size) {
        observer.see(&tcp(Up, PORT, (seq, 1), ACK, part));
        seq += part.len() as u32;
    }
    let portions = observer.finish();
    [
        Cause::SessionSetUp,
        Cause::Header,
        Cause::Payload,
        Cause::Retransmission,
        Cause::KeepAlive,
    ]
    .map(|cause| sum(&portions, Layer::Application, cause))
}

#[test]
fn each_message_begins_once_whatever_segments_hold_it_and_however_often_they_come() {
    use lasthop_classify::MessageKind::{MqttConnect, MqttDisconnect, MqttPingreq, MqttPublish};
    let all = [
        MqttConnect,
        MqttPublish,
        MqttPublish,
        MqttPingreq,
        MqttDisconnect,
    ];
    for size in 1..60 {
        let mut observer = Observer::new();
        observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
        let mut seq = 1;
        for part in stream(5).chunks(size) {
            for _ in 0..2 {
                observer.see(&tcp(Up, PORT, (seq, 1), ACK, part));
            }
            seq += part.len() as u32;
        }
        let portions = observer.finish();
        let begun = portions.iter().flat_map(|it| it.messages.iter().copied());
        assert_eq!(begun.collect::<Vec<_>>(), all, "{size}");
    }
}

#[test]
fn packets_are_told_apart_however_they_lie_in_segments() {
    for size in 1..60 {
        assert_eq!(causes_in_segments(4, size), [14, 7, 7, 14, 2], "{size}");
        assert_eq!(causes_in_segments(5, size), [15, 8, 7, 15, 2], "{size}");
    }
}

#[test]
fn acknowledgements_subscriptions_and_ends_have_their_causes() {
    let cases: [(&[u8], &str); 8] = [
        (&[0x20, 2, 0, 0], "session_set_up"),
        (&[0x40, 2, 0, 1], "acknowledgement"),
        (&[0x50, 2, 0, 1], "acknowledgement"),
        (&[0x62, 2, 0, 1], "acknowledgement"),
        (&[0x70, 2, 0, 1], "acknowledgement"),
        (&[0x90, 3, 0, 1, 0], "session_set_up"),
        (&[0xb0, 2, 0, 1], "session_tear_down"),
        (&[0xd0, 0], "keep_alive"),
    ];
    for (bytes, cause) in cases {
        let mut observer = Observer::new();
        observer.see(&tcp(Down, PORT, (0, 1), SYN | ACK, b""));
        observer.see(&tcp(Down, PORT, (1, 1), ACK, bytes));
        let length = bytes.len();
        assert_eq!(
            observer.last(),
            format!("tcp.header 20, application.{cause} {length}")
        );
    }
}

#[test]
fn a_capture_that_lacks_the_beginning_is_read_from_the_next_packet_on() {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (1000, 1), ACK, b"\x01\x02of something"));
    assert_eq!(observer.last(), "tcp.header 20, application.opaque 14");
    observer.see(&tcp(Up, PORT, (1014, 1), ACK, b"\x30\x04\0\x01tp"));
    assert_eq!(
        observer.last(),
        "tcp.header 20, application.header 5, application.payload 1"
    );
}

#[test]
fn a_connack_whose_length_comes_with_the_next_segment_is_read() {
    // Of MQTT 5, with properties.
    let connack = [&[0x20, 9, 0, 0, 6][..], &[0x22, 0, 10, 0x21, 0, 20]].concat();
    for cut in [0, 1, 2, 5] {
        let mut observer = Observer::new();
        let (first, second) = connack.split_at(cut);
        observer.see(&tcp(Down, PORT, (500, 100), ACK, first));
        observer.see(&tcp(Down, PORT, (500 + cut as u32, 100), ACK, second));
        let portions = observer.finish();
        let set_up = sum(&portions, Layer::Application, Cause::SessionSetUp);
        assert_eq!(set_up, 11, "{cut} B first");
    }
}

#[test]
fn another_port_is_known_by_its_connect() {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, 7777, (0, 0), SYN, b""));
    observer.see(&tcp(Up, 7777, (1, 1), ACK, &stream(4)));
    assert_eq!(
        sum(&observer.finish(), Layer::Application, Cause::Payload),
        7
    );
}

#[test]
fn payload_that_was_not_kept_is_payload() {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
    let head = [0x30, 0x83, 0x01, 0, 1, b't'];
    let publish = tcp(Up, PORT, (1, 1), ACK, &[&head[..], &[7; 128]].concat());
    observer.see_beginning(&publish, 20 + 20 + 10);
    assert_eq!(
        observer.last(),
        "tcp.header 20, application.header 6, application.payload 128"
    );
    observer.see(&tcp(Up, PORT, (135, 1), ACK, &[0xc0, 0]));
    assert_eq!(observer.last(), "tcp.header 20, application.keep_alive 2");
}

#[test]
fn what_is_said_of_a_port_counts_for_more_than_what_is_sent() {
    let mut classifier = Classifier::new();
    classifier.say_port(PORT, Protocol::Tls);
    let segment = tcp(Up, PORT, (1, 1), ACK, &stream(4));
    classifier.handle(Instant::ZERO, Sight::Unknown, &segment, segment.len());
    let portion = classifier.poll().unwrap();
    let length = stream(4).len();
    assert_eq!(
        words(&portion),
        format!("tcp.header 20, tls.opaque {length}")
    );
}
