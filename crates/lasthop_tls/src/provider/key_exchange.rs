//! Key exchange whose secret is drawn from the run.

use p256::elliptic_curve::sec1::ToEncodedPoint;
use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup, ring};
use rustls::{Error, NamedGroup, PeerMisbehaved};
use x25519_dalek::StaticSecret;

use crate::profile::{Group, Randomness};
use crate::surroundings::fill;

/// The group, by whom it is made for these random numbers.
pub(super) fn group(randomness: Randomness, group: Group) -> &'static dyn SupportedKxGroup {
    match (randomness, group) {
        (Randomness::OfTheRun, Group::X25519) => &X25519,
        (Randomness::OfTheRun, Group::P256) => &P256,
        (Randomness::OfTheSystem, Group::X25519) => ring::kx_group::X25519,
        (Randomness::OfTheSystem, Group::P256) => ring::kx_group::SECP256R1,
    }
}

/// X25519 (RFC 7748).
#[derive(Debug)]
struct X25519;

struct X25519Secret {
    secret: StaticSecret,
    share: [u8; 32],
}

impl SupportedKxGroup for X25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let secret = StaticSecret::from(drawn()?);
        let share = x25519_dalek::PublicKey::from(&secret).to_bytes();
        Ok(Box::new(X25519Secret { secret, share }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

impl ActiveKeyExchange for X25519Secret {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer: [u8; 32] = peer.try_into().map_err(|_| INVALID_SHARE)?;
        let shared = self
            .secret
            .diffie_hellman(&x25519_dalek::PublicKey::from(peer));
        // A share of small order gives nothing but zeros (RFC 8446 section 7.4.2).
        if !shared.was_contributory() {
            return Err(INVALID_SHARE.into());
        }
        Ok(SharedSecret::from(&shared.as_bytes()[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// ECDH on P-256 (SEC 1), points uncompressed.
#[derive(Debug)]
struct P256;

struct P256Secret {
    secret: p256::SecretKey,
    share: Box<[u8]>,
}

impl SupportedKxGroup for P256 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        // One number in 2^32 is no secret of the curve.
        let secret = loop {
            if let Ok(secret) = p256::SecretKey::from_bytes(&drawn()?.into()) {
                break secret;
            }
        };
        let share = secret.public_key().to_encoded_point(false);
        let share = share.as_bytes().into();
        Ok(Box::new(P256Secret { secret, share }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

impl ActiveKeyExchange for P256Secret {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = p256::PublicKey::from_sec1_bytes(peer).map_err(|_| INVALID_SHARE)?;
        let secret = self.secret.to_nonzero_scalar();
        let shared = p256::ecdh::diffie_hellman(secret, peer.as_affine());
        Ok(SharedSecret::from(&shared.raw_secret_bytes()[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

const INVALID_SHARE: PeerMisbehaved = PeerMisbehaved::InvalidKeyShare;

fn drawn() -> Result<[u8; 32], Error> {
    let mut bytes = [0; 32];
    fill(&mut bytes)
        .then_some(bytes)
        .ok_or(Error::FailedToGetRandomBytes)
}
