//! MQTT in the frames of a WebSocket, in segments of any size.

use lasthop_classify::MessageKind::{MqttConnect, MqttPublish};
use lasthop_contract::Direction::Up;
use lasthop_contract::{Cause, Layer};

use crate::network::{ACK, Observer, SYN, sum, tcp};

const PORT: u16 = 8083;
const ASKED: &[u8] = b"GET /mqtt HTTP/1.1\r\nHost: broker\r\nupgrade: WebSocket\r\n\r\n";
const CONNECT: &[u8] = b"\x10\x0c\0\x04MQTT\x04\x02\0\x3c\0\0";
const TOPIC: &[u8] = b"\x30\x0a\0\x01t";
const PAYLOAD: &[u8] = b"payload";
const HEADER: usize = 6;

/// A frame of a client (RFC 6455 section 5.2).
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    let masked = payload.iter().zip(mask.iter().cycle());
    let masked = masked.map(|(byte, mask)| byte ^ mask);
    let head = [&[first, 0x80 | payload.len() as u8][..], &mask].concat();
    head.into_iter().chain(masked).collect()
}

/// The packets of MQTT are cut where the frames are not: within CONNECT, and within a payload.
fn frames() -> [Vec<u8>; 5] {
    [
        frame(0x82, &CONNECT[..5]),
        frame(0x02, &[&CONNECT[5..], TOPIC, &PAYLOAD[..3]].concat()),
        frame(0x89, b"there?"),
        frame(0x80, &PAYLOAD[3..]),
        frame(0x88, &[3, 232]),
    ]
}

#[test]
fn each_byte_is_told_whatever_segments_and_frames_hold_it() {
    let stream = [&[ASKED.to_vec()][..], &frames()].concat().concat();
    for size in 1..80 {
        let mut observer = Observer::new();
        observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
        let mut seq = 1;
        // Whether it is one is seen in the first segment.
        let (first, rest) = stream.split_at(ASKED.len());
        for part in [first].into_iter().chain(rest.chunks(size)) {
            observer.see(&tcp(Up, PORT, (seq, 1), ACK, part));
            seq += part.len() as u32;
        }
        let portions = observer.finish();
        let begun = portions.iter().flat_map(|it| it.messages.iter().copied());
        assert_eq!(begun.collect::<Vec<_>>(), [MqttConnect, MqttPublish]);
        let of_websocket = |cause| sum(&portions, Layer::WebSocket, cause) as usize;
        assert_eq!(of_websocket(Cause::SessionSetUp), ASKED.len(), "{size}");
        assert_eq!(of_websocket(Cause::Header), 3 * HEADER, "{size}");
        assert_eq!(of_websocket(Cause::KeepAlive), HEADER + 6, "{size}");
        assert_eq!(of_websocket(Cause::SessionTearDown), HEADER + 2, "{size}");
        let of_mqtt = |cause| sum(&portions, Layer::Application, cause) as usize;
        assert_eq!(of_mqtt(Cause::SessionSetUp), CONNECT.len(), "{size}");
        assert_eq!(of_mqtt(Cause::Header), TOPIC.len(), "{size}");
        assert_eq!(of_mqtt(Cause::Payload), PAYLOAD.len(), "{size}");
    }
}

#[test]
fn a_capture_that_begins_later_is_read_from_a_frame_on_that_ends_a_segment() {
    let mut observer = Observer::new();
    observer
        .classifier
        .say_port(PORT, lasthop_classify::Protocol::WebSocket);
    let middle = [0x55; 40];
    let publish = frame(0x82, &[TOPIC, PAYLOAD].concat());
    let mut seq = 1000;
    for part in [&middle[..], &publish, &publish] {
        observer.see(&tcp(Up, PORT, (seq, 1), ACK, part));
        seq += part.len() as u32;
    }
    let portions = observer.finish();
    let payload = sum(&portions, Layer::Application, Cause::Payload) as usize;
    assert_eq!(payload, 2 * PAYLOAD.len());
    let opaque = sum(&portions, Layer::WebSocket, Cause::Opaque) as usize;
    assert_eq!(opaque, middle.len());
}

#[test]
fn another_request_is_no_websocket() {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
    let asked = b"GET / HTTP/1.1\r\nHost: upgrade: websocket.example\r\n\r\n";
    observer.see(&tcp(Up, PORT, (1, 1), ACK, asked));
    let portions = observer.finish();
    let header = sum(&portions, Layer::Application, Cause::Header) as usize;
    assert_eq!(header, asked.len());
}
