use core::convert::Infallible;

use rand_core::{TryCryptoRng, TryRng};
use rustls::crypto::{GetRandomFailed, SecureRandom};

use lasthop_contract::RandomStream;

use crate::crypto_context::{fill, fill_from};

/// The random numbers of the host that is worked for.
#[derive(Debug)]
pub(crate) struct OfTheRun;

impl SecureRandom for OfTheRun {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        fill(bytes).then_some(()).ok_or(GetRandomFailed)
    }
}

/// A stream of a run, as libraries of cryptography ask for random numbers.
pub(crate) struct Drawn<'a>(pub(crate) &'a mut RandomStream);

impl TryRng for Drawn<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.0.next_u64() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        fill_from(self.0, bytes);
        Ok(())
    }
}

/// In a simulation nobody is kept out by it.
impl TryCryptoRng for Drawn<'_> {}
