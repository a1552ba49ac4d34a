//! The cryptography of dimpl: ring where it has it, random numbers of the host that is worked for, and a word on each
//! record that is sealed.

mod ccm_suite;
mod certificates;
mod digest;
mod gcm_suite;
mod key_exchange;
mod random;

use dimpl::crypto::{CryptoProvider, Dtls12CipherSuite};
use dimpl::{CryptoError, CryptoOperation};

/// What DTLS with pre-shared keys or certificates needs.
pub(crate) fn provider() -> &'static CryptoProvider {
    static PROVIDER: CryptoProvider = CryptoProvider {
        kx_groups: &[&key_exchange::P256],
        signature_verification: &certificates::EcdsaP256,
        key_provider: &certificates::EcdsaP256,
        secure_random: &random::OfTheHost,
        hash_provider: &digest::Digests,
        hmac_provider: &digest::Digests,
        cipher_suites: &[
            &ccm_suite::Ccm8(Dtls12CipherSuite::PSK_AES128_CCM_8),
            &ccm_suite::Ccm8(Dtls12CipherSuite::ECDHE_ECDSA_AES128_CCM_8),
        ],
        dtls13_cipher_suites: &[&gcm_suite::Gcm],
    };
    &PROVIDER
}

const fn failed(operation: CryptoOperation) -> CryptoError {
    CryptoError::OperationFailed(operation)
}
