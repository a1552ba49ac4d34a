use core::fmt;

use lasthop_dtls::PreSharedKeys;
use lasthop_tls::Given;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// User-supplied credentials, as a run spec identifies them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialsSpec {
    /// The digest of the credentials' public parts: [`UserCredentials::identity`].
    pub identity: String,
}

/// User-supplied credentials of both ends, used instead of generated ones. `Debug` does not print them.
#[derive(Clone)]
pub struct UserCredentials {
    /// The certificates for TLS, QUIC and DTLS.
    pub certificates: Option<Given>,
    /// The pre-shared keys of DTLS, by device name.
    pub keys: Option<PreSharedKeys>,
}

impl UserCredentials {
    /// Returns a digest of the public parts of the credentials.
    ///
    /// Of keys these are names, lengths and a few bits that distinguish them.
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
