//! What a server does with requests as they should be.

use lasthop_contract::Cause;
use lasthop_http::ServerLimits;
use lasthop_http::http::{Method, Response, StatusCode};

use crate::world::Served;

const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";

fn served() -> Served {
    Served::new(ServerLimits::default())
}

#[test]
fn one_connection_carries_one_exchange_after_the_other() {
    let mut served = served();
    let id = served.open();
    for number in 0..3 {
        let post = format!("POST /{number} HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\none");
        served.write(id, post.as_bytes());
        let heard = served.hear(id);
        assert_eq!(
            heard.text,
            "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\none"
        );
        assert!(!heard.is_over);
    }
    let paths: Vec<&str> = served.asked.iter().map(|(_, it)| it.uri().path()).collect();
    assert_eq!(paths, ["/0", "/1", "/2"]);
}

#[test]
fn requests_that_come_ahead_are_answered_in_their_order() {
    let mut served = served();
    let id = served.open();
    served.answers = false;
    served.write(
        id,
        &[
            GET,
            b"POST /b HTTP/1.1\r\nhost: b\r\ncontent-length: 1\r\n\r\nx",
            GET,
        ]
        .concat(),
    );
    for answered in 0..3 {
        assert_eq!(served.asked.len(), answered + 1, "the next one waits");
        let exchange = served.asked[answered].0;
        served.answer(exchange, &Response::new(vec![b'0' + answered as u8]));
        assert!(served.hear(id).text.ends_with(&answered.to_string()));
    }
}

#[test]
fn a_request_does_not_depend_on_how_it_was_cut() {
    let post = b"POST /a?b=c HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n";
    for cut in 0..post.len() {
        let mut served = served();
        let id = served.open();
        served.write(id, &post[..cut]);
        served.write(id, &post[cut..]);
        let (_, request) = &served.asked[0];
        assert_eq!(request.method(), Method::POST);
        assert_eq!(request.uri().query(), Some("b=c"));
        assert_eq!(request.body(), b"one", "{cut}");
    }
}

#[test]
fn the_last_exchange_of_a_connection_says_so() {
    for (last, says) in [
        (
            &b"GET / HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"[..],
            true,
        ),
        (b"GET / HTTP/1.0\r\n\r\n", true),
        (b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", false),
        (GET, false),
    ] {
        let mut served = served();
        let heard = served.say(last);
        assert_eq!(
            heard.text.contains("connection: close\r\n"),
            says,
            "{heard:?}"
        );
        assert_eq!(heard.is_over, says);
    }
}

#[test]
fn an_answer_to_head_has_no_body_and_one_of_204_no_length() {
    let mut served = served();
    served.answers = false;
    let id = served.open();
    served.write(id, b"HEAD / HTTP/1.1\r\nHost: b\r\n\r\n");
    let exchange = served.asked[0].0;
    served.answer(exchange, &Response::new(b"four".to_vec()));
    assert_eq!(
        served.hear(id).text,
        "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"
    );
    served.write(id, GET);
    let exchange = served.asked[1].0;
    let response = Response::builder()
        .status(StatusCode::NO_CONTENT)
        .body(vec![]);
    served.answer(exchange, &response.unwrap());
    assert_eq!(served.hear(id).text, "HTTP/1.1 204 No Content\r\n\r\n");
}

#[test]
fn who_asks_whether_a_body_is_wanted_is_told() {
    let mut served = served();
    let id = served.open();
    let head = b"POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
    served.write(id, head);
    assert_eq!(served.hear(id).text, "HTTP/1.1 100 Continue\r\n\r\n");
    served.write(id, b"one");
    assert!(served.hear(id).text.starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn an_answer_may_come_later_or_find_nobody() {
    let mut served = served();
    served.answers = false;
    let id = served.open();
    served.write(id, GET);
    served.wait(1000);
    let exchange = served.asked[0].0;
    served.answer(exchange, &Response::new(b"late".to_vec()));
    assert!(served.hear(id).text.ends_with("late"));
    served.write(id, GET);
    served.wire.borrow_mut().cut();
    served.wait(0);
    let other = served.open();
    assert_eq!(served.gone, [served.asked[1].0]);
    let gone = served.gone[0];
    served.answer(gone, &Response::new(b"nobody".to_vec()));
    assert_eq!(served.hear(other).text, "");
    served.answer(exchange, &Response::new(b"twice".to_vec()));
    assert_eq!(served.hear(other).text, "");
}

#[test]
fn a_client_that_writes_no_more_is_answered_all_the_same() {
    let mut served = served();
    let id = served.open();
    served.write(id, GET);
    served.hear(id);
    served.answers = false;
    served.write(id, GET);
    served.finish(id);
    let exchange = served.asked[1].0;
    served.answer(exchange, &Response::new(b"bye".to_vec()));
    let heard = served.hear(id);
    assert!(heard.text.ends_with("bye") && heard.is_over, "{heard:?}");
}

#[test]
fn a_service_that_stops_says_so_to_who_waits() {
    let mut served = served();
    served.answers = false;
    let (idle, waiting) = (served.open(), served.open());
    served.write(waiting, GET);
    served.stop();
    assert!(served.hear(idle).is_over);
    let heard = served.hear(waiting);
    assert!(heard.text.starts_with("HTTP/1.1 503 "), "{heard:?}");
    assert!(heard.is_over);
}

#[test]
fn each_byte_of_an_answer_says_what_it_is_for() {
    let mut served = served();
    served.say(b"POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\none");
    let wire = served.wire.borrow();
    let [(head, _), (body, bytes)] = &wire.written[1][..] else {
        panic!("a head and a body");
    };
    assert_eq!([head.cause, body.cause], [Cause::Header, Cause::Payload]);
    assert_eq!(bytes, b"one");
}
