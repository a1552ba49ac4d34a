use rand_core::{CryptoRng, RngCore};
use rustls::crypto::{GetRandomFailed, SecureRandom};

use lasthop_contract::RandomStream;

use crate::surroundings::{fill, fill_from};

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

impl RngCore for Drawn<'_> {
    fn next_u32(&mut self) -> u32 {
        (self.0.next_u64() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        fill_from(self.0, bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

/// In a simulation nobody is kept out by it.
impl CryptoRng for Drawn<'_> {}
