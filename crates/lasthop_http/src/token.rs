//! Tokens by which a device shows who it is: JSON Web Tokens (RFC 7519), signed by ECDSA on P-256 (RFC 7518 §3.4).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};

/// Makes the tokens of a device, one after the other.
#[derive(Debug)]
pub struct TokenSource {
    key: SigningKey,
    /// How long one is good.
    lifetime: Duration,
    /// When the run begins, in seconds since 1970.
    calendar: u64,
    current: Option<(HeaderValue, Instant)>,
}

/// What a token is for, as it says.
const AUDIENCE: &str = "lasthop";
/// `{"alg":"ES256","typ":"JWT"}`
const HEADER: &[u8] = br#"{"alg":"ES256","typ":"JWT"}"#;

impl TokenSource {
    /// A source with a key from this stream.
    #[must_use]
    pub fn new(mut random: RandomStream, lifetime: Duration, calendar: u64) -> Self {
        let key = core::iter::repeat_with(|| {
            let mut bytes = [0; 32];
            for chunk in bytes.chunks_mut(8) {
                chunk.copy_from_slice(&random.next_u64().to_be_bytes());
            }
            SigningKey::from_slice(&bytes)
        });
        Self {
            // Almost every number is a key.
            key: key.flatten().next().expect("there is no end"),
            lifetime,
            calendar,
            current: None,
        }
    }

    /// What the field `Authorization` says now: a new token where the last one ends.
    pub(crate) fn bearer(&mut self, now: Instant) -> HeaderValue {
        if let Some((bearer, until)) = &self.current
            && now < *until
        {
            return bearer.clone();
        }
        let bearer = self.sign(now);
        self.current = Some((bearer.clone(), now + self.lifetime));
        bearer
    }

    fn sign(&self, now: Instant) -> HeaderValue {
        let issued = second(now, self.calendar);
        let expires = issued + self.lifetime.as_nanos() / NANOS;
        let claims = format!(r#"{{"aud":"{AUDIENCE}","iat":{issued},"exp":{expires}}}"#);
        let [header, claims] = [HEADER, claims.as_bytes()].map(|it| URL_SAFE_NO_PAD.encode(it));
        let signed = format!("{header}.{claims}");
        // Its random number follows from key and message (RFC 6979).
        let signature: Signature = self.key.sign(signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        let bearer = format!("Bearer {signed}.{signature}");
        HeaderValue::from_str(&bearer).expect("base64url is visible text")
    }
}

/// How long behind its end a token is taken: clocks differ, and requests travel. As much as Cloud IoT Core gave.
const SKEW_SECONDS: u64 = 600;

const NANOS: u64 = 1_000_000_000;

fn second(now: Instant, calendar: u64) -> u64 {
    calendar + now.as_nanos() / NANOS
}

/// Whether a request brings a token that is good now, by what it says: who signed it is not looked at.
pub(crate) fn has_good_token(fields: &HeaderMap, now: Instant, calendar: u64) -> bool {
    expiry(fields)
        .is_some_and(|expires| second(now, calendar) < expires.saturating_add(SKEW_SECONDS))
}

fn expiry(fields: &HeaderMap) -> Option<u64> {
    let value = fields.get(AUTHORIZATION)?.to_str().ok()?;
    let mut parts = value.strip_prefix("Bearer ")?.split('.');
    let (_header, claims, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    let claims = URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims = core::str::from_utf8(&claims).ok()?;
    let (_, behind) = claims.split_once(r#""exp":"#)?;
    let digits = behind.trim_end_matches('}');
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier;

    use super::*;

    const CALENDAR: u64 = 1_767_225_600;

    fn source() -> TokenSource {
        let random = RandomStream::named(1, "device/0/token");
        TokenSource::new(random, Duration::from_secs(3600), CALENDAR)
    }

    fn at(second: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(second)
    }

    #[test]
    fn a_token_is_signed_and_as_long_as_those_of_others() {
        let mut source = source();
        let bearer = source.bearer(at(0));
        let token = bearer.to_str().unwrap().strip_prefix("Bearer ").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let signature = Signature::from_slice(&signature).unwrap();
        let key = VerifyingKey::from(&source.key);
        assert!(key.verify(signed.as_bytes(), &signature).is_ok());
        // One of Google's with the name of a project is 187 B.
        assert_eq!(token.len(), 36 + 1 + 68 + 1 + 86);
    }

    #[test]
    fn it_is_renewed_when_it_ends_and_two_sources_of_a_seed_agree() {
        let (mut source, mut other) = (source(), source());
        let first = source.bearer(at(0));
        assert_eq!(source.bearer(at(3599)), first);
        let second = source.bearer(at(3600));
        assert_ne!(second, first);
        assert_eq!(
            [other.bearer(at(0)), other.bearer(at(3600))],
            [first, second]
        );
    }

    #[test]
    fn a_token_is_good_until_it_has_ended_by_any_clock() {
        let mut fields = HeaderMap::new();
        assert!(!has_good_token(&fields, at(0), CALENDAR));
        fields.insert(AUTHORIZATION, source().bearer(at(0)));
        assert!(has_good_token(&fields, at(4199), CALENDAR));
        assert!(!has_good_token(&fields, at(4200), CALENDAR));
        for bad in [
            "Bearer",
            "Bearer a.b.c",
            "Basic YTpi",
            "Bearer ..",
            "Bearer e30.e30.e30",
        ] {
            fields.insert(AUTHORIZATION, HeaderValue::from_static(bad));
            assert!(!has_good_token(&fields, at(0), CALENDAR), "{bad}");
        }
    }
}
