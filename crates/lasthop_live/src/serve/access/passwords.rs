use core::fmt;
use core::hint::black_box;

use pbkdf2::pbkdf2_hmac;
use sha2::{Digest, Sha512};

/// What a password is checked by.
pub(super) enum Secret {
    /// The password itself.
    Plain(Box<[u8]>),
    /// SHA-512 of the password and a salt: `$6$` in mosquitto's file.
    Sha512 { salt: Box<[u8]>, hash: Box<[u8]> },
    /// PBKDF2 with HMAC of SHA-512: `$7$`, what mosquitto 2.0 writes.
    Pbkdf2 {
        iterations: u32,
        salt: Box<[u8]>,
        hash: Box<[u8]>,
    },
}

/// No password is hashed more often: each client that guesses has the server do it.
pub(super) const MOST_ITERATIONS: u32 = 100_000;

const TOO_MANY: &str =
    "a password is hashed 100000 times at most; have mosquitto_passwd write it with a smaller -I";
const EXAMPLE: &str = "this is none of a password file; have mosquitto_passwd write it";
const HASH_SIZE: usize = 64;

/// Reads `NAME:$7$ITERATIONS$SALT$HASH` or `NAME:$6$SALT$HASH`.
pub(super) fn read_line(line: &str) -> Result<(&str, Secret), &'static str> {
    let (name, secret) = line.split_once(':').ok_or(EXAMPLE)?;
    let fields: Vec<&str> = secret.split('$').collect();
    let secret = match fields[..] {
        ["", "6", salt, hash] => decode(salt).zip(decode(hash)).map(|(salt, hash)| {
            let (salt, hash) = (salt.into(), hash.into());
            Secret::Sha512 { salt, hash }
        }),
        ["", "7", iterations, salt, hash] => {
            let iterations = iterations.parse().ok().filter(|count| *count > 0);
            if iterations.is_some_and(|count| count > MOST_ITERATIONS) {
                return Err(TOO_MANY);
            }
            let decoded = decode(salt).zip(decode(hash));
            iterations
                .zip(decoded)
                .map(|(iterations, (salt, hash))| Secret::Pbkdf2 {
                    iterations,
                    salt: salt.into(),
                    hash: hash.into(),
                })
        }
        _ => None,
    };
    let secret = secret.filter(|_| !name.is_empty()).ok_or(EXAMPLE)?;
    Ok((name, secret))
}

impl Secret {
    /// How many hashes a check takes.
    pub(super) const fn effort(&self) -> u32 {
        match self {
            Self::Plain(_) => 0,
            Self::Sha512 { .. } => 1,
            Self::Pbkdf2 { iterations, .. } => *iterations,
        }
    }

    /// Whether this is what somebody shows. Where it is not, or there is none, as many hashes are made as are named: how long it
    /// takes does not tell who is known.
    pub(super) fn is_or_as_long(secret: Option<&Self>, shown: &[u8], hashes: u32) -> bool {
        let is_right = secret.is_some_and(|secret| secret.is(shown));
        if !is_right {
            let done = secret.map_or(0, Self::effort);
            black_box(spend(shown, hashes.saturating_sub(done)));
        }
        is_right
    }

    /// Whether somebody who shows this knows it.
    pub(super) fn is(&self, shown: &[u8]) -> bool {
        match self {
            Self::Plain(password) => is_same(password, shown),
            Self::Sha512 { salt, hash } => {
                let made = Sha512::new().chain_update(shown).chain_update(salt);
                is_same(hash, &made.finalize())
            }
            Self::Pbkdf2 {
                iterations,
                salt,
                hash,
            } => {
                let mut made = [0; HASH_SIZE];
                pbkdf2_hmac::<Sha512>(shown, salt, *iterations, &mut made);
                // HMAC fills a short key up with zero bytes (RFC 2104 section 2): with one of its own it would be the same.
                is_same(hash, &made) && shown.last() != Some(&0)
            }
        }
    }
}

/// Makes so many hashes of what was shown, for nothing but the time that they take.
fn spend(shown: &[u8], hashes: u32) -> [u8; HASH_SIZE] {
    let mut made = [0; HASH_SIZE];
    match hashes {
        0 => {}
        1 => made.copy_from_slice(&Sha512::digest(shown)),
        _ => pbkdf2_hmac::<Sha512>(shown, b"no salt of anybody", hashes, &mut made),
    }
    made
}

/// Nothing of a secret is written anywhere.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Compares without telling by its time where the first difference is.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let difference = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && difference == 0
}

/// Reads base64 (RFC 4648 section 4).
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if digits.is_empty() || !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}
