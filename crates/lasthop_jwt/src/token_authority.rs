use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lasthop_broker::{
    Admission, Authority, Client, Credentials, Everybody, Identity, Refusal, TopicFilter,
};
use lasthop_units::{Duration, Instant};

use crate::{NANOS_A_SECOND, SKEW_SECONDS};

/// Authorises clients by the expiry of the token in the password. A client with a token may do everything until the
/// token expires, and then loses the connection. The signature is not checked, and a client without a token is served.
#[derive(Clone, Copy, Debug)]
pub struct TokenAuthority {
    /// The start of the run in seconds since 1970.
    pub calendar: u64,
}

impl Authority for TokenAuthority {
    fn identify(&self, now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal> {
        let Some(token) = credentials.password else {
            return Ok(Identity::ANONYMOUS.into());
        };
        let until = taken_until(token, self.calendar).filter(|until| now < *until);
        let ends_at = Some(until.ok_or(Refusal::BadCredentials)?);
        Ok(Admission {
            ends_at,
            ..Identity::ANONYMOUS.into()
        })
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        Everybody.may_publish(client, topic)
    }

    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        Everybody.may_subscribe(client, filter)
    }
}

/// Returns until when a token is accepted: its `exp` claim plus [`SKEW_SECONDS`], in a run that starts `calendar`
/// seconds after 1970. Returns `None` for bytes that are not a token.
#[must_use]
pub fn taken_until(token: &[u8], calendar: u64) -> Option<Instant> {
    let mut parts = core::str::from_utf8(token).ok()?.split('.');
    let (_header, claims, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    let claims = URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims = core::str::from_utf8(&claims).ok()?;
    let (_, behind) = claims.split_once(r#""exp":"#)?;
    let expires: u64 = behind.trim_end_matches('}').parse().ok()?;
    let left = expires
        .saturating_add(SKEW_SECONDS)
        .saturating_sub(calendar);
    let left = Duration::from_nanos(left.saturating_mul(NANOS_A_SECOND));
    Some(Instant::ZERO + left)
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;
    use crate::TokenSource;

    const CALENDAR: u64 = 1_767_225_600;

    fn at(second: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(second)
    }

    fn token() -> Vec<u8> {
        let random = RandomStream::named(1, "device/0/token");
        let mut source = TokenSource::new(random, Duration::from_secs(3600), CALENDAR);
        source.token(at(0)).as_bytes().to_vec()
    }

    fn shown(now: Instant, password: Option<&[u8]>) -> Result<Admission, Refusal> {
        let authority = TokenAuthority { calendar: CALENDAR };
        let credentials = Credentials {
            password,
            ..Credentials::default()
        };
        authority.identify(now, &credentials)
    }

    #[test]
    fn a_token_is_taken_until_it_has_ended_by_any_clock() {
        let token = token();
        let ends_at = Some(at(4200));
        let admission = Admission {
            ends_at,
            ..Identity::ANONYMOUS.into()
        };
        for second in [0, 4199] {
            assert_eq!(shown(at(second), Some(&token)), Ok(admission));
        }
        assert_eq!(shown(at(4200), Some(&token)), Err(Refusal::BadCredentials));
        assert_eq!(shown(at(9), None), Ok(Identity::ANONYMOUS.into()));
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let of = |claims: &str| format!("e30.{}.x", URL_SAFE_NO_PAD.encode(claims)).into_bytes();
        let none = [
            b"".to_vec(),
            b"a.b.c".to_vec(),
            b"..".to_vec(),
            b"e30.e30.e30".to_vec(),
            vec![0xff; 9],
            of(r#"{"exp":-1}"#),
            of(r#"{"exp":"never"}"#),
            of(r#"{"exp":99999999999999999999}"#),
        ];
        for bad in none {
            assert_eq!(taken_until(&bad, CALENDAR), None, "{bad:?}");
            assert_eq!(shown(at(0), Some(&bad)), Err(Refusal::BadCredentials));
        }
        assert_eq!(
            taken_until(&of(r#"{"exp":0}"#), CALENDAR),
            Some(Instant::ZERO)
        );
        let endless = of(&format!(r#"{{"exp":{}}}"#, u64::MAX));
        assert!(shown(at(0), Some(&endless)).is_ok());
    }
}
