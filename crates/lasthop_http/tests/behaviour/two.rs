//! HTTP/2: both ends, and clients that play games with frames.

use lasthop_contract::Cause;
use lasthop_http::ServerLimits;
use lasthop_http::http::{Method, Response};

use crate::world::Served;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:method: GET`, `:scheme: http`, `:path: /`, `:authority: b` by the static table (RFC 7541 appendix A).
const HEAD: &[u8] = &[0x82, 0x86, 0x84, 0x41, 0x01, b'b'];

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

pub(crate) fn get(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | END_STREAM, stream, HEAD)
}

pub(crate) fn begin() -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()
}

/// The frames that a server has written: their kinds and streams.
pub(crate) fn frames(served: &Served) -> Vec<(u8, u32)> {
    let wire = served.wire.borrow();
    let written = wire.written[1].iter().flat_map(|(_, bytes)| bytes);
    let bytes: Vec<u8> = written.copied().collect();
    let (mut frames, mut rest) = (Vec::new(), &bytes[..]);
    while let [a, b, c, kind, _, stream @ ..] = rest {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let stream = u32::from_be_bytes(stream[..4].try_into().unwrap());
        frames.push((*kind, stream));
        rest = &rest[9 + length..];
    }
    frames
}

fn served() -> Served {
    Served::new(ServerLimits {
        largest_body: 1000,
        ..ServerLimits::default()
    })
}

#[test]
fn requests_are_answered_side_by_side_however_the_bytes_are_cut() {
    let bytes = [begin(), get(1), get(3)].concat();
    for piece in [1, 2, 9, 1000] {
        let mut served = served();
        served.answers = false;
        let id = served.open();
        for bytes in bytes.chunks(piece) {
            served.write(id, bytes);
        }
        assert_eq!(served.asked.len(), 2, "{piece}");
        assert_eq!(served.asked[0].1.method(), Method::GET);
        // The second one first.
        for place in [1, 0] {
            let exchange = served.asked[place].0;
            served.answer(exchange, &Response::new(b"answer".to_vec()));
        }
        let answered: Vec<u32> = frames(&served)
            .iter()
            .filter(|(kind, _)| *kind == DATA)
            .map(|(_, stream)| *stream)
            .collect();
        assert_eq!(answered, [3, 1]);
    }
}

#[test]
fn each_frame_says_what_it_is_for() {
    let mut served = served();
    let id = served.open();
    let post = frame(HEADERS, END_HEADERS, 1, HEAD);
    let ping = frame(PING, 0, 0, &[0; 8]);
    let body = frame(DATA, END_STREAM, 1, b"one");
    served.write(id, &[begin(), post, ping, body].concat());
    let wire = served.wire.borrow();
    let of = |cause| -> usize {
        let written = wire.written[1].iter();
        let of_it = written.filter(|(it, _)| it.cause == cause);
        of_it.map(|(_, bytes)| bytes.len()).sum()
    };
    assert_eq!(of(Cause::Payload), 3);
    assert_eq!(of(Cause::KeepAlive), 9 + 8);
    assert!(
        of(Cause::SessionSetUp) >= 9 + 9,
        "SETTINGS and their acknowledgement"
    );
    assert!(
        of(Cause::Header) > 9 + 9,
        "HEADERS and the frame of the body"
    );
    assert_eq!(of(Cause::Opaque), 0);
}

#[test]
fn a_body_that_is_too_large_is_refused_and_the_connection_goes_on() {
    let mut served = served();
    let id = served.open();
    let post = frame(HEADERS, END_HEADERS, 1, HEAD);
    let body = frame(DATA, END_STREAM, 1, &[0; 1001]);
    served.write(id, &[begin(), post, body, get(3)].concat());
    assert_eq!(served.asked.len(), 1, "the second alone");
    assert!(!frames(&served).iter().any(|(kind, _)| *kind == GOAWAY));
}

/// What ends a connection, by what it is called.
fn attacks() -> Vec<(&'static str, Vec<u8>)> {
    let reset: Vec<u8> = (0..2000_u32)
        .flat_map(|number| {
            let stream = 2 * number + 1;
            [get(stream), frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])].concat()
        })
        .collect();
    let continued = [
        frame(HEADERS, END_STREAM, 1, HEAD),
        frame(CONTINUATION, 0, 1, b"\x00\x01a\x01b").repeat(20_000),
    ];
    let long = [
        &[0x00, 0x01, b'a', 0x7f, 0xff, 0xff, 0x7f][..],
        &[b'x'; 16_000],
    ]
    .concat();
    let update = |by: u32| frame(WINDOW_UPDATE, 0, 0, &by.to_be_bytes());
    vec![
        ("rapid resets", reset),
        ("a head that never ends", continued.concat()),
        (
            "a head of megabytes",
            [
                frame(HEADERS, END_STREAM, 1, HEAD),
                frame(CONTINUATION, 0, 1, &long).repeat(100),
            ]
            .concat(),
        ),
        (
            "a window beyond 31 bits",
            [update(0x7fff_ffff), update(0x7fff_ffff)].concat(),
        ),
        ("a window that opens by nothing", update(0)),
        (
            "an initial window beyond 31 bits",
            frame(SETTINGS, 0, 0, &[0, 4, 0xff, 0xff, 0xff, 0xff]),
        ),
        ("a frame above the largest", frame(DATA, 0, 1, &[0; 20_000])),
        ("data of no stream", frame(DATA, 0, 0, b"x")),
        ("data of an idle stream", frame(DATA, 0, 1, b"x")),
        ("a stream of the server", get(2)),
        ("a stream that was passed over", [get(5), get(3)].concat()),
        (
            "a continuation of nothing",
            frame(CONTINUATION, END_HEADERS, 1, HEAD),
        ),
        ("a ping of seven bytes", frame(PING, 0, 0, &[0; 7])),
        ("settings of a stream", frame(SETTINGS, 0, 1, &[])),
        ("settings of five bytes", frame(SETTINGS, 0, 0, &[0; 5])),
        (
            "a field that is not in the table",
            frame(HEADERS, 5, 1, &[0xff, 0xff, 0x7f]),
        ),
        (
            "a table that grows beyond what was allowed",
            frame(HEADERS, 5, 1, &[0x3f, 0xff, 0xff, 0x7f]),
        ),
    ]
}

#[test]
fn games_with_frames_end_their_connection_and_no_other() {
    for (name, bytes) in attacks() {
        let mut served = served();
        let honest = served.open();
        let id = served.open();
        served.write(id, &begin());
        for bytes in bytes.chunks(4096) {
            served.write(id, bytes);
        }
        assert!(served.hear(id).is_over, "{name}");
        let is_told = frames(&served).iter().any(|(kind, _)| *kind == GOAWAY);
        assert!(is_told, "{name}: {:?}", frames(&served));
        served.write(honest, GET);
        assert!(served.hear(honest).text.contains("HTTP/1.1 200 "), "{name}");
        served.wait(200);
        assert_eq!(served.wire.borrow().connections(), 0, "{name}");
    }
}

#[test]
fn who_takes_nothing_holds_no_more_than_was_answered_and_is_given_up() {
    let mut served = served();
    let id = served.open();
    // No window at all: answers wait.
    let closed = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let post = |stream| {
        let head = frame(HEADERS, END_HEADERS, stream, HEAD);
        [head, frame(DATA, END_STREAM, stream, &[b'x'; 900])].concat()
    };
    served.write(id, &[PREFACE, &closed, &post(1), &post(3)].concat());
    assert_eq!(served.asked.len(), 2);
    assert!(!frames(&served).iter().any(|(kind, _)| *kind == DATA));
    served.wait(75);
    assert!(frames(&served).iter().any(|(kind, _)| *kind == GOAWAY));
    served.wait(60);
    assert_eq!(served.wire.borrow().connections(), 0);
}

#[test]
fn a_preface_that_does_not_end_and_a_head_that_does_not_come_have_their_time() {
    for part in [&PREFACE[..5], PREFACE, &begin()] {
        let mut served = served();
        let id = served.open();
        served.write(id, part);
        served.wait(140);
        assert_eq!(served.wire.borrow().connections(), 0, "{part:?}");
    }
}

#[test]
fn a_body_that_trickles_has_its_time_whatever_else_comes() {
    let post = frame(
        HEADERS,
        END_HEADERS,
        1,
        &[0x83, 0x86, 0x84, 0x41, 0x01, b'b'],
    );
    let mut served = served();
    let id = served.open();
    served.write(id, &[begin(), post].concat());
    let mut waited = 0;
    while !served.hear(id).is_over {
        assert!(waited < 80, "it is still waited for");
        served.wait(5);
        waited += 5;
        served.write(id, &frame(DATA, 0, 1, b"x"));
        served.write(id, &get(1 + 2 * waited));
    }
    assert!(
        served
            .asked
            .iter()
            .all(|(_, request)| request.method() == Method::GET)
    );
}

#[test]
fn a_request_that_is_reset_while_it_waits_is_gone() {
    let mut served = served();
    served.answers = false;
    let id = served.open();
    served.write(id, &[begin(), get(1), get(3)].concat());
    served.write(id, &frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]));
    assert_eq!(served.gone, [served.asked[0].0]);
    let exchange = served.asked[1].0;
    served.answer(exchange, &Response::new(b"answer".to_vec()));
    assert!(frames(&served).contains(&(DATA, 3)));
}

#[test]
fn bodies_that_come_at_the_same_time_have_the_room_of_four() {
    let mut served = served();
    let id = served.open();
    served.write(id, &begin());
    for stream in [1, 3, 5, 7, 9] {
        let post = frame(HEADERS, END_HEADERS, stream, HEAD);
        let body = frame(DATA, 0, stream, &[0; 999]);
        served.write(id, &[post, body].concat());
    }
    let answered = frames(&served).into_iter();
    let answered: Vec<u32> = answered
        .filter(|(kind, _)| *kind == HEADERS)
        .map(|(_, stream)| stream)
        .collect();
    assert_eq!(answered, [9], "it is refused, the others are waited for");
    for stream in [1, 3, 5, 7] {
        served.write(id, &frame(DATA, END_STREAM, stream, b""));
    }
    assert_eq!(served.asked.len(), 4);
}
