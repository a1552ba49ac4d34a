//! A client that says what it likes: it is refused, and another is served meanwhile.

use lasthop_contract::RandomStream;
use lasthop_http::ServerLimits;

use crate::world::Served;

const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";

fn served() -> Served {
    Served::new(ServerLimits {
        largest_body: 1000,
        ..ServerLimits::default()
    })
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    format!("POST / HTTP/1.1\r\nHost: b\r\n{fields}\r\n{body}").into_bytes()
}

/// A request with these bytes before the end of its head.
fn get(line: &str, fields: &str) -> Vec<u8> {
    format!("{line}\r\n{fields}\r\n").into_bytes()
}

/// What is refused, by which status.
fn refused() -> Vec<(&'static str, Vec<u8>, u16)> {
    let smuggled = "0\r\n\r\nGET /b HTTP/1.1\r\nHost: b\r\n\r\n";
    vec![
        (
            "a length and chunks",
            post(
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                smuggled,
            ),
            400,
        ),
        (
            "chunks and a length",
            post(
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                smuggled,
            ),
            400,
        ),
        (
            "two lengths",
            post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
            400,
        ),
        (
            "the same length twice",
            post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
            400,
        ),
        (
            "a list of lengths",
            post("Content-Length: 5, 5\r\n", "hello"),
            400,
        ),
        (
            "a signed length",
            post("Content-Length: +5\r\n", "hello"),
            400,
        ),
        (
            "a negative length",
            post("Content-Length: -1\r\n", "hello"),
            400,
        ),
        (
            "a length in hexadecimal",
            post("Content-Length: 0x5\r\n", "hello"),
            400,
        ),
        ("no length", post("Content-Length:\r\n", "hello"), 400),
        (
            "a length beyond 64 bits",
            post("Content-Length: 99999999999999999999\r\n", "hello"),
            400,
        ),
        ("a long body", post("Content-Length: 1001\r\n", ""), 413),
        (
            "two codings",
            post(
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                smuggled,
            ),
            400,
        ),
        (
            "a coding of others",
            post("Transfer-Encoding: gzip, chunked\r\n", smuggled),
            501,
        ),
        (
            "a coding that is nearly one",
            post("Transfer-Encoding: xchunked\r\n", smuggled),
            501,
        ),
        (
            "a coding behind a vertical tab",
            post("Transfer-Encoding: \x0bchunked\r\n", smuggled),
            400,
        ),
        (
            "chunks in HTTP/1.0",
            b"POST / HTTP/1.0\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
            400,
        ),
        (
            "space before the colon",
            post("Transfer-Encoding : chunked\r\n", smuggled),
            400,
        ),
        (
            "a folded line",
            post("Transfer-Encoding:\r\n chunked\r\n", smuggled),
            400,
        ),
        (
            "a line that ends by LF alone",
            post("A: b\nTransfer-Encoding: chunked\r\n", smuggled),
            400,
        ),
        ("a CR within a value", post("A: b\rc\r\n", ""), 400),
        ("a zero byte", post("A: b\0c\r\n", ""), 400),
        ("a name with a space", post("A b: c\r\n", ""), 400),
        (
            "a chunk that is signed",
            post("Transfer-Encoding: chunked\r\n", "+1\r\na\r\n"),
            400,
        ),
        (
            "a chunk longer than it says",
            post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n"),
            400,
        ),
        (
            "a chunk of 16 EiB",
            post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n"),
            413,
        ),
        (
            "a chunk of 17 digits",
            post(
                "Transfer-Encoding: chunked\r\n",
                "00000000000000001\r\na\r\n",
            ),
            400,
        ),
        ("no host", get("GET / HTTP/1.1", ""), 400),
        (
            "two hosts",
            get("GET / HTTP/1.1", "Host: a\r\nHost: b\r\n"),
            400,
        ),
        ("HTTP/2 by name", get("GET / HTTP/2.0", "Host: a\r\n"), 505),
        ("HTTP/0.9", b"GET /\r\n\r\n".to_vec(), 400),
        ("a tunnel", get("CONNECT a:80 HTTP/1.1", "Host: a\r\n"), 400),
        ("no path", get("GET a HTTP/1.1", "Host: a\r\n"), 400),
        (
            "another scheme",
            get("GET file:///etc/passwd HTTP/1.1", "Host: a\r\n"),
            400,
        ),
        ("two spaces", get("GET  / HTTP/1.1", "Host: a\r\n"), 400),
        (
            "an expectation of others",
            post("Expect: the-spanish-inquisition\r\n", ""),
            417,
        ),
        (
            "a ClientHello",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
            400,
        ),
        (
            "a long path",
            get(&format!("GET /{} HTTP/1.1", "a".repeat(1 << 20)), ""),
            431,
        ),
        (
            "a long field",
            post(&format!("A: {}\r\n", "b".repeat(1 << 20)), ""),
            431,
        ),
        ("many fields", post(&"A: b\r\n".repeat(101), ""), 431),
    ]
}

#[test]
fn what_could_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_served() {
    for (name, bytes, status) in refused() {
        for piece in [usize::MAX, 1000, 1] {
            if piece == 1 && bytes.len() > 10_000 {
                continue;
            }
            let mut served = served();
            let honest = served.open();
            let id = served.open();
            for bytes in bytes.chunks(piece.min(bytes.len())) {
                served.write(id, bytes);
            }
            let heard = served.hear(id);
            let line = format!("HTTP/1.1 {status} ");
            assert!(heard.text.starts_with(&line), "{name}: {heard:?}");
            assert!(heard.text.contains("\r\nconnection: close\r\n"), "{name}");
            assert!(heard.is_over, "{name}");
            assert!(served.asked.is_empty(), "{name}: {:?}", served.asked);
            served.write(id, GET);
            assert!(served.asked.is_empty(), "{name}: nothing follows a refusal");
            served.write(honest, GET);
            assert!(
                served.hear(honest).text.starts_with("HTTP/1.1 200 "),
                "{name}"
            );
        }
    }
}

#[test]
fn who_is_slow_has_his_time_and_no_more() {
    let body = b"POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 100\r\n\r\n";
    for (name, first, piece) in [
        ("a head", &b"GET / HTTP/1.1\r\n"[..], &b"A"[..]),
        ("empty lines", b"\r\n", b"\r\n"),
        ("a body", body, b"x"),
        ("nothing", b"", b""),
    ] {
        let mut served = served();
        let id = served.open();
        served.write(id, first);
        let mut waited = 0;
        let mut heard = served.hear(id);
        while !heard.is_over {
            assert!(waited < 80, "{name} is still waited for");
            served.wait(5);
            waited += 5;
            served.write(id, piece);
            heard = served.hear(id);
        }
        let is_told = matches!(name, "a head" | "a body");
        assert_eq!(heard.text.starts_with("HTTP/1.1 408 "), is_told, "{name}");
        assert!(served.asked.is_empty());
    }
}

#[test]
fn a_body_that_keeps_coming_has_all_the_time_that_it_needs() {
    let mut served = Served::new(ServerLimits::default());
    let id = served.open();
    served.write(
        id,
        b"POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 10000\r\n\r\n",
    );
    for _ in 0..20 {
        served.wait(50);
        served.write(id, &[b'x'; 500]);
    }
    assert_eq!(served.asked[0].1.body().len(), 10_000);
    assert!(served.hear(id).text.starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_connection_that_says_nothing_ends_and_one_that_does_not_close_is_reset() {
    let mut served = served();
    let id = served.open();
    served.write(id, GET);
    assert!(!served.hear(id).is_over);
    served.wait(74);
    assert!(!served.hear(id).is_over);
    served.wait(1);
    assert_eq!(
        served.wire.borrow().connections(),
        1,
        "the client has not closed"
    );
    served.wait(60);
    assert_eq!(served.wire.borrow().connections(), 0);
    assert_eq!(served.requests.next_deadline(), None);
}

#[test]
fn who_asks_ahead_without_end_is_not_read_further_than_the_request_that_is_answered() {
    let mut served = served();
    served.answers = false;
    let id = served.open();
    for _ in 0..1000 {
        served.write(id, &GET.repeat(100));
    }
    assert_eq!(served.asked.len(), 1);
    let unread = served.wire.borrow_mut().under_way(id, 0).unwrap().len();
    let written = 100_000 * GET.len();
    assert!(written - unread <= 16 * 1024 + 4096, "{unread}");
}

#[test]
fn whatever_comes_is_answered_or_waited_for() {
    let mut random = RandomStream::named(1, "noise");
    let words: [&[u8]; 12] = [
        b"GET ",
        b"POST ",
        b"/ ",
        b"HTTP/1.1\r\n",
        b"Host: b\r\n",
        b"\r\n",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"3\r\n",
        b"one",
        b"0\r\n",
        b"\0",
    ];
    for _ in 0..3000 {
        let mut served = served();
        let id = served.open();
        for _ in 0..random.below(20) {
            let word = words[random.below(words.len() as u64) as usize];
            served.write(id, word);
        }
        served.wait(300);
        assert_eq!(served.wire.borrow().connections(), 0, "everything ends");
    }
}
