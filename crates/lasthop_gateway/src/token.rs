use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lasthop_units::Duration;
use serde_json::Value;
use thiserror::Error;

use crate::json_object::JsonObject;
use crate::{Fingerprint, PublicKey};

/// Seconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixTime(pub u64);

/// The claims of a token that the gateway uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The time of issue.
    pub issued_at: UnixTime,
    /// The expiry.
    pub expires_at: UnixTime,
}

/// Why a token is refused. All clients get the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadToken {
    /// The token exceeds the maximum length.
    #[error("the token is too long")]
    TooLong,
    /// The token does not consist of three base64url parts with JSON objects.
    #[error("the token is malformed")]
    Malformed,
    /// The header is invalid or has unsupported members.
    #[error("the token's header is not accepted")]
    Header,
    /// The algorithm is not that of the device's keys, or no key verifies the signature.
    #[error("the token is signed by none of the device's keys")]
    Signature,
    /// The audience is another project.
    #[error("the token is not for this project")]
    Audience,
    /// The token has expired, is not valid yet, or has too long a lifetime.
    #[error("the token is not valid now, or for too long")]
    Time,
}

/// The maximum length of a token in bytes. The signature of a 4096-bit RSA key has about 700 bytes.
pub const MAX_TOKEN_SIZE: usize = 4096;

/// The maximum difference between clocks.
pub const SKEW: Duration = Duration::from_secs(600);

/// The maximum lifetime of a token.
pub const LONGEST_LIFE: Duration = Duration::from_secs(24 * 3600);

/// What makes a verifier look elsewhere for a key, or understand more than it does (RFC 7515 section 4.1).
const NOT_ACCEPTED: [&str; 5] = ["jku", "jwk", "x5u", "x5c", "crit"];

/// Checks a token (RFC 7519, compact form): length, form, signature, then claims. `nbf` and other claims are ignored.
///
/// # Errors
/// When it is not to be believed.
pub fn check(
    token: &[u8],
    keys: &[PublicKey],
    project: &str,
    now: UnixTime,
) -> Result<Claims, BadToken> {
    check_signer(token, keys, project, now).map(|(claims, _)| claims)
}

/// Checks a token as [`check`] does, and also returns the key that signed it.
pub(crate) fn check_signer(
    token: &[u8],
    keys: &[PublicKey],
    project: &str,
    now: UnixTime,
) -> Result<(Claims, Fingerprint), BadToken> {
    if token.len() > MAX_TOKEN_SIZE {
        return Err(BadToken::TooLong);
    }
    let mut parts = token.split(|byte| *byte == b'.');
    let (Some(header), Some(claims), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(BadToken::Malformed);
    };
    check_header(&object(header)?, keys)?;
    let signed = &token[..header.len() + 1 + claims.len()];
    let signature = decode(signature)?;
    let signer = keys.iter().find(|key| key.has_signed(signed, &signature));
    let signer = signer.ok_or(BadToken::Signature)?.fingerprint();
    let claims = read_claims(&object(claims)?, project)?.at(now)?;
    Ok((claims, signer))
}

impl Claims {
    /// Returns the claims if they are valid at this time.
    ///
    /// # Errors
    /// When they do not any more, or not yet.
    pub fn at(self, now: UnixTime) -> Result<Self, BadToken> {
        let skew = SKEW.as_nanos() / 1_000_000_000;
        let has_begun = self.issued_at.0 <= now.0.saturating_add(skew);
        let is_over = self.expires_at.0.saturating_add(skew) <= now.0;
        (has_begun && !is_over)
            .then_some(self)
            .ok_or(BadToken::Time)
    }
}

/// The algorithm is that of a key; the signature says later of which.
fn check_header(header: &JsonObject, keys: &[PublicKey]) -> Result<(), BadToken> {
    let is_jwt = match header.get("typ") {
        None => true,
        Some(Value::String(name)) => name.eq_ignore_ascii_case("jwt"),
        Some(_) => false,
    };
    if !is_jwt || header.has_any(&NOT_ACCEPTED) {
        return Err(BadToken::Header);
    }
    let algorithm = header.get("alg").and_then(Value::as_str);
    let mut algorithms = keys.iter().map(|key| key.algorithm().name());
    algorithms
        .any(|known| Some(known) == algorithm)
        .then_some(())
        .ok_or(BadToken::Signature)
}

fn read_claims(claims: &JsonObject, project: &str) -> Result<Claims, BadToken> {
    // A list of audiences is none of ours: a token is for one project.
    if claims.get("aud").and_then(Value::as_str) != Some(project) {
        return Err(BadToken::Audience);
    }
    let time = |name| claims.get(name).and_then(numeric_date);
    let (Some(issued_at), Some(expires_at)) = (time("iat"), time("exp")) else {
        return Err(BadToken::Time);
    };
    let longest = LONGEST_LIFE.as_nanos() / 1_000_000_000;
    let life = expires_at.0.checked_sub(issued_at.0);
    if life.is_none_or(|life| life == 0 || life > longest) {
        return Err(BadToken::Time);
    }
    Ok(Claims {
        issued_at,
        expires_at,
    })
}

/// Seconds since 1970, of which a fraction does not count (RFC 7519 section 2).
fn numeric_date(value: &Value) -> Option<UnixTime> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let whole = value.as_u64();
    let fractional = || {
        value
            .as_f64()
            .filter(|seconds| (0.0..LARGEST).contains(seconds))
    };
    let seconds = whole.or_else(|| fractional().map(|seconds| seconds as u64));
    seconds.map(UnixTime)
}

fn object(part: &[u8]) -> Result<JsonObject, BadToken> {
    JsonObject::read(&decode(part)?).ok_or(BadToken::Malformed)
}

fn decode(part: &[u8]) -> Result<Vec<u8>, BadToken> {
    URL_SAFE_NO_PAD
        .decode(part)
        .map_err(|_| BadToken::Malformed)
}
