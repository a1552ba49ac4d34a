//! The opening handshake (RFC 6455 section 4): a request and a response of HTTP/1.1.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use httparse::{EMPTY_HEADER, Header, Request, Response, Status};
use sha1::{Digest, Sha1};

use crate::WebSocketConfig;

/// The longest head that is read: what servers commonly allow.
pub(crate) const LONGEST_HEAD: usize = 8192;
const MOST_HEADERS: usize = 64;
const KEY_LENGTH: usize = 16;
/// RFC 6455 section 1.3.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What a server makes of what a client has sent so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The head has no end yet.
    Incomplete,
    /// A head of this length asks for what the server has; what to answer.
    Accepted(usize, String),
    /// It asks for something else; what to answer.
    Refused(&'static str),
}

/// What a client makes of what a server has sent so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The head has no end yet.
    Incomplete,
    /// A head of this length opens the connection.
    Open(usize),
    /// It does not.
    Refused,
}

/// A key of the client, from random bytes.
pub(crate) fn key(random: [u8; KEY_LENGTH]) -> String {
    STANDARD.encode(random)
}

/// What shows that the server has read the key (RFC 6455 section 4.2.2).
pub(crate) fn accept(key: &[u8]) -> String {
    let digest = Sha1::new().chain_update(key).chain_update(GUID).finalize();
    STANDARD.encode(digest)
}

/// The client's request.
pub(crate) fn request(config: &WebSocketConfig, host: &str, key: &str) -> String {
    let (resource, subprotocol) = (&config.resource, line_of(config.subprotocol.as_deref()));
    format!(
        "GET {resource} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{subprotocol}\r\n"
    )
}

/// What says the subprotocol in either head.
fn line_of(subprotocol: Option<&str>) -> String {
    subprotocol.map_or_else(String::new, |name| {
        format!("Sec-WebSocket-Protocol: {name}\r\n")
    })
}

/// Reads a request (RFC 6455 section 4.2.1).
pub(crate) fn asked(bytes: &[u8], subprotocol: Option<&str>) -> Asked {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut request = Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(Status::Complete(length)) if length <= LONGEST_HEAD => length,
        Ok(Status::Partial) if bytes.len() < LONGEST_HEAD => return Asked::Incomplete,
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Asked::Refused(TOO_LARGE),
        Err(_) => return Asked::Refused(BAD_REQUEST),
    };
    if request.method != Some("GET") {
        return Asked::Refused(NOT_ALLOWED);
    }
    let headers = &*request.headers;
    if !has_token(headers, "upgrade", "websocket") || !has_token(headers, "connection", "upgrade") {
        return Asked::Refused(UPGRADE_REQUIRED);
    }
    if only(headers, "sec-websocket-version") != Some(b"13") {
        return Asked::Refused(UPGRADE_REQUIRED);
    }
    let key = only(headers, "sec-websocket-key").filter(|key| is_key(key));
    let (Some(key), Some(1), Some(_)) = (key, request.version, only(headers, "host")) else {
        return Asked::Refused(BAD_REQUEST);
    };
    // Names of subprotocols are told apart by case.
    let mut offered = values(headers, "sec-websocket-protocol");
    if subprotocol.is_some_and(|it| !offered.any(|offer| offer == it.as_bytes())) {
        return Asked::Refused(BAD_REQUEST);
    }
    let accept = accept(key);
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{}\r\n",
        line_of(subprotocol)
    );
    Asked::Accepted(length, response)
}

/// Reads a response (RFC 6455 section 4.1).
pub(crate) fn answered(bytes: &[u8], accept: &str, subprotocol: Option<&str>) -> Answered {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut response = Response::new(&mut headers);
    let length = match response.parse(bytes) {
        Ok(Status::Complete(length)) if length <= LONGEST_HEAD => length,
        Ok(Status::Partial) if bytes.len() < LONGEST_HEAD => return Answered::Incomplete,
        _ => return Answered::Refused,
    };
    let headers = &*response.headers;
    let opens = response.code == Some(101)
        && has_token(headers, "upgrade", "websocket")
        && has_token(headers, "connection", "upgrade")
        && only(headers, "sec-websocket-accept") == Some(accept.as_bytes())
        && only(headers, "sec-websocket-protocol") == subprotocol.map(str::as_bytes)
        && values(headers, "sec-websocket-extensions").next().is_none();
    match opens {
        true => Answered::Open(length),
        false => Answered::Refused,
    }
}

const BAD_REQUEST: &str = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
const NOT_ALLOWED: &str =
    "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nConnection: close\r\n\r\n";
const UPGRADE_REQUIRED: &str = "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n\
     Connection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\n\r\n";
const TOO_LARGE: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n";

/// The elements of all headers of a name, which commas part.
fn values<'a>(headers: &'a [Header<'_>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let named = headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name));
    named
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
}

fn has_token(headers: &[Header<'_>], name: &str, token: &str) -> bool {
    values(headers, name).any(|value| value.eq_ignore_ascii_case(token.as_bytes()))
}

/// The value of a header that must be there once.
fn only<'a>(headers: &'a [Header<'_>], name: &'a str) -> Option<&'a [u8]> {
    let mut values = values(headers, name);
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

fn is_key(key: &[u8]) -> bool {
    STANDARD
        .decode(key)
        .is_ok_and(|bytes| bytes.len() == KEY_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn whole() -> String {
        request(&WebSocketConfig::new("mqtt"), "192.0.2.1:80", KEY)
    }

    #[test]
    fn a_key_is_accepted_as_in_the_example_of_the_rfc() {
        assert_eq!(key(*b"the sample nonce"), KEY);
        assert_eq!(accept(KEY.as_bytes()), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn each_end_accepts_the_other_and_waits_for_all_of_it() {
        let whole = whole();
        for length in 0..whole.len() {
            let part = asked(&whole.as_bytes()[..length], Some("mqtt"));
            assert_eq!(part, Asked::Incomplete, "{length}");
        }
        let Asked::Accepted(length, response) = asked(whole.as_bytes(), Some("mqtt")) else {
            panic!("it is as it must be");
        };
        assert_eq!(length, whole.len());
        let accept = accept(KEY.as_bytes());
        let answer = |bytes: &[u8]| answered(bytes, &accept, Some("mqtt"));
        for length in 0..response.len() {
            assert_eq!(answer(&response.as_bytes()[..length]), Answered::Incomplete);
        }
        let behind = [response.as_bytes(), &[0x82, 0]].concat();
        assert_eq!(answer(&behind), Answered::Open(response.len()));
    }

    #[test]
    fn what_browsers_and_proxies_add_is_taken() {
        let more = whole()
            .replace(
                "Connection: Upgrade",
                "connection: keep-alive, UPGRADE\r\nOrigin: http://a.example",
            )
            .replace("Protocol: mqtt", "Protocol: mqttv3.1, mqtt")
            .replace("Upgrade: websocket", "Upgrade: WebSocket")
            .replace(
                "Host:",
                "Sec-WebSocket-Extensions: permessage-deflate\r\nHost:",
            );
        assert!(matches!(
            asked(more.as_bytes(), Some("mqtt")),
            Asked::Accepted(..)
        ));
    }

    #[test]
    fn a_request_for_something_else_is_refused() {
        for (from, to, status) in [
            ("GET", "POST", "405"),
            ("HTTP/1.1", "HTTP/1.0", "400"),
            ("Host: 192.0.2.1:80\r\n", "", "400"),
            ("Upgrade: websocket", "Upgrade: h2c", "426"),
            ("Connection: Upgrade", "Connection: close", "426"),
            ("Version: 13", "Version: 8", "426"),
            ("Version: 13", "Version: 13, 13", "426"),
            (KEY, "c2hvcnQ=", "400"),
            (KEY, "no base64 at all........", "400"),
            ("Protocol: mqtt", "Protocol: MQTT", "400"),
            ("Protocol: mqtt", "Protocol: ", "400"),
            ("Host", "Ho st", "400"),
        ] {
            let asks = whole().replace(from, to);
            assert_ne!(asks, whole(), "{from}");
            let Asked::Refused(response) = asked(asks.as_bytes(), Some("mqtt")) else {
                panic!("{to} was taken");
            };
            assert_eq!(&response[9..12], status, "{to}");
        }
    }

    #[test]
    fn a_head_that_is_too_long_is_refused_before_it_ends() {
        let long = |name: &str| whole().replace("Host", name);
        let refused = Asked::Refused(TOO_LARGE);
        let without_end = format!("GET /{} ", "a".repeat(LONGEST_HEAD));
        assert_eq!(asked(without_end.as_bytes(), Some("mqtt")), refused);
        let in_one_go = long(&format!("X: {}\r\nHost", "a".repeat(LONGEST_HEAD)));
        assert_eq!(asked(in_one_go.as_bytes(), Some("mqtt")), refused);
        let many = long(&format!("{}Host", "X: y\r\n".repeat(MOST_HEADERS)));
        assert_eq!(asked(many.as_bytes(), Some("mqtt")), refused);
    }

    #[test]
    fn a_response_that_opens_nothing_is_refused() {
        let Asked::Accepted(_, response) = asked(whole().as_bytes(), Some("mqtt")) else {
            panic!("it is as it must be");
        };
        let accept = accept(KEY.as_bytes());
        for (from, to) in [
            ("101", "200"),
            ("Upgrade: websocket", "Upgrade: h2c"),
            ("Connection: Upgrade", "Connection: close"),
            ("Accept: ", "Accept: x"),
            ("Protocol: mqtt", "Protocol: amqp"),
            ("Sec-WebSocket-Protocol: mqtt\r\n", ""),
            (
                "Upgrade: w",
                "Sec-WebSocket-Extensions: permessage-deflate\r\nUpgrade: w",
            ),
            ("HTTP", "http"),
        ] {
            let other = response.replace(from, to);
            assert_ne!(other, response, "{from}");
            let said = answered(other.as_bytes(), &accept, Some("mqtt"));
            assert_eq!(said, Answered::Refused, "{to}");
        }
    }
}
