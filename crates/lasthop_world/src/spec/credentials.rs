use core::fmt;

use lasthop_dtls::PreSharedKeys;
use lasthop_tls::Given;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Which credentials the ends of a run show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialsSpec {
    /// What is public of them, as a digest: [`UserCredentials::identity`].
    pub identity: String,
}

/// What the ends of a run show that a user has, in place of what is made from the seed. It is never printed.
#[derive(Clone)]
pub struct UserCredentials {
    /// Certificates, for TLS, QUIC and DTLS.
    pub certificates: Option<Given>,
    /// Keys that both ends of DTLS have, by the names of devices.
    pub keys: Option<PreSharedKeys>,
}

impl UserCredentials {
    /// A digest of all that is public of them: of keys their names and lengths, and the few bits that tell them apart.
    #[must_use]
    pub fn identity(&self) -> String {
        let certificates = self.certificates.as_ref().map_or("", Given::identity);
        let Some(keys) = &self.keys else {
            return certificates.to_owned();
        };
        let mut digest = Sha256::new();
        digest.update(certificates);
        for (name, length) in keys.names() {
            digest.update((name.len() as u64).to_le_bytes());
            digest.update(name);
            digest.update((length as u64).to_le_bytes());
        }
        digest.update(keys.digest().unwrap_or_default());
        let digest = digest.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl PartialEq for UserCredentials {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl fmt::Debug for UserCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UserCredentials({})", self.identity())
    }
}
