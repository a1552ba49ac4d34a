//! The first word of a client, and the cookie that it is asked for: nothing is held for who has not shown that it hears what
//! is sent to its address (RFC 6347 section 4.2.1).

use core::net::{IpAddr, SocketAddr};
use core::ops::Range;

use ring::hmac;

use crate::retry;

const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const HELLO_VERIFY_REQUEST: u8 = 3;
// RFC 5246 section 7.2.
const FATAL: u8 = 2;
pub(crate) const HANDSHAKE_FAILURE: u8 = 40;
pub(crate) const PROTOCOL_VERSION: u8 = 70;
const DTLS_1_0: [u8; 2] = [0xfe, 0xff];
pub(crate) const DTLS_1_2: [u8; 2] = [0xfe, 0xfd];

/// A record that is sealed and carries a connection ID (RFC 9146 section 4).
pub(crate) const TLS12_CID: u8 = 25;

/// Of a record in the clear (RFC 6347 section 4.1).
pub(crate) const RECORD_HEADER_LENGTH: usize = 13;
const MESSAGE_HEADER_LENGTH: usize = 12;
const RANDOM_LENGTH: usize = 32;
const COOKIE_LENGTH: usize = 32;

/// Whether the first fragment of a message is of a ClientHello that names the session which it would resume.
pub(crate) fn names_session(fragment: &[u8]) -> bool {
    let session = MESSAGE_HEADER_LENGTH + 2 + RANDOM_LENGTH;
    fragment.starts_with(&[CLIENT_HELLO])
        && fragment.get(6..9) == Some(&[0; 3])
        && fragment.get(session).is_some_and(|length| *length > 0)
}

/// Where the cookie of a ClientHello stands in its message, header included, where all of it is in this fragment
/// (RFC 6347 section 4.2.1; that of DTLS 1.3 is an extension).
pub(crate) fn cookie_in(fragment: &[u8]) -> Option<Range<usize>> {
    let (header, body) = fragment.split_first_chunk::<MESSAGE_HEADER_LENGTH>()?;
    let &[CLIENT_HELLO, _, _, _, _, _, 0, 0, 0, ..] = header else {
        return None;
    };
    let (_version_and_random, body) = body.split_at_checked(2 + RANDOM_LENGTH)?;
    let (_session, body) = opaque(body)?;
    let (cookie, rest) = opaque(body)?;
    let end = fragment.len() - rest.len();
    if cookie.is_empty()
        && let Some(extensions) = extensions_behind(rest)
        && let Some(place) = retry::cookie_in(extensions)
    {
        let start = fragment.len() - extensions.len();
        return Some(start + place.start..start + place.end);
    }
    Some(end - cookie.len()..end)
}

/// The suites of a ClientHello, of what stands behind its cookie, and what follows them.
fn suites_before(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = rest.split_first_chunk()?;
    rest.split_at_checked(u16::from_be_bytes(*length).into())
}

/// The extensions of a ClientHello, of what stands behind its cookie.
fn extensions_behind(rest: &[u8]) -> Option<&[u8]> {
    let (_suites, rest) = suites_before(rest)?;
    let (_compressions, rest) = opaque(rest)?;
    let (length, extensions) = rest.split_first_chunk()?;
    (usize::from(u16::from_be_bytes(*length)) == extensions.len()).then_some(extensions)
}

/// Where the data of an extension of this kind stands (RFC 8446 section 4.2).
pub(crate) fn extension(extensions: &[u8], kind: u16) -> Option<Range<usize>> {
    let mut start = 0;
    loop {
        let (&[a, b, high, low], _) = extensions.get(start..)?.split_first_chunk()?;
        let data = start + 4..start + 4 + usize::from(u16::from_be_bytes([high, low]));
        if u16::from_be_bytes([a, b]) == kind {
            return (data.end <= extensions.len()).then_some(data);
        }
        start = data.end;
    }
}

/// A datagram of a server with one whole message in the clear: its record has the number of the one that it answers.
pub(crate) fn handshake_record(
    version: [u8; 2],
    record_number: u64,
    kind: u8,
    body: &[u8],
) -> Vec<u8> {
    record(HANDSHAKE, version, record_number, &message(kind, 0, body))
}

/// A datagram of a client with its whole ClientHello.
pub(crate) fn handshake_record_of(
    version: [u8; 2],
    record_number: u64,
    message_number: u16,
    body: &[u8],
) -> Vec<u8> {
    let message = message(CLIENT_HELLO, message_number, body);
    record(HANDSHAKE, version, record_number, &message)
}

fn message(kind: u8, number: u16, body: &[u8]) -> Vec<u8> {
    let length = &(body.len() as u32).to_be_bytes()[1..];
    let mut message = vec![kind];
    message.extend(length);
    message.extend(number.to_be_bytes());
    message.extend([0, 0, 0]);
    message.extend(length);
    message.extend(body);
    message
}

/// A part of a ClientHello.
pub(crate) struct Fragment<'a> {
    pub(crate) record_number: u64,
    pub(crate) message_number: u16,
    /// Of the whole message.
    pub(crate) length: usize,
    pub(crate) place: usize,
    pub(crate) bytes: &'a [u8],
}

/// The records of a datagram, as long as each is in the clear and a part, not the whole, of a ClientHello.
pub(crate) fn fragments(mut datagram: &[u8]) -> impl Iterator<Item = Fragment<'_>> {
    core::iter::from_fn(move || {
        let (fragment, rest) = first_fragment(datagram)?;
        datagram = rest;
        Some(fragment)
    })
}

fn first_fragment(datagram: &[u8]) -> Option<(Fragment<'_>, &[u8])> {
    let (header, rest) = datagram.split_first_chunk::<RECORD_HEADER_LENGTH>()?;
    let &[HANDSHAKE, _, _, 0, 0, a, b, c, d, e, f, high, low] = header else {
        return None;
    };
    let (record, rest) = rest.split_at_checked(u16::from_be_bytes([high, low]).into())?;
    let (message, bytes) = record.split_first_chunk::<MESSAGE_HEADER_LENGTH>()?;
    let &[CLIENT_HELLO, l1, l2, l3, n1, n2, p1, p2, p3, f1, f2, f3] = message else {
        return None;
    };
    let size = |high, middle, low| u32::from_be_bytes([0, high, middle, low]) as usize;
    let (length, place) = (size(l1, l2, l3), size(p1, p2, p3));
    let is_part = bytes.len() == size(f1, f2, f3)
        && !bytes.is_empty()
        && bytes.len() < length
        && place + bytes.len() <= length;
    let fragment = Fragment {
        record_number: u64::from_be_bytes([0, 0, a, b, c, d, e, f]),
        message_number: u16::from_be_bytes([n1, n2]),
        length,
        place,
        bytes,
    };
    is_part.then_some((fragment, rest))
}

fn record(kind: u8, version: [u8; 2], number: u64, content: &[u8]) -> Vec<u8> {
    let mut record = vec![kind];
    record.extend(version);
    record.extend([0, 0]);
    record.extend(&number.to_be_bytes()[2..]);
    record.extend((content.len() as u16).to_be_bytes());
    record.extend(content);
    record
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
    /// The identifier of the session that it would resume (RFC 5246 section 7.4.1.2).
    pub(crate) session: &'a [u8],
    cookie: &'a [u8],
    /// What it offers to seal with, two bytes each.
    pub(crate) suites: &'a [u8],
    body: &'a [u8],
    /// Behind all the rest.
    pub(crate) extensions: &'a [u8],
    /// Whether all of it is there, and not its first fragment alone.
    pub(crate) is_whole: bool,
}

impl<'a> Hello<'a> {
    /// Reads a datagram that begins with a ClientHello, or with its first fragment where that has all up to the cookie.
    pub(crate) fn read(datagram: &'a [u8]) -> Option<Self> {
        let (header, body) = datagram.split_first_chunk::<RECORD_HEADER_LENGTH>()?;
        let &[kind, _, _, 0, 0, a, b, c, d, e, f, _, _] = header else {
            return None;
        };
        let (message, body) = body.split_first_chunk::<MESSAGE_HEADER_LENGTH>()?;
        let &[CLIENT_HELLO, l1, l2, l3, high, low, 0, 0, 0, f1, f2, f3] = message else {
            return None;
        };
        let is_whole = [l1, l2, l3] == [f1, f2, f3];
        if kind != HANDSHAKE || [f1, f2, f3] > [l1, l2, l3] {
            return None;
        }
        let body = body.get(..u32::from_be_bytes([0, f1, f2, f3]) as usize)?;
        let (_version, rest) = body.split_first_chunk::<2>()?;
        let (random, rest) = rest.split_at_checked(RANDOM_LENGTH)?;
        let (session, rest) = opaque(rest)?;
        let (cookie, rest) = opaque(rest)?;
        Some(Self {
            record_number: u64::from_be_bytes([0, 0, a, b, c, d, e, f]),
            message_number: u16::from_be_bytes([high, low]),
            random,
            session,
            cookie,
            suites: suites_before(rest).unwrap_or_default().0,
            body,
            extensions: extensions_behind(rest).unwrap_or_default(),
            is_whole,
        })
    }

    /// Whether it brings the cookie that its sender was given.
    pub(crate) fn is_answer(&self, secret: &hmac::Key, from: SocketAddr) -> bool {
        hmac::verify(secret, &self.named(from), self.cookie).is_ok()
    }

    /// The datagram that asks its sender for a cookie.
    pub(crate) fn verify_request(&self, secret: &hmac::Key, from: SocketAddr) -> Vec<u8> {
        let cookie = hmac::sign(secret, &self.named(from));
        let mut body = DTLS_1_0.to_vec();
        body.push(COOKIE_LENGTH as u8);
        body.extend(cookie.as_ref());
        handshake_record(DTLS_1_0, self.record_number, HELLO_VERIFY_REQUEST, &body)
    }

    /// The datagram that tells its sender why it is not answered.
    pub(crate) fn refusal(&self, alert: u8) -> Vec<u8> {
        record(ALERT, DTLS_1_2, self.record_number, &[FATAL, alert])
    }

    /// What of it is hashed, which is as in TLS (RFC 9147 section 5.2).
    pub(crate) fn hashed(&self) -> Vec<u8> {
        let mut hashed = vec![CLIENT_HELLO];
        hashed.extend(&(self.body.len() as u32).to_be_bytes()[1..]);
        hashed.extend(self.body);
        hashed
    }

    /// What a cookie is bound to.
    pub(crate) fn named(&self, from: SocketAddr) -> Vec<u8> {
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
