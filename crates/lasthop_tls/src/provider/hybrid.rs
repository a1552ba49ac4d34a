//! Hybrid key exchange for TLS 1.3: ML-KEM-768 (FIPS 203) combined with a curve (draft-ietf-tls-ecdhe-mlkem).

use ml_kem::kem::{Decapsulate, KeyExport};
use ml_kem::ml_kem_768::{Ciphertext, DecapsulationKey, EncapsulationKey};
use ml_kem::{B32, Key, Seed};
use rustls::crypto::{ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved, ProtocolVersion};

/// A group of both, with random numbers of one source.
#[derive(Debug)]
pub(super) struct Hybrid {
    pub(super) curve: &'static dyn SupportedKxGroup,
    pub(super) order: Order,
    pub(super) fill: fn(&mut [u8]) -> Result<(), Error>,
}

/// In which order shares and secrets of the two stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// X25519MLKEM768.
    MlKemFirst,
    /// SecP256r1MLKEM768, whose share of the curve has this length.
    CurveFirst(usize),
}

/// What a client keeps until the server's share is there.
struct Started {
    curve: Box<dyn ActiveKeyExchange>,
    order: Order,
    secret: DecapsulationKey,
    share: Vec<u8>,
}

/// FIPS 203 section 8, table 3.
const ENCAPSULATION_KEY_LENGTH: usize = 1184;
const CIPHERTEXT_LENGTH: usize = 1088;

const INVALID_SHARE: PeerMisbehaved = PeerMisbehaved::InvalidKeyShare;

impl Order {
    fn joined(self, ml_kem: &[u8], curve: &[u8]) -> Vec<u8> {
        match self {
            Self::MlKemFirst => [ml_kem, curve].concat(),
            Self::CurveFirst(_) => [curve, ml_kem].concat(),
        }
    }

    /// What is of ML-KEM, of this length, and what is of the curve.
    fn split(self, share: &[u8], length: usize) -> Result<(&[u8], &[u8]), Error> {
        let (first, is_swapped) = match self {
            Self::MlKemFirst => (length, false),
            Self::CurveFirst(length) => (length, true),
        };
        let (first, second) = share.split_at_checked(first).ok_or(INVALID_SHARE)?;
        Ok(match is_swapped {
            true => (second, first),
            false => (first, second),
        })
    }

    const fn name(self) -> NamedGroup {
        match self {
            Self::MlKemFirst => NamedGroup::X25519MLKEM768,
            Self::CurveFirst(_) => NamedGroup::secp256r1MLKEM768,
        }
    }
}

impl SupportedKxGroup for Hybrid {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let curve = self.curve.start()?;
        let mut seed = Seed::default();
        (self.fill)(&mut seed)?;
        let secret = DecapsulationKey::from_seed(seed);
        let key = secret.encapsulation_key().to_bytes();
        let share = self.order.joined(&key, curve.pub_key());
        Ok(Box::new(Started {
            curve,
            order: self.order,
            secret,
            share,
        }))
    }

    fn start_and_complete(&self, peer: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let (key, curve) = self.order.split(peer, ENCAPSULATION_KEY_LENGTH)?;
        let key = <&Key<EncapsulationKey>>::try_from(key).map_err(|_| INVALID_SHARE)?;
        // The check of FIPS 203 section 7.2 is made here.
        let key = EncapsulationKey::new(key).map_err(|_| INVALID_SHARE)?;
        let curve = self.curve.start_and_complete(curve)?;
        let mut message = B32::default();
        (self.fill)(&mut message)?;
        let (ciphertext, secret) = key.encapsulate_deterministic(&message);
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: self.order.joined(&ciphertext, &curve.pub_key),
            secret: self
                .order
                .joined(&secret, curve.secret.secret_bytes())
                .into(),
        })
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        self.order.name()
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let (ciphertext, curve) = self.order.split(peer, CIPHERTEXT_LENGTH)?;
        let ciphertext = <&Ciphertext>::try_from(ciphertext).map_err(|_| INVALID_SHARE)?;
        let curve = self.curve.complete(curve)?;
        let secret = self.secret.decapsulate(ciphertext);
        Ok(self.order.joined(&secret, curve.secret_bytes()).into())
    }

    /// A server without ML-KEM takes the share of the curve, where that is offered as well.
    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        Some((self.curve.group(), self.curve.pub_key()))
    }

    fn complete_hybrid_component(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        self.curve.complete(peer)
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        self.order.name()
    }
}
