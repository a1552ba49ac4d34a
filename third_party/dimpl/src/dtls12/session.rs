use std::fmt;

use crate::dtls12::message::{Dtls12CipherSuite, SessionId};

/// Length of a master secret (RFC 5246 §8.1).
const MASTER_SECRET_LEN: usize = 48;

/// What both ends keep of a session of DTLS 1.2, so that a later handshake resumes it by its identifier (RFC 5246 §7.3). All
/// have an extended master secret (RFC 7627), since no session is made without. Whoever has the secret is one of the ends.
#[derive(Clone)]
pub struct Session {
    id: SessionId,
    suite: Dtls12CipherSuite,
    master_secret: [u8; MASTER_SECRET_LEN],
}

impl Session {
    pub(crate) fn new(id: SessionId, suite: Dtls12CipherSuite, secret: &[u8]) -> Option<Self> {
        Some(Self {
            id,
            suite,
            master_secret: secret.try_into().ok().filter(|_| !id.is_empty())?,
        })
    }

    /// What [`Self::to_bytes`] gave of the session with this identifier.
    pub fn from_bytes(id: &[u8], bytes: &[u8]) -> Option<Self> {
        let (suite, secret) = bytes.split_first_chunk()?;
        let suite = Dtls12CipherSuite::from_u16(u16::from_be_bytes(*suite));
        Self::new(SessionId::try_new(id).ok()?, suite, secret)
    }

    /// All but its identifier, to be kept where nobody else reads it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.suite.as_u16().to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.master_secret);
        bytes
    }

    /// By what the client names it: 1 to 32 bytes.
    pub fn id(&self) -> &[u8] {
        &self.id
    }

    pub(crate) fn session_id(&self) -> SessionId {
        self.id
    }

    pub(crate) fn suite(&self) -> Dtls12CipherSuite {
        self.suite
    }

    pub(crate) fn master_secret(&self) -> &[u8] {
        &self.master_secret
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("suite", &self.suite)
            .finish()
    }
}
