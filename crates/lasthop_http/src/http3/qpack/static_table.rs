//! The static table of QPACK (RFC 9204 appendix A).

pub(super) static STATIC_TABLE: [(&str, &str); 99] = [
    (":authority", ""),
    (":path", "/"),
    ("age", "0"),
    ("content-disposition", ""),
    ("content-length", "0"),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("referer", ""),
    ("set-cookie", ""),
    (":method", "CONNECT"),
    (":method", "DELETE"),
    (":method", "GET"),
    (":method", "HEAD"),
    (":method", "OPTIONS"),
    (":method", "POST"),
    (":method", "PUT"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "103"),
    (":status", "200"),
    (":status", "304"),
    (":status", "404"),
    (":status", "503"),
    ("accept", "*/*"),
    ("accept", "application/dns-message"),
    ("accept-encoding", "gzip, deflate, br"),
    ("accept-ranges", "bytes"),
    ("access-control-allow-headers", "cache-control"),
    ("access-control-allow-headers", "content-type"),
    ("access-control-allow-origin", "*"),
    ("cache-control", "max-age=0"),
    ("cache-control", "max-age=2592000"),
    ("cache-control", "max-age=604800"),
    ("cache-control", "no-cache"),
    ("cache-control", "no-store"),
    ("cache-control", "public, max-age=31536000"),
    ("content-encoding", "br"),
    ("content-encoding", "gzip"),
    ("content-type", "application/dns-message"),
    ("content-type", "application/javascript"),
    ("content-type", "application/json"),
    ("content-type", "application/x-www-form-urlencoded"),
    ("content-type", "image/gif"),
    ("content-type", "image/jpeg"),
    ("content-type", "image/png"),
    ("content-type", "text/css"),
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/plain"),
    ("content-type", "text/plain;charset=utf-8"),
    ("range", "bytes=0-"),
    ("strict-transport-security", "max-age=31536000"),
    (
        "strict-transport-security",
        "max-age=31536000; includesubdomains",
    ),
    (
        "strict-transport-security",
        "max-age=31536000; includesubdomains; preload",
    ),
    ("vary", "accept-encoding"),
    ("vary", "origin"),
    ("x-content-type-options", "nosniff"),
    ("x-xss-protection", "1; mode=block"),
    (":status", "100"),
    (":status", "204"),
    (":status", "206"),
    (":status", "302"),
    (":status", "400"),
    (":status", "403"),
    (":status", "421"),
    (":status", "425"),
    (":status", "500"),
    ("accept-language", ""),
    ("access-control-allow-credentials", "FALSE"),
    ("access-control-allow-credentials", "TRUE"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-methods", "get"),
    ("access-control-allow-methods", "get, post, options"),
    ("access-control-allow-methods", "options"),
    ("access-control-expose-headers", "content-length"),
    ("access-control-request-headers", "content-type"),
    ("access-control-request-method", "get"),
    ("access-control-request-method", "post"),
    ("alt-svc", "clear"),
    ("authorization", ""),
    (
        "content-security-policy",
        "script-src 'none'; object-src 'none'; base-uri 'none'",
    ),
    ("early-data", "1"),
    ("expect-ct", ""),
    ("forwarded", ""),
    ("if-range", ""),
    ("origin", ""),
    ("purpose", "prefetch"),
    ("server", ""),
    ("timing-allow-origin", "*"),
    ("upgrade-insecure-requests", "1"),
    ("user-agent", ""),
    ("x-forwarded-for", ""),
    ("x-frame-options", "deny"),
    ("x-frame-options", "sameorigin"),
];

/// Which entries have names of a length, and how many there are.
static BY_LENGTH: [([u8; MOST_OF_A_LENGTH], usize); LONGEST_NAME + 1] = by_length();

const MOST_OF_A_LENGTH: usize = 26;
const LONGEST_NAME: usize = 32;

/// Returns the first entry with a name, and the entry with both name and value.
pub(super) fn in_static_table(name: &[u8], value: &[u8]) -> (Option<usize>, Option<usize>) {
    let Some((places, count)) = BY_LENGTH.get(name.len()) else {
        return (None, None);
    };
    let mut named = None;
    for place in places[..*count].iter().map(|it| usize::from(*it)) {
        let entry = STATIC_TABLE[place];
        if entry.0.as_bytes() != name {
            continue;
        }
        named = named.or(Some(place));
        if entry.1.as_bytes() == value {
            return (named, Some(place));
        }
    }
    (named, None)
}

const fn by_length() -> [([u8; MOST_OF_A_LENGTH], usize); LONGEST_NAME + 1] {
    let mut made = [([0; MOST_OF_A_LENGTH], 0); LONGEST_NAME + 1];
    let mut place = 0;
    while place < STATIC_TABLE.len() {
        let of_length = &mut made[STATIC_TABLE[place].0.len()];
        of_length.0[of_length.1] = place as u8;
        of_length.1 += 1;
        place += 1;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_found_by_its_field_and_by_its_name() {
        for (place, (name, value)) in STATIC_TABLE.iter().enumerate() {
            let first = STATIC_TABLE.iter().position(|(other, _)| other == name);
            let found = in_static_table(name.as_bytes(), value.as_bytes());
            assert_eq!(found, (first, Some(place)));
            let found = in_static_table(name.as_bytes(), b"something else");
            assert_eq!(found, (first, None));
        }
        let longer = [b'x'; LONGEST_NAME + 1];
        for name in [&b""[..], b"x", b"datE", &longer] {
            assert_eq!(in_static_table(name, b""), (None, None));
        }
    }
}
