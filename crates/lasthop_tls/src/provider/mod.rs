//! The cryptography of rustls with ring, as a run needs it: its random numbers, and a word on each record that is sealed.

mod hybrid;
mod key_exchange;
mod observed;
mod random;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};

use crate::profile::{Group, Randomness};

pub(crate) use random::Drawn;

/// The cryptography for these random numbers, with one group for the key exchange.
pub(crate) fn provider(randomness: Randomness, groups: &[Group]) -> Arc<CryptoProvider> {
    let of_ring = ring::default_provider();
    let cipher_suites = observed::cipher_suites(&of_ring.cipher_suites);
    let kx_groups = groups
        .iter()
        .map(|group| key_exchange::group(randomness, *group));
    Arc::new(CryptoProvider {
        cipher_suites,
        kx_groups: kx_groups.collect(),
        secure_random: match randomness {
            Randomness::OfTheRun => &random::OfTheRun,
            Randomness::OfTheSystem => of_ring.secure_random,
        },
        ..of_ring
    })
}
