use core::ops::Range;

// RFC 8446 section 4.2.
const PRE_SHARED_KEY: u16 = 41;
const EARLY_DATA: u16 = 42;
const SUPPORTED_VERSIONS: u16 = 43;
const KEY_SHARE: u16 = 51;

const TLS_1_3: [u8; 2] = [3, 4];

/// draft-ietf-tls-ecdhe-mlkem: groups of ML-KEM-768, and how long the share of the curve is that stands before or behind.
const X25519_ML_KEM_768: u16 = 0x11ec;
const P256_ML_KEM_768: u16 = 0x11eb;
const X25519_LENGTH: usize = 32;
const P256_LENGTH: usize = 65;

/// A ClientHello or a ServerHello (RFC 8446 sections 4.1.2 and 4.1.3).
pub(crate) struct Hello<'a> {
    session: &'a [u8],
    pub(crate) extensions: Extensions<'a>,
}

/// The extensions of a message.
pub(crate) struct Extensions<'a> {
    bytes: &'a [u8],
    /// Where they begin in their message.
    start: usize,
}

impl<'a> Hello<'a> {
    /// Reads the body of one; nothing where its lengths do not fit.
    pub(crate) fn read(body: &'a [u8], is_of_client: bool) -> Option<Self> {
        const VERSION_AND_RANDOM: usize = 2 + 32;
        let (_, rest) = body.split_at_checked(VERSION_AND_RANDOM)?;
        let (length, rest) = rest.split_first()?;
        let (session, rest) = rest.split_at_checked(usize::from(*length))?;
        let rest = if is_of_client {
            let (_suites, rest) = counted(rest)?;
            let (length, rest) = rest.split_first()?;
            rest.get(usize::from(*length)..)?
        } else {
            const SUITE_AND_COMPRESSION: usize = 2 + 1;
            rest.get(SUITE_AND_COMPRESSION..)?
        };
        Some(Self {
            session,
            extensions: Extensions::read(rest, body.len() - rest.len()),
        })
    }

    /// Whether it asks for an earlier session, or agrees to one. A server of TLS 1.2 says so by nothing of its own.
    pub(crate) fn is_resumption(&self, is_of_client: bool) -> bool {
        let versions = self.extensions.find(SUPPORTED_VERSIONS);
        let versions = versions.and_then(|(_, body)| body.split_first());
        let is_tls13 = versions.is_some_and(|(_, it)| it.chunks(2).any(|it| it == TLS_1_3));
        let by_id = is_of_client && !is_tls13 && !self.session.is_empty();
        by_id || self.extensions.find(PRE_SHARED_KEY).is_some()
    }
}

impl<'a> Extensions<'a> {
    /// Those behind their number, which stands at `start` of their message; none where it does not fit.
    pub(crate) fn read(bytes: &'a [u8], start: usize) -> Self {
        let (bytes, _) = counted(bytes).unwrap_or_default();
        Self {
            bytes,
            start: start + 2,
        }
    }

    pub(crate) fn have_early_data(&self) -> bool {
        self.find(EARLY_DATA).is_some()
    }

    /// Where in the message the share of ML-KEM stands; empty where there is none.
    pub(crate) fn share_of_ml_kem(&self, is_of_client: bool) -> Range<usize> {
        let Some((mut at, mut rest)) = self.find(KEY_SHARE) else {
            return 0..0;
        };
        if is_of_client {
            (at, rest) = (at + 2, counted(rest).unwrap_or_default().0);
        }
        while let Some((group, after)) = rest.split_first_chunk::<2>()
            && let Some((share, next)) = counted(after)
        {
            let (start, end) = (at + 4, at + 4 + share.len());
            match u16::from_be_bytes(*group) {
                X25519_ML_KEM_768 if share.len() > X25519_LENGTH => {
                    return start..end - X25519_LENGTH;
                }
                P256_ML_KEM_768 if share.len() > P256_LENGTH => return start + P256_LENGTH..end,
                _ => {}
            }
            (at, rest) = (end, next);
        }
        0..0
    }

    /// The body of an extension, and where it begins in the message.
    fn find(&self, wanted: u16) -> Option<(usize, &'a [u8])> {
        let mut rest = self.bytes;
        while let Some((kind, after)) = rest.split_first_chunk::<2>()
            && let Some((body, next)) = counted(after)
        {
            if u16::from_be_bytes(*kind) == wanted {
                let behind = body.len() + next.len();
                return Some((self.start + self.bytes.len() - behind, body));
            }
            rest = next;
        }
        None
    }
}

/// Bytes behind their number, which takes two, and what follows.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<2>()?;
    rest.split_at_checked(u16::from_be_bytes(*length).into())
}
