use core::fmt;
use core::num::NonZeroU32;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use dimpl::PskResolver;
use lasthop_contract::RandomStream;
use ring::pbkdf2;

use crate::crypto_context::fill_from;

/// A pre-shared key of a run: as long as the key of its cipher.
const LENGTH: usize = 16;

/// A pre-shared key with its identity (RFC 4279). It is never printed.
#[derive(Clone)]
pub struct PreSharedKey {
    pub(crate) identity: Vec<u8>,
    key: Arc<[u8]>,
}

/// The keys that a server shares with its clients. They are never printed.
#[derive(Clone)]
pub struct PreSharedKeys(Keys);

#[derive(Clone)]
enum Keys {
    OfRun(u64),
    Given(Arc<GivenKeys>),
}

struct GivenKeys {
    by_name: BTreeMap<Vec<u8>, Arc<[u8]>>,
    digest: OnceLock<[u8; DIGEST_LENGTH]>,
}

/// Of a digest that tells files of keys apart: too short to tell which of all weak keys one is.
const DIGEST_LENGTH: usize = 3;
/// How often it is hashed, so that weak keys are not found by trying: some 30 ms each.
const DIGEST_ITERATIONS: NonZeroU32 = NonZeroU32::new(100_000).unwrap();

impl PreSharedKey {
    /// A key that a user has.
    #[must_use]
    pub fn given(identity: &[u8], key: &[u8]) -> Self {
        Self {
            identity: identity.to_vec(),
            key: key.into(),
        }
    }

    /// The key of this name in a run with this seed.
    #[must_use]
    pub fn of_run(seed: u64, identity: &str) -> Self {
        Self::given(identity.as_bytes(), &key_of_run(seed, identity))
    }
}

impl PreSharedKeys {
    /// The keys of all names in a run with this seed.
    #[must_use]
    pub fn of_run(seed: u64) -> Self {
        Self(Keys::OfRun(seed))
    }

    /// These keys and no other. Of two with one name the last one counts.
    #[must_use]
    pub fn given(keys: impl IntoIterator<Item = PreSharedKey>) -> Self {
        let keys = keys.into_iter().map(|it| (it.identity, it.key));
        Self(Keys::Given(Arc::new(GivenKeys {
            by_name: keys.collect(),
            digest: OnceLock::new(),
        })))
    }

    /// Returns the key with this identity.
    #[must_use]
    pub fn key_of(&self, identity: &str) -> Option<PreSharedKey> {
        let key = self.resolve(identity.as_bytes())?;
        Some(PreSharedKey::given(identity.as_bytes(), &key))
    }

    /// Returns the identities and key lengths of user-supplied keys, in order.
    pub fn names(&self) -> impl Iterator<Item = (&[u8], usize)> {
        let given = match &self.0 {
            Keys::OfRun(_) => None,
            Keys::Given(keys) => Some(&keys.by_name),
        };
        let given = given.into_iter().flatten();
        given.map(|(name, key)| (&name[..], key.len()))
    }

    /// What tells other keys apart from these that are given: 24 bits of PBKDF2-HMAC-SHA-256 (RFC 8018 section 5.2) over all
    /// of them in the order of their names. Of 16.8 million weak keys that are tried one is taken for the right one.
    #[must_use]
    pub fn digest(&self) -> Option<[u8; DIGEST_LENGTH]> {
        let Keys::Given(keys) = &self.0 else {
            return None;
        };
        Some(*keys.digest.get_or_init(|| {
            let mut secret = Vec::new();
            for (name, key) in &keys.by_name {
                for part in [&name[..], key] {
                    secret.extend((part.len() as u64).to_le_bytes());
                    secret.extend(part);
                }
            }
            let mut digest = [0; DIGEST_LENGTH];
            let (algorithm, salt) = (pbkdf2::PBKDF2_HMAC_SHA256, b"lasthop pre-shared keys");
            pbkdf2::derive(algorithm, DIGEST_ITERATIONS, salt, &secret, &mut digest);
            digest
        }))
    }
}

fn key_of_run(seed: u64, identity: &str) -> [u8; LENGTH] {
    let mut key = [0; LENGTH];
    let mut stream = RandomStream::named(seed, format_args!("dtls/key/{identity}"));
    fill_from(&mut stream, &mut key);
    key
}

impl PskResolver for PreSharedKey {
    fn resolve(&self, identity: &[u8]) -> Option<Vec<u8>> {
        (identity == self.identity).then(|| self.key.to_vec())
    }
}

impl PskResolver for PreSharedKeys {
    fn resolve(&self, identity: &[u8]) -> Option<Vec<u8>> {
        match &self.0 {
            Keys::OfRun(seed) => {
                let identity = core::str::from_utf8(identity).ok()?;
                Some(key_of_run(*seed, identity).to_vec())
            }
            Keys::Given(keys) => keys.by_name.get(identity).map(|key| key.to_vec()),
        }
    }
}

impl fmt::Debug for PreSharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PreSharedKey")
    }
}

impl fmt::Debug for PreSharedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PreSharedKeys")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(keys: &[(&str, &[u8])]) -> Option<[u8; DIGEST_LENGTH]> {
        let keys = keys.iter();
        let keys = keys.map(|(name, key)| PreSharedKey::given(name.as_bytes(), key));
        PreSharedKeys::given(keys).digest()
    }

    #[test]
    fn other_keys_have_another_digest_and_the_order_of_a_file_has_none() {
        let (one, other) = ([1_u8; 16], [2_u8; 16]);
        let both = digest_of(&[("a", &one), ("b", &other)]);
        assert!(both.is_some());
        assert_eq!(both, digest_of(&[("b", &other), ("a", &one)]));
        assert_ne!(both, digest_of(&[("a", &other), ("b", &one)]));
        assert_ne!(digest_of(&[("a", &one)]), digest_of(&[("a", &other)]));
        // Where a name ends and its key begins counts.
        assert_ne!(digest_of(&[("ab", b"c")]), digest_of(&[("a", b"bc")]));
        assert_eq!(PreSharedKeys::of_run(1).digest(), None);
    }
}
