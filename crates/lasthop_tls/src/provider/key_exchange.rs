//! Key exchange with secrets from the random stream of the run.

use ::ring::rand::{SecureRandom, SystemRandom};
use p256::elliptic_curve::sec1::ToSec1Point;
use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup, ring};
use rustls::{Error, NamedGroup, PeerMisbehaved};
use x25519_dalek::StaticSecret;

use super::hybrid::{Hybrid, Order};
use crate::crypto_context::fill;
use crate::profile::{Group, Randomness};

/// The group, by whom it is made for these random numbers.
pub(super) fn group(randomness: Randomness, group: Group) -> &'static dyn SupportedKxGroup {
    match (randomness, group) {
        (Randomness::OfTheRun, Group::X25519) => &X25519,
        (Randomness::OfTheRun, Group::P256) => &P256,
        (Randomness::OfTheRun, Group::X25519MlKem768) => &HYBRIDS_OF_THE_RUN[0],
        (Randomness::OfTheRun, Group::P256MlKem768) => &HYBRIDS_OF_THE_RUN[1],
        (Randomness::OfTheSystem, Group::X25519MlKem768) => &HYBRIDS_OF_THE_SYSTEM[0],
        (Randomness::OfTheSystem, Group::P256MlKem768) => &HYBRIDS_OF_THE_SYSTEM[1],
        (Randomness::OfTheSystem, Group::X25519) => ring::kx_group::X25519,
        (Randomness::OfTheSystem, Group::P256) => ring::kx_group::SECP256R1,
    }
}

static HYBRIDS_OF_THE_RUN: [Hybrid; 2] = hybrids(&X25519, &P256, fill_of_the_run);

static HYBRIDS_OF_THE_SYSTEM: [Hybrid; 2] = hybrids(
    ring::kx_group::X25519,
    ring::kx_group::SECP256R1,
    fill_of_the_system,
);

/// A point of P-256 that is not compressed.
const POINT_LENGTH: usize = 65;

const fn hybrids(
    x25519: &'static dyn SupportedKxGroup,
    p256: &'static dyn SupportedKxGroup,
    fill: fn(&mut [u8]) -> Result<(), Error>,
) -> [Hybrid; 2] {
    let x25519 = Hybrid {
        curve: x25519,
        order: Order::MlKemFirst,
        fill,
    };
    let p256 = Hybrid {
        curve: p256,
        order: Order::CurveFirst(POINT_LENGTH),
        fill,
    };
    [x25519, p256]
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
        let share = secret.public_key().to_sec1_point(false);
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
    fill_of_the_run(&mut bytes)?;
    Ok(bytes)
}

fn fill_of_the_run(bytes: &mut [u8]) -> Result<(), Error> {
    let filled = fill(bytes).then_some(());
    filled.ok_or(Error::FailedToGetRandomBytes)
}

fn fill_of_the_system(bytes: &mut [u8]) -> Result<(), Error> {
    let filled = SystemRandom::new().fill(bytes);
    filled.map_err(|_| Error::FailedToGetRandomBytes)
}
