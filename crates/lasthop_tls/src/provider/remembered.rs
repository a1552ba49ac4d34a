//! A cache of verified certificate signatures. Each thread verifies a signature once, because all devices of a run
//! receive the same chain.

use std::cell::RefCell;
use std::sync::LazyLock;

use rustls::crypto::{WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm};

/// The algorithms of ring. Those of certificates remember what was good; a signature of a handshake is of that handshake alone,
/// and is checked each time.
pub(super) fn algorithms() -> WebPkiSupportedAlgorithms {
    static ALL: LazyLock<Vec<&'static dyn SignatureVerificationAlgorithm>> = LazyLock::new(|| {
        let all = of_ring().all.iter();
        all.map(|it| &*Box::leak(Box::new(Remembering(*it))) as _)
            .collect()
    });
    WebPkiSupportedAlgorithms {
        all: &ALL,
        ..of_ring()
    }
}

fn of_ring() -> WebPkiSupportedAlgorithms {
    ring::default_provider().signature_verification_algorithms
}

/// How many signatures a thread remembers, the last used ones: more than the chains of a run have that all its devices are shown.
const REMEMBERED: usize = 16;

thread_local! {
    static GOOD: RefCell<Vec<Good>> = const { RefCell::new(Vec::new()) };
}

/// A signature that was good.
#[derive(PartialEq)]
struct Good {
    algorithm: [AlgorithmIdentifier; 2],
    /// The public key, the message and its signature.
    parts: [Box<[u8]>; 3],
}

impl Good {
    fn is(&self, algorithm: [AlgorithmIdentifier; 2], parts: [&[u8]; 3]) -> bool {
        // The signature first, by which almost all differ.
        let mut pairs = self.parts.iter().zip(parts).rev();
        pairs.all(|(mine, other)| **mine == *other) && self.algorithm == algorithm
    }
}

#[derive(Debug)]
struct Remembering(&'static dyn SignatureVerificationAlgorithm);

impl SignatureVerificationAlgorithm for Remembering {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let algorithm = [self.public_key_alg_id(), self.signature_alg_id()];
        let parts = [public_key, message, signature];
        GOOD.with_borrow_mut(|good| {
            if let Some(place) = good.iter().position(|it| it.is(algorithm, parts)) {
                good[place..].rotate_left(1);
                return Ok(());
            }
            self.0.verify_signature(public_key, message, signature)?;
            if good.len() == REMEMBERED {
                good.remove(0);
            }
            let parts = parts.map(Into::into);
            good.push(Good { algorithm, parts });
            Ok(())
        })
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.0.public_key_alg_id()
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.0.signature_alg_id()
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};

    use rustls::pki_types::alg_id;

    use super::*;

    /// Takes a message for its own signature, and counts how often it is asked.
    #[derive(Debug, Default)]
    struct Itself(AtomicUsize);

    impl SignatureVerificationAlgorithm for Itself {
        fn verify_signature(
            &self,
            _: &[u8],
            message: &[u8],
            signature: &[u8],
        ) -> Result<(), InvalidSignature> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let is_good = message == signature;
            is_good.then_some(()).ok_or(InvalidSignature)
        }

        fn public_key_alg_id(&self) -> AlgorithmIdentifier {
            alg_id::ECDSA_P256
        }

        fn signature_alg_id(&self) -> AlgorithmIdentifier {
            alg_id::ECDSA_SHA256
        }
    }

    #[test]
    fn what_was_good_is_not_checked_again_and_nothing_else_passes_for_it() {
        let asked: &Itself = Box::leak(Box::default());
        let check = |key: &[u8], message: &[u8], signature: &[u8]| {
            let before = asked.0.load(Ordering::Relaxed);
            let is_good = Remembering(asked).verify_signature(key, message, signature);
            (is_good.is_ok(), asked.0.load(Ordering::Relaxed) - before)
        };
        assert_eq!(check(b"key", b"a", b"a"), (true, 1));
        assert_eq!(check(b"key", b"a", b"a"), (true, 0));
        // Neither another key nor another message or signature, and what was bad is asked about again.
        assert_eq!(check(b"other", b"a", b"a"), (true, 1));
        for _ in 0..2 {
            assert_eq!(check(b"key", b"b", b"a"), (false, 1));
            assert_eq!(check(b"key", b"a", b"b"), (false, 1));
        }
        assert_eq!(check(b"key", b"a", b"a"), (true, 0));
        // One that is used stays, one that is not used goes.
        for number in 0..REMEMBERED {
            let message = [number as u8, 0];
            assert_eq!(check(b"key", &message, &message), (true, 1));
            assert_eq!(check(b"key", b"a", b"a"), (true, 0));
        }
        assert_eq!(check(b"other", b"a", b"a"), (true, 1));
    }
}
