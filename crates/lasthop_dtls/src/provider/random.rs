use dimpl::CryptoError;
use dimpl::CryptoOperation;
use dimpl::crypto::SecureRandom;

use crate::crypto_context::fill;

/// The random numbers of the host that is worked for.
#[derive(Debug)]
pub(super) struct OfTheHost;

impl SecureRandom for OfTheHost {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), CryptoError> {
        let failed = CryptoError::OperationFailed(CryptoOperation::CreateCipher);
        fill(bytes).then_some(()).ok_or(failed)
    }
}
