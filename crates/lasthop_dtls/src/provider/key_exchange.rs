use core::fmt;

use dimpl::crypto::{ActiveKeyExchange, Buf, NamedGroup, SupportedKxGroup};
use dimpl::{CryptoError, CryptoOperation};
use p256::elliptic_curve::sec1::ToSec1Point;

use crate::crypto_context::fill;

/// ECDH on P-256 (SEC 1), points uncompressed, its secrets of the host that is worked for.
#[derive(Debug)]
pub(super) struct P256;

struct Secret {
    secret: p256::SecretKey,
    share: Box<[u8]>,
}

impl SupportedKxGroup for P256 {
    fn name(&self) -> NamedGroup {
        NamedGroup::Secp256r1
    }

    fn start_exchange(&self, _: Buf) -> Result<Box<dyn ActiveKeyExchange>, CryptoError> {
        // One number in 2^32 is no secret of the curve.
        let secret = loop {
            let mut drawn = [0; 32];
            if !fill(&mut drawn) {
                return Err(CryptoError::OperationFailed(CryptoOperation::CreateCipher));
            }
            if let Ok(secret) = p256::SecretKey::from_bytes(&drawn.into()) {
                break secret;
            }
        };
        let share = secret.public_key().to_sec1_point(false);
        let share = share.as_bytes().into();
        Ok(Box::new(Secret { secret, share }))
    }
}

impl ActiveKeyExchange for Secret {
    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn complete(self: Box<Self>, peer: &[u8], out: &mut Buf) -> Result<(), CryptoError> {
        let peer = p256::PublicKey::from_sec1_bytes(peer)
            .map_err(|_| CryptoError::InvalidPublicKey(NamedGroup::Secp256r1))?;
        let secret = self.secret.to_nonzero_scalar();
        let shared = p256::ecdh::diffie_hellman(secret, peer.as_affine());
        out.clear();
        out.extend_from_slice(shared.raw_secret_bytes());
        Ok(())
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::Secp256r1
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
