use std::sync::Arc;

use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant};
use p256::ecdsa::SigningKey;

use crate::{NANOS_A_SECOND, TokenKey};

/// Creates the tokens of a device, one after the other. A generated key is on P-256.
#[derive(Debug)]
pub struct TokenSource {
    key: TokenKey,
    /// What a token is for, as it says.
    audience: Arc<str>,
    /// How long one is good.
    lifetime: Duration,
    /// When the run begins, in seconds since 1970.
    calendar: u64,
    current: Option<(Arc<str>, Instant)>,
}

/// What the tokens of a study are for, as they say.
const AUDIENCE: &str = "lasthop";

impl TokenSource {
    /// Creates a source with a key generated from this random stream, in a run that starts `calendar` seconds after
    /// 1970.
    #[must_use]
    pub fn new(mut random: RandomStream, lifetime: Duration, calendar: u64) -> Self {
        let key = core::iter::repeat_with(|| {
            let mut bytes = [0; 32];
            for chunk in bytes.chunks_mut(8) {
                chunk.copy_from_slice(&random.next_u64().to_be_bytes());
            }
            SigningKey::from_slice(&bytes)
        });
        // Almost every number is a key.
        let key = key.flatten().next().expect("there is no end");
        Self::by_key(key.into(), AUDIENCE, lifetime, calendar)
    }

    /// Creates a source with this key (PKCS #8, RFC 7468 section 10) for an audience, in a run that starts `calendar`
    /// seconds after 1970. Returns `None` for a key that is neither P-256 nor RSA.
    #[must_use]
    pub fn by_pem(pem: &str, audience: &str, lifetime: Duration, calendar: u64) -> Option<Self> {
        let key = TokenKey::from_pem(pem).ok()?;
        Some(Self::by_key(key, audience, lifetime, calendar))
    }

    fn by_key(key: TokenKey, audience: &str, lifetime: Duration, calendar: u64) -> Self {
        Self {
            key,
            audience: audience.into(),
            lifetime,
            calendar,
            current: None,
        }
    }

    /// Returns the current token. Creates a new one when the last one expires.
    pub fn token(&mut self, now: Instant) -> Arc<str> {
        if let Some((token, until)) = &self.current
            && now < *until
        {
            return Arc::clone(token);
        }
        let token: Arc<str> = self.sign(now).into();
        self.current = Some((Arc::clone(&token), now + self.lifetime));
        token
    }

    fn sign(&self, now: Instant) -> String {
        let issued = self.calendar + now.as_nanos() / NANOS_A_SECOND;
        let expires = issued + self.lifetime.as_nanos() / NANOS_A_SECOND;
        self.key.token(&self.audience, issued, expires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> TokenSource {
        let random = RandomStream::named(1, "device/0/token");
        TokenSource::new(random, Duration::from_secs(3600), 1_767_225_600)
    }

    fn at(second: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(second)
    }

    #[test]
    fn a_token_is_as_long_as_those_of_others() {
        // One of Google's with the name of a project is 187 B.
        assert_eq!(source().token(at(0)).len(), 36 + 1 + 68 + 1 + 86);
    }

    #[test]
    fn it_is_renewed_when_it_ends_and_two_sources_of_a_seed_agree() {
        let (mut source, mut other) = (source(), source());
        let first = source.token(at(0));
        assert_eq!(source.token(at(3599)), first);
        let second = source.token(at(3600));
        assert_ne!(second, first);
        assert_eq!([other.token(at(0)), other.token(at(3600))], [first, second]);
    }
}
