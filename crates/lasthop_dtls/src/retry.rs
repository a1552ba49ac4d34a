//! DTLS 1.3: the HelloRetryRequest that asks a client for a cookie. Nothing is held for it: the cookie brings back what the
//! server needs of the first ClientHello (RFC 8446 sections 4.2.2 and 4.4.1, RFC 9147 section 5.1).

use core::net::SocketAddr;

use ring::{digest, hmac};

use crate::hello::{
    DTLS_1_2, HANDSHAKE_FAILURE, Hello, PROTOCOL_VERSION, extension, handshake_record,
};

const SERVER_HELLO: u8 = 2;
/// Stands for the first ClientHello in what both ends hash.
const MESSAGE_HASH: u8 = 254;

const SUPPORTED_GROUPS: u16 = 10;
const COOKIE: u16 = 44;
const SUPPORTED_VERSIONS: u16 = 43;
const KEY_SHARE: u16 = 51;

const DTLS_1_3: [u8; 2] = [0xfe, 0xfc];
const TLS_AES_128_GCM_SHA256: [u8; 2] = [0x13, 0x01];
const SECP256R1: [u8; 2] = [0, 23];

/// What makes a ServerHello a HelloRetryRequest (RFC 8446 section 4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

const HASH_LENGTH: usize = 32;
/// Whether a share of P-256 is asked for, the hash of the first ClientHello, and what shows that it is ours.
const COOKIE_LENGTH: usize = 1 + HASH_LENGTH + 32;

/// The datagram that asks the sender of a first ClientHello for a cookie, and for a share of P-256 where it has brought
/// none.
pub(crate) fn retry_request(hello: &Hello<'_>, secret: &hmac::Key, from: SocketAddr) -> Vec<u8> {
    let mut cookie = vec![u8::from(!has_share(hello))];
    cookie.extend(digest::digest(&digest::SHA256, &hello.hashed()).as_ref());
    let tag = hmac::sign(secret, &named(hello, from, &cookie));
    cookie.extend(tag.as_ref());
    handshake_record(
        DTLS_1_2,
        hello.record_number,
        SERVER_HELLO,
        &body_with(&cookie),
    )
}

/// The alert for a client that has nothing in common with a server of DTLS 1.3: neither the version (RFC 9147 section 5.3), nor
/// a suite and a group (RFC 8446 section 4.1.1).
pub(crate) fn refusal(hello: &Hello<'_>) -> Option<u8> {
    let versions = listed::<1>(hello, SUPPORTED_VERSIONS);
    if !versions.contains(&DTLS_1_3) {
        return Some(PROTOCOL_VERSION);
    }
    let suites = hello.suites.as_chunks::<2>().0;
    let groups = listed::<2>(hello, SUPPORTED_GROUPS);
    let is_common = suites.contains(&TLS_AES_128_GCM_SHA256) && groups.contains(&SECP256R1);
    (!is_common).then_some(HANDSHAKE_FAILURE)
}

/// The numbers of two bytes in an extension, behind a length of so many bytes.
fn listed<'a, const LENGTH: usize>(hello: &Hello<'a>, kind: u16) -> &'a [[u8; 2]] {
    let list = extension(hello.extensions, kind);
    let list = list.and_then(|place| hello.extensions.get(place)?.get(LENGTH..));
    list.unwrap_or_default().as_chunks().0
}

/// What both ends have hashed before a second ClientHello that brings a cookie of ours; `None` for any other.
pub(crate) fn transcript(
    hello: &Hello<'_>,
    secret: &hmac::Key,
    from: SocketAddr,
) -> Option<Vec<u8>> {
    let place = cookie_in(hello.extensions)?;
    let cookie = hello.extensions.get(place)?;
    let (said, tag) = cookie.split_at_checked(1 + HASH_LENGTH)?;
    hmac::verify(secret, &named(hello, from, said), tag).ok()?;
    let mut transcript = vec![MESSAGE_HASH, 0, 0, HASH_LENGTH as u8];
    transcript.extend(&said[1..]);
    let retry = body_with(cookie);
    transcript.extend([SERVER_HELLO, 0, 0, retry.len() as u8]);
    transcript.extend(retry);
    Some(transcript)
}

/// Where the cookie stands in the extensions of a ClientHello.
pub(crate) fn cookie_in(extensions: &[u8]) -> Option<core::ops::Range<usize>> {
    let place = extension(extensions, COOKIE)?;
    (place.len() >= 2).then_some(place.start + 2..place.end)
}

/// The body of a HelloRetryRequest with this cookie.
fn body_with(cookie: &[u8]) -> Vec<u8> {
    let mut extensions = Vec::new();
    let mut add = |kind: u16, data: &[&[u8]]| {
        let data = data.concat();
        extensions.extend(kind.to_be_bytes());
        extensions.extend((data.len() as u16).to_be_bytes());
        extensions.extend(data);
    };
    add(SUPPORTED_VERSIONS, &[&DTLS_1_3]);
    if cookie.first() == Some(&1) {
        add(KEY_SHARE, &[&SECP256R1]);
    }
    add(COOKIE, &[&(COOKIE_LENGTH as u16).to_be_bytes(), cookie]);
    let mut body = DTLS_1_2.to_vec();
    body.extend(RETRY);
    // No session to go on with (RFC 9147 section 5.3).
    body.push(0);
    body.extend(TLS_AES_128_GCM_SHA256);
    // No compression.
    body.push(0);
    body.extend((extensions.len() as u16).to_be_bytes());
    body.extend(extensions);
    body
}

fn named(hello: &Hello<'_>, from: SocketAddr, said: &[u8]) -> Vec<u8> {
    let mut name = hello.named(from);
    name.extend(said);
    name
}

/// Whether a ClientHello brings a share of P-256 (RFC 8446 section 4.2.8).
fn has_share(hello: &Hello<'_>) -> bool {
    let shares = extension(hello.extensions, KEY_SHARE);
    let shares = shares.and_then(|place| hello.extensions.get(place)?.get(2..));
    let mut rest = shares.unwrap_or_default();
    while let Some(([a, b, high, low], after)) = rest.split_first_chunk() {
        if [*a, *b] == SECP256R1 {
            return true;
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        rest = after.get(length..).unwrap_or_default();
    }
    false
}
