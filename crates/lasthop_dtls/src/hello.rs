//! The first word of a client, and the cookie that it is asked for: nothing is held for who has not shown that it hears what
//! is sent to its address (RFC 6347 section 4.2.1).

use core::net::{IpAddr, SocketAddr};
use core::ops::Range;

use ring::hmac;

const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const HELLO_VERIFY_REQUEST: u8 = 3;
const DTLS_1_0: [u8; 2] = [0xfe, 0xff];

/// A record that is sealed and carries a connection ID (RFC 9146 section 4).
pub(crate) const TLS12_CID: u8 = 25;

/// Of a record in the clear (RFC 6347 section 4.1).
pub(crate) const RECORD_HEADER_LENGTH: usize = 13;
const MESSAGE_HEADER_LENGTH: usize = 12;
const RANDOM_LENGTH: usize = 32;
const COOKIE_LENGTH: usize = 32;

/// Where the cookie of a ClientHello stands in its message, header included, where all of it is in this fragment
/// (RFC 6347 section 4.2.1).
pub(crate) fn cookie_in(fragment: &[u8]) -> Option<Range<usize>> {
    let (header, body) = fragment.split_first_chunk::<MESSAGE_HEADER_LENGTH>()?;
    let &[CLIENT_HELLO, _, _, _, _, _, 0, 0, 0, ..] = header else {
        return None;
    };
    let (_version_and_random, body) = body.split_at_checked(2 + RANDOM_LENGTH)?;
    let (_session, body) = opaque(body)?;
    let (cookie, rest) = opaque(body)?;
    let end = fragment.len() - rest.len();
    Some(end - cookie.len()..end)
}

/// What a server reads of a ClientHello before it holds anything for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hello<'a> {
    /// The number of its record.
    pub(crate) record_number: u64,
    /// The number of its message: 0 without a cookie, 1 behind a HelloVerifyRequest.
    pub(crate) message_number: u16,
    /// The random number of the client, which tells one handshake from another.
    pub(crate) random: &'a [u8],
    cookie: &'a [u8],
}

impl<'a> Hello<'a> {
    /// Reads a datagram that begins with a whole ClientHello.
    pub(crate) fn read(datagram: &'a [u8]) -> Option<Self> {
        let (header, body) = datagram.split_first_chunk::<RECORD_HEADER_LENGTH>()?;
        let &[kind, _, _, 0, 0, a, b, c, d, e, f, _, _] = header else {
            return None;
        };
        let (message, body) = body.split_first_chunk::<MESSAGE_HEADER_LENGTH>()?;
        let &[CLIENT_HELLO, l1, l2, l3, high, low, 0, 0, 0, f1, f2, f3] = message else {
            return None;
        };
        if kind != HANDSHAKE || [l1, l2, l3] != [f1, f2, f3] {
            return None;
        }
        let (_version, body) = body.split_first_chunk::<2>()?;
        let (random, body) = body.split_at_checked(RANDOM_LENGTH)?;
        let (_session, body) = opaque(body)?;
        let (cookie, _) = opaque(body)?;
        Some(Self {
            record_number: u64::from_be_bytes([0, 0, a, b, c, d, e, f]),
            message_number: u16::from_be_bytes([high, low]),
            random,
            cookie,
        })
    }

    /// Whether it brings the cookie that its sender was given.
    pub(crate) fn is_answer(&self, secret: &hmac::Key, from: SocketAddr) -> bool {
        hmac::verify(secret, &self.named(from), self.cookie).is_ok()
    }

    /// The datagram that asks its sender for a cookie.
    pub(crate) fn verify_request(&self, secret: &hmac::Key, from: SocketAddr) -> Vec<u8> {
        let cookie = hmac::sign(secret, &self.named(from));
        let body_length = (2 + 1 + COOKIE_LENGTH) as u8;
        let mut datagram = vec![HANDSHAKE];
        datagram.extend(DTLS_1_0);
        datagram.extend([0, 0]);
        // Its record has the number of the one that it answers.
        datagram.extend(&self.record_number.to_be_bytes()[2..]);
        datagram.extend([0, MESSAGE_HEADER_LENGTH as u8 + body_length]);
        datagram.extend([HELLO_VERIFY_REQUEST, 0, 0, body_length, 0, 0]);
        datagram.extend([0, 0, 0, 0, 0, body_length]);
        datagram.extend(DTLS_1_0);
        datagram.push(COOKIE_LENGTH as u8);
        datagram.extend(cookie.as_ref());
        datagram
    }

    fn named(&self, from: SocketAddr) -> Vec<u8> {
        let mut name = self.random.to_vec();
        match from.ip() {
            IpAddr::V4(address) => name.extend(address.octets()),
            IpAddr::V6(address) => name.extend(address.octets()),
        }
        name.extend(from.port().to_be_bytes());
        name
    }
}

/// Up to 255 bytes behind their number.
fn opaque(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    rest.split_at_checked(usize::from(*length))
}
