//! HTTP/1.1 in segments of any size, from clients and servers of any make.

use lasthop_classify::Protocol;
use lasthop_contract::Direction::{self, Down, Up};
use lasthop_contract::{Cause, Layer};

use crate::network::{ACK, Observer, SYN, sum, tcp, words};

const PORT: u16 = 8080;

const POST: &[u8] = b"POST /v1/d:publishEvent HTTP/1.1\r\nHost: h\r\nAUTHORIZATION: Bearer abc\r\nContent-Length: 7\r\n\r\npayload";
const CHUNKED: &[u8] =
    b"PUT /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0004\r\ndefg\r\n0\r\nT: t\r\n\r\n";
const FIELD: usize = "AUTHORIZATION: Bearer abc\r\n".len();

const CAUSES: [Cause; 5] = [
    Cause::Header,
    Cause::Authorisation,
    Cause::Payload,
    Cause::Acknowledgement,
    Cause::Opaque,
];

/// What bytes of the two ends, in turns and in segments of a size, are for.
fn causes(turns: &[(Direction, &[u8])], size: usize) -> [u64; 5] {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
    let mut said = [1_u32, 1];
    for (direction, bytes) in turns {
        let own = *direction as usize;
        for part in bytes.chunks(size) {
            let numbers = (said[own], said[1 - own]);
            observer.see(&tcp(*direction, PORT, numbers, ACK, part));
            said[own] += part.len() as u32;
        }
    }
    let portions = observer.finish();
    CAUSES.map(|cause| sum(&portions, Layer::Application, cause))
}

#[test]
fn requests_are_heads_tokens_and_bodies_whatever_segments_hold_them() {
    let (heads, framing) = (POST.len() + CHUNKED.len(), FIELD + 2 * 7);
    let expected = [heads - framing, FIELD, 14, 0, 0].map(|it| it as u64);
    for size in [40, 60, 64, 1000] {
        assert_eq!(
            causes(&[(Up, POST), (Up, CHUNKED)], size),
            expected,
            "{size}"
        );
    }
}

#[test]
fn answers_are_acknowledgements_where_they_say_nothing_else() {
    let empty = b"HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n";
    let refused = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\nno!\n";
    let full = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    let turns: [(Direction, &[u8]); 6] = [
        (Up, POST),
        (Down, empty),
        (Up, POST),
        (Down, refused),
        (Up, POST),
        (Down, full),
    ];
    let requests = causes(&[(Up, POST), (Up, POST), (Up, POST)], 1000);
    let found = causes(&turns, 1000);
    let answers = [0, 1, 2, 3, 4].map(|place| found[place] - requests[place]);
    let acknowledged = (empty.len() + refused.len()) as u64;
    assert_eq!(answers, [full.len() as u64 - 2, 0, 2, acknowledged, 0]);
}

#[test]
fn an_answer_ends_by_its_length_its_request_or_the_connection() {
    let head = b"HEAD / HTTP/1.1\r\n\r\n";
    let of_head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
    let ends_with_it = b"HTTP/1.0 200 OK\r\n\r\nall of this, and this";
    let turns: [(Direction, &[u8]); 4] = [
        (Up, head),
        (Up, head),
        (Down, of_head),
        (
            Down,
            b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        ),
    ];
    let found = causes(&turns, 1000);
    assert_eq!((found[2], found[4]), (0, 0));
    let found = causes(&[(Up, POST), (Down, ends_with_it)], 1000);
    assert_eq!(found[2], 7 + 21);
}

#[test]
fn what_is_no_http_any_more_is_opaque_and_a_later_request_is_read() {
    let found = causes(
        &[(Up, POST), (Up, b"\x00\x01not a request\r\n"), (Up, POST)],
        1000,
    );
    assert_eq!((found[2], found[4]), (14, 17));
    // A connection that becomes another one.
    let turns: [(Direction, &[u8]); 3] = [
        (Up, b"GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n"),
        (Down, b"HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        (Down, b"frames"),
    ];
    assert_eq!(causes(&turns, 1000)[4], 36 + 6);
    // HTTP/2 without TLS is spoken at the same port.
    let turns: [(Direction, &[u8]); 4] = [
        (Up, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        (Down, b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0d"),
        (Up, b"\0\0\0\x04\x01\0\0\0\0"),
        (Down, b"\0\0\0\x04\x01\0\0\0\0"),
    ];
    let mut observer = Observer::new();
    for (direction, bytes) in turns {
        observer.see(&tcp(direction, 80, (1, 1), ACK, bytes));
    }
    let portions = observer.finish();
    assert_eq!(sum(&portions, Layer::Application, Cause::Header), 0);
    // A line without an end is nobody's, nor is a size that is none.
    let endless = [b"GET /".to_vec(), vec![b'a'; 70_000]].concat();
    assert_eq!(causes(&[(Up, POST), (Up, &endless)], 1000)[2], 7);
    let wrong = b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc";
    assert_eq!(causes(&[(Up, wrong)], 1000)[4], 8);
}

#[test]
fn a_body_that_was_not_kept_or_not_captured_is_still_one() {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (0, 0), SYN, b""));
    let packet = tcp(Up, PORT, (1, 1), ACK, POST);
    observer.see_beginning(&packet, packet.len() - 5);
    assert!(
        observer.last().ends_with("application.payload 7"),
        "{}",
        observer.last()
    );
    observer.see(&tcp(Up, PORT, (1 + POST.len() as u32, 1), ACK, POST));
    assert_eq!(
        observer.classifier.conversations()[0].protocol,
        Protocol::Http
    );
    let portions = observer.finish();
    assert_eq!(sum(&portions, Layer::Application, Cause::Payload), 14);
}

#[test]
fn it_is_known_by_its_first_line_or_by_what_is_said_of_a_port() {
    let mut observer = Observer::new();
    observer.classifier.say_port(PORT, Protocol::Http);
    observer.see(&tcp(Up, PORT, (5000, 1), ACK, b"in the middle of one"));
    observer.see(&tcp(Up, PORT, (5020, 1), ACK, POST));
    let told = observer.finish();
    assert_eq!(words(&told[0]), "tcp.header 20, application.opaque 20");
    assert_eq!(sum(&told, Layer::Application, Cause::Payload), 7);
}
