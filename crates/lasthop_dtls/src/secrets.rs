use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use dimpl::PskResolver;
use lasthop_contract::RandomStream;

use crate::surroundings::fill_from;

/// A pre-shared key of a run: as long as the key of its cipher.
const LENGTH: usize = 16;

/// A key that a client shares with its server, by the name that it has there (RFC 4279). It is never printed.
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
    Given(Arc<BTreeMap<Vec<u8>, Arc<[u8]>>>),
}

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
        Self(Keys::Given(Arc::new(keys.collect())))
    }

    /// The key of this name, where there is one.
    #[must_use]
    pub fn key_of(&self, identity: &str) -> Option<PreSharedKey> {
        let key = self.resolve(identity.as_bytes())?;
        Some(PreSharedKey::given(identity.as_bytes(), &key))
    }

    /// The names of those that are given, in their order, and how many bytes the key of each has.
    pub fn names(&self) -> impl Iterator<Item = (&[u8], usize)> {
        let given = match &self.0 {
            Keys::OfRun(_) => None,
            Keys::Given(keys) => Some(keys),
        };
        let given = given.into_iter().flat_map(|keys| keys.iter());
        given.map(|(name, key)| (&name[..], key.len()))
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
            Keys::Given(keys) => keys.get(identity).map(|key| key.to_vec()),
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
