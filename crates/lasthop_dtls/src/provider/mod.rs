//! The cryptography of dimpl: ring where it has it, random numbers of the host that is worked for, and a word on each
//! record that is sealed.

mod digest;
mod psk_suite;
mod random;
mod unused;

use dimpl::crypto::CryptoProvider;

/// What DTLS with pre-shared keys needs.
pub(crate) fn provider() -> CryptoProvider {
    CryptoProvider {
        kx_groups: &[],
        signature_verification: &unused::Unused,
        key_provider: &unused::Unused,
        secure_random: &random::OfTheHost,
        hash_provider: &digest::Digests,
        hmac_provider: &digest::Digests,
        cipher_suites: &[&psk_suite::PskAes128Ccm8],
        dtls13_cipher_suites: &[],
    }
}
