//! Random numbers of a connection: those of the crypto provider.

use crate::Config;
use crate::crypto::SecureRandom;

/// Draws from [`CryptoProvider::secure_random`](crate::crypto::CryptoProvider).
pub struct SeededRng {
    source: &'static dyn SecureRandom,
}

/// What can be made of random bytes.
pub trait Drawn {
    /// Makes one, with a source that fills bytes.
    fn drawn(fill: impl FnMut(&mut [u8])) -> Self;
}

impl<const N: usize> Drawn for [u8; N] {
    fn drawn(mut fill: impl FnMut(&mut [u8])) -> Self {
        let mut bytes = [0; N];
        fill(&mut bytes);
        bytes
    }
}

impl Drawn for u64 {
    fn drawn(fill: impl FnMut(&mut [u8])) -> Self {
        Self::from_le_bytes(Drawn::drawn(fill))
    }
}

impl Drawn for f32 {
    /// From 0 up to but not including 1, in steps of 2^-24.
    fn drawn(fill: impl FnMut(&mut [u8])) -> Self {
        let bits = u32::from_le_bytes(Drawn::drawn(fill));
        (bits >> 8) as f32 / (1_u32 << 24) as f32
    }
}

impl SeededRng {
    /// The random numbers of connections with this configuration.
    pub fn new(config: &Config) -> Self {
        let source = config.crypto_provider().secure_random;
        Self { source }
    }

    /// Generate a random value of type T.
    ///
    /// Panics if the source fails: there is no going on without it.
    pub fn random<T: Drawn>(&mut self) -> T {
        T::drawn(|bytes| self.source.fill(bytes).expect("random numbers"))
    }
}

impl std::fmt::Debug for SeededRng {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeededRng").finish_non_exhaustive()
    }
}
