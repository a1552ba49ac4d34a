//! The rustls crypto provider of a run: ring, with the run's random numbers and a label for each sealed record.

mod hybrid;
mod key_exchange;
mod observed;
mod random;
mod remembered;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, SecureRandom, ring};

use crate::profile::{Group, Randomness};

pub(crate) use random::Drawn;

/// The cryptography for these random numbers, with one group for the key exchange.
pub(crate) fn provider(randomness: Randomness, groups: &[Group]) -> Arc<CryptoProvider> {
    let of_ring = ring::default_provider();
    let cipher_suites = observed::cipher_suites(&of_ring.cipher_suites);
    let kx_groups = groups
        .iter()
        .map(|group| key_exchange::group(randomness, *group));
    let (secure_random, signature_verification_algorithms): (&dyn SecureRandom, _) =
        match randomness {
            Randomness::OfTheRun => (&random::OfTheRun, remembered::algorithms()),
            Randomness::OfTheSystem => (
                of_ring.secure_random,
                of_ring.signature_verification_algorithms,
            ),
        };
    Arc::new(CryptoProvider {
        cipher_suites,
        kx_groups: kx_groups.collect(),
        signature_verification_algorithms,
        secure_random,
        ..of_ring
    })
}

/// The cryptography of ring by which the certificates of a run are checked.
pub(crate) fn of_certificates() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        signature_verification_algorithms: remembered::algorithms(),
        ..ring::default_provider()
    })
}
