use core::fmt;

/// The token that matches responses to a client's requests: up to eight bytes (RFC 7252 section 5.3.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// Zero behind the length.
    bytes: [u8; Self::MAX_LENGTH],
    length: u8,
}

impl Token {
    /// The length of the longest token in bytes.
    pub const MAX_LENGTH: usize = 8;

    /// The token of zero bytes.
    pub const EMPTY: Self = Self {
        bytes: [0; Self::MAX_LENGTH],
        length: 0,
    };

    /// Creates a token of at most eight bytes. Returns `None` for more.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        // The usual length first: a copy of a known length is cheap.
        let mut token = Self::EMPTY;
        token.length = bytes.len() as u8;
        if let &[a, b, c, d] = bytes {
            token.bytes[..4].copy_from_slice(&[a, b, c, d]);
        } else {
            token.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        }
        Some(token)
    }

    /// Creates a token of `length` bytes, at most eight, from the low bits of a number.
    #[must_use]
    pub fn from_bits(bits: u64, length: usize) -> Self {
        let mut token = Self {
            bytes: bits.to_le_bytes(),
            length: length.min(Self::MAX_LENGTH) as u8,
        };
        token.bytes[usize::from(token.length)..].fill(0);
        token
    }

    /// Returns the length in bytes.
    pub(crate) const fn length(&self) -> usize {
        self.length as usize
    }

    /// Returns the token padded with zero bytes.
    pub(crate) const fn padded(&self) -> &[u8; Self::MAX_LENGTH] {
        &self.bytes
    }

    /// Returns the bytes of the token.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
