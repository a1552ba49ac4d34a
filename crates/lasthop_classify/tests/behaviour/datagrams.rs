//! Datagrams: CoAP, RTPS, DTLS, fragments.

use lasthop_classify::Remark;
use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Cause, Layer};

use crate::network::{Observer, sum, udp, words};

const COAP: u16 = 5683;
const RTPS: u16 = 7411;

#[test]
fn coap_is_told_by_type_code_and_options() {
    let cases: [(&[u8], &str); 11] = [
        (
            b"\x41\x02\0\x01T\xb1a\xffbody",
            "application.header 8, application.payload 4",
        ),
        (b"\x40\x01\0\x02\xb1a", "application.header 6"),
        (b"\x40\x01\0\x03\x60\x51a", "application.session_set_up 7"),
        (
            b"\x40\x01\0\x04\x61\x01\x51a",
            "application.session_tear_down 8",
        ),
        (b"\x60\0\0\x05", "application.acknowledgement 4"),
        (b"\x60\x44\0\x06", "application.acknowledgement 4"),
        (
            b"\x60\x45\0\x07\xffbody",
            "application.header 5, application.payload 4",
        ),
        (b"\x40\x02\0\x0a\xb2rd", "application.session_set_up 7"),
        (
            b"\x60\x45\0\x0b\x61\x05\xffnow",
            "application.session_set_up 7, application.payload 3",
        ),
        (b"\x40\0\0\x08", "application.keep_alive 4"),
        (b"\xc0\x01\0\x09", "application.opaque 4"),
    ];
    for (message, expected) in cases {
        let mut observer = Observer::new();
        observer.see(&udp(Up, COAP, message));
        assert_eq!(observer.last(), format!("udp.header 8, {expected}"));
    }
}

#[test]
fn a_coap_message_of_the_same_number_is_a_retransmission_and_its_answer_an_acknowledgement() {
    let mut observer = Observer::new();
    observer.see(&udp(Up, COAP, b"\x40\x02\0\x01\xffbody"));
    observer.see(&udp(Up, COAP, b"\x40\x02\0\x01\xffbody"));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.retransmission 9"
    );
    observer.see(&udp(Up, COAP, b"\x40\x02\0\x01\xffother"));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.header 5, application.payload 5"
    );
    observer.see(&udp(Down, COAP, b"\x60\x44\0\x01"));
    observer.see(&udp(Down, COAP, b"\x60\x44\0\x01"));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.acknowledgement 4"
    );
}

/// A submessage of RTPS in little endian.
fn submessage(kind: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    let [low, high] = (body.len() as u16).to_le_bytes();
    [&[kind, flags | 1, low, high][..], body].concat()
}

fn rtps(parts: &[Vec<u8>]) -> Vec<u8> {
    [&b"RTPS\x02\x05\x01\x01prefix-of-12"[..], &parts.concat()].concat()
}

fn data(writer: [u8; 4], number: u8, inline_qos: &[u8]) -> Vec<u8> {
    let fixed = [0, 0, 16, 0, 0, 0, 0, 4];
    let number = [0, 0, 0, 0, number, 0, 0, 0];
    let flags = if inline_qos.is_empty() { 4 } else { 6 };
    let body = [
        &fixed[..],
        &writer,
        &number,
        inline_qos,
        b"\0\x01\0\0sample",
    ]
    .concat();
    submessage(0x15, flags, &body)
}

const USER_WRITER: [u8; 4] = [0, 0, 1, 2];
const DISCOVERY_WRITER: [u8; 4] = [0, 1, 0, 0xc2];

#[test]
fn rtps_is_told_by_submessage_and_entity() {
    let time_stamp = submessage(0x09, 0, &[0; 8]);
    let heartbeat = submessage(0x07, 0, &[&[0; 4][..], &USER_WRITER, &[0; 20]].concat());
    let parts = [time_stamp, data(USER_WRITER, 1, b""), heartbeat];
    let mut observer = Observer::new();
    observer.see(&udp(Up, RTPS, &rtps(&parts)));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.header 60, application.payload 6, application.acknowledgement 32"
    );
    observer.see(&udp(Up, RTPS, &rtps(&[data(DISCOVERY_WRITER, 1, b"")])));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.session_set_up 54"
    );
    let quality = [0x70, 0, 4, 0, 1, 2, 3, 4, 1, 0, 0, 0];
    observer.see(&udp(Up, RTPS, &rtps(&[data(USER_WRITER, 2, &quality)])));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.header 60, application.payload 6"
    );
}

#[test]
fn a_sample_of_the_same_number_is_a_retransmission() {
    let mut observer = Observer::new();
    let message = rtps(&[data(USER_WRITER, 1, b"")]);
    observer.see(&udp(Up, RTPS, &message));
    observer.see(&udp(Up, RTPS, &message));
    assert_eq!(
        observer.last(),
        "udp.header 8, application.retransmission 54"
    );
}

/// RFC 6347 sections 4.2.2 and 4.2.4: whoever is not answered sends the message again, in a record of another number.
#[test]
fn a_message_of_dtls_that_comes_again_is_a_retransmission() {
    const DTLS: u16 = 5684;
    let record = |record: u8, message: [u8; 4], body: &[u8]| {
        let [kind, number, place, _] = message;
        let length = body.len() as u8;
        let message = [kind, 0, 0, length, 0, number, 0, 0, place, 0, 0, length];
        let head = [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, record, 0, 12 + length];
        [&head[..], &message, body].concat()
    };
    let hello = |number, message| record(number, [1, message, 0, 0], b"random");
    let mut observer = Observer::new();
    observer.see(&udp(Up, DTLS, &hello(0, 0)));
    assert_eq!(observer.last(), "udp.header 8, dtls.session_set_up 31");
    observer.see(&udp(Up, DTLS, &hello(1, 0)));
    assert_eq!(observer.last(), "udp.header 8, dtls.retransmission 31");
    assert_eq!(observer.portions.last().unwrap().remark, Remark::Repeated);
    // With the cookie it is another message; a server says the request for one to each hello.
    for (direction, datagram) in [
        (Down, record(0, [3, 0, 0, 0], b"cookie")),
        (Down, record(1, [3, 0, 0, 0], b"cookie")),
        (Up, hello(2, 1)),
        // Another client at the same address and port.
        (Up, record(0, [1, 0, 0, 0], b"chance")),
    ] {
        observer.see(&udp(direction, DTLS, &datagram));
        assert_eq!(observer.last(), "udp.header 8, dtls.session_set_up 31");
    }
    // Something new stands behind it.
    let both = [hello(3, 1), record(4, [16, 2, 0, 0], b"secret")].concat();
    observer.see(&udp(Up, DTLS, &both));
    let said = "udp.header 8, dtls.retransmission 31, dtls.session_set_up 31";
    assert_eq!(observer.last(), said);
    assert_eq!(observer.portions.last().unwrap().remark, Remark::None);
}

#[test]
fn records_of_dtls_are_told_by_their_type() {
    let record = |kind: u8, body: &[u8]| {
        let head = [
            kind,
            0xfe,
            0xfd,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            body.len() as u8,
        ];
        [&head[..], body].concat()
    };
    let mut observer = Observer::new();
    let flight = [record(22, b"hello"), record(23, b"hidden")].concat();
    observer.see(&udp(Up, 5684, &flight));
    assert_eq!(
        observer.last(),
        "udp.header 8, dtls.session_set_up 18, dtls.header 13, dtls.opaque 6"
    );
}

/// The parts of a packet, cut at a multiple of eight.
fn fragments(packet: &[u8], cut: usize) -> [Vec<u8>; 2] {
    let (head, data) = packet.split_at(20);
    let part = |data: &[u8], field: u16| {
        let mut part = [head, data].concat();
        let length = part.len() as u16;
        part[2..4].copy_from_slice(&length.to_be_bytes());
        part[6..8].copy_from_slice(&field.to_be_bytes());
        part
    };
    [
        part(&data[..cut], 0x2000),
        part(&data[cut..], (cut / 8) as u16),
    ]
}

#[test]
fn fragments_are_read_when_all_are_there_in_any_order() {
    let packet = udp(Up, COAP, b"\x40\x02\0\x01\xffa body of some length");
    let [first, second] = fragments(&packet, 16);
    for order in [[&first, &second], [&second, &first]] {
        let mut observer = Observer::new();
        order.iter().for_each(|part| observer.see(part));
        let portions = observer.finish();
        assert_eq!((portions.len(), portions[0].packets), (1, 2));
        assert_eq!(sum(&portions, Layer::Ip, Cause::Header), 40);
        assert_eq!(
            words(&portions[0]),
            "udp.header 8, application.header 5, application.payload 21"
        );
    }
}

#[test]
fn fragments_whose_packet_is_never_whole_are_opaque() {
    let packet = udp(Up, COAP, b"\x40\x02\0\x01\xffa body of some length");
    let mut observer = Observer::new();
    observer.see(&fragments(&packet, 16)[0]);
    let portions = observer.finish();
    assert_eq!(words(&portions[0]), "udp.opaque 16");
}

/// A link that copies, a capture on two interfaces: whatever comes twice is told of as such.
#[test]
fn copies_of_fragments_are_retransmissions() {
    let packet = udp(Up, COAP, b"\x40\x02\0\x01\xffa body of some length");
    let [first, second] = fragments(&packet, 16);
    let orders = [
        [&first, &first, &second, &second],
        [&first, &second, &first, &second],
        [&second, &second, &first, &first],
    ];
    for order in orders {
        let mut observer = Observer::new();
        order.iter().for_each(|part| observer.see(part));
        let portions = observer.finish();
        assert_eq!(sum(&portions, Layer::Ip, Cause::Header), 80);
        assert_eq!(sum(&portions, Layer::Ip, Cause::Retransmission), 34);
        assert_eq!(sum(&portions, Layer::Application, Cause::Payload), 21);
        let all: u64 = portions
            .iter()
            .flat_map(|it| &it.spans)
            .map(|it| u64::from(it.length))
            .sum();
        assert_eq!(all, 2 * (first.len() + second.len()) as u64);
        let one = portions[0].conversation;
        assert!(
            portions.iter().all(|it| it.conversation == one),
            "it is of the same ports"
        );
    }
}

#[test]
fn fragments_that_overlap_and_agree_make_the_packet() {
    let packet = udp(Up, COAP, b"\x40\x02\0\x01\xffa body of some length");
    let [longer, _] = fragments(&packet, 24);
    let [_, rest] = fragments(&packet, 16);
    let mut observer = Observer::new();
    observer.see(&rest);
    observer.see(&longer);
    let portions = observer.finish();
    assert_eq!(sum(&portions, Layer::Application, Cause::Payload), 21);
    assert_eq!(sum(&portions, Layer::Ip, Cause::Retransmission), 8);
}

/// 16 bits of identification are soon used up by who sends much.
#[test]
fn a_number_that_is_used_again_is_of_another_packet() {
    let bodies: [&[u8]; 2] = [
        b"\x40\x02\0\x01\xffa body of some length",
        b"\x40\x02\0\x02\xffone more message, too",
    ];
    let packets = bodies.map(|body| fragments(&udp(Up, COAP, body), 16));
    let mut observer = Observer::new();
    packets.iter().flatten().for_each(|part| observer.see(part));
    let portions = observer.finish();
    assert_eq!(sum(&portions, Layer::Application, Cause::Payload), 42);
    assert_eq!(sum(&portions, Layer::Ip, Cause::Retransmission), 0);
    // The first lacks its end.
    let mut observer = Observer::new();
    observer.see(&packets[0][0]);
    packets[1].iter().for_each(|part| observer.see(part));
    let portions = observer.finish();
    assert_eq!(sum(&portions, Layer::Application, Cause::Payload), 21);
    assert_eq!(sum(&portions, Layer::Udp, Cause::Opaque), 16);
}

/// The last comes first.
#[test]
fn a_packet_in_the_smallest_fragments_is_read() {
    let body = [&b"\x40\x02\0\x01\xff"[..], &[7; 11_000]].concat();
    let packet = udp(Up, COAP, &body);
    let data = &packet[20..];
    let mut observer = Observer::new();
    let count = data.len().div_ceil(8);
    for number in (0..count).rev() {
        let piece = &data[number * 8..data.len().min(number * 8 + 8)];
        let mut part = [&packet[..20], piece].concat();
        let length = part.len() as u16;
        let more = if number + 1 < count { 0x2000 } else { 0 };
        part[2..4].copy_from_slice(&length.to_be_bytes());
        part[6..8].copy_from_slice(&(more | number as u16).to_be_bytes());
        observer.see(&part);
        observer.see(&part);
    }
    let portions = observer.finish();
    assert_eq!(sum(&portions, Layer::Application, Cause::Payload), 11_000);
    assert_eq!(
        sum(&portions, Layer::Ip, Cause::Retransmission),
        data.len() as u64
    );
}
