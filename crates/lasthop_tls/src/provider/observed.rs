//! Cipher suites that note each record they seal, so that the purpose of each encrypted byte is known.

use std::sync::LazyLock;

use rustls::crypto::cipher::{
    AeadKey, Iv, KeyBlockShape, MessageDecrypter, MessageEncrypter, OutboundOpaqueMessage,
    OutboundPlainMessage, Tls12AeadAlgorithm, Tls13AeadAlgorithm, UnsupportedOperationError,
};
use rustls::crypto::ring;
use rustls::{
    ConnectionTrafficSecrets, Error, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite,
};

use crate::crypto_context::CryptoContext;

/// These suites of ring, observed. The library holds suites for as long as the program runs, so they are made once.
pub(super) fn cipher_suites(suites: &[SupportedCipherSuite]) -> Vec<SupportedCipherSuite> {
    static OBSERVED: LazyLock<Vec<SupportedCipherSuite>> = LazyLock::new(|| {
        let all = ring::ALL_CIPHER_SUITES.iter();
        all.map(|suite| observed(*suite)).collect()
    });
    let wanted =
        |observed: &&SupportedCipherSuite| suites.iter().any(|it| it.suite() == observed.suite());
    OBSERVED.iter().filter(wanted).copied().collect()
}

fn observed(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    match suite {
        SupportedCipherSuite::Tls12(suite) => {
            let aead_alg = Box::leak(Box::new(Observed(suite.aead_alg)));
            let common = rustls::CipherSuiteCommon { ..suite.common };
            SupportedCipherSuite::Tls12(Box::leak(Box::new(Tls12CipherSuite {
                common,
                aead_alg,
                prf_provider: suite.prf_provider,
                kx: suite.kx,
                sign: suite.sign,
            })))
        }
        SupportedCipherSuite::Tls13(suite) => {
            let aead_alg = Box::leak(Box::new(Observed(suite.aead_alg)));
            let common = rustls::CipherSuiteCommon { ..suite.common };
            SupportedCipherSuite::Tls13(Box::leak(Box::new(Tls13CipherSuite {
                common,
                aead_alg,
                hkdf_provider: suite.hkdf_provider,
                quic: suite.quic,
            })))
        }
    }
}

/// An algorithm whose encrypters note what they seal.
struct Observed<A: ?Sized + 'static>(&'static A);

impl Tls13AeadAlgorithm for Observed<dyn Tls13AeadAlgorithm> {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Noting(self.0.encrypter(key, iv)))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        self.0.decrypter(key, iv)
    }

    fn key_len(&self) -> usize {
        self.0.key_len()
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        self.0.extract_keys(key, iv)
    }
}

impl Tls12AeadAlgorithm for Observed<dyn Tls12AeadAlgorithm> {
    fn encrypter(&self, key: AeadKey, iv: &[u8], extra: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Noting(self.0.encrypter(key, iv, extra)))
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        self.0.decrypter(key, iv)
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        self.0.key_block_shape()
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        self.0.extract_keys(key, iv, explicit)
    }
}

struct Noting(Box<dyn MessageEncrypter>);

impl MessageEncrypter for Noting {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        CryptoContext::note(&message);
        self.0.encrypt(message, number)
    }

    fn encrypted_payload_len(&self, length: usize) -> usize {
        self.0.encrypted_payload_len(length)
    }
}
