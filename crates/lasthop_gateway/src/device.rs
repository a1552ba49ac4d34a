use lasthop_units::Instant;
use ring::digest::{SHA256, digest};

use crate::rate::Rate;
use crate::token::check_signer;
use crate::{
    BadToken, Claims, DeviceLimits, DevicePath, Fingerprint, MAX_TOKEN_SIZE, PublicKey, UnixTime,
};

/// The maximum number of keys of a device, so that keys can be replaced without a pause.
pub const MAX_KEYS: usize = 3;

/// A registered device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRecord {
    /// The full name of the device.
    pub path: DevicePath,
    /// The public keys that authenticate the device, at most [`MAX_KEYS`].
    pub keys: Vec<PublicKey>,
    /// Whether and how the device can attach other devices.
    pub attaches: Option<Attaches>,
    /// Whether the device is blocked, regardless of its credentials.
    pub is_blocked: bool,
}

/// Which devices another device can attach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaches {
    /// Devices bound to the gateway device (`ASSOCIATION_ONLY` of Cloud IoT Core).
    Bound,
    /// Devices whose token the gateway device presents (`DEVICE_AUTH_TOKEN_ONLY`).
    WithToken,
    /// Devices that are bound and whose token the gateway device presents (`ASSOCIATION_AND_DEVICE_AUTH_TOKEN`).
    BoundWithToken,
}

impl Attaches {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Bound, Self::WithToken, Self::BoundWithToken];

    /// Returns the name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::WithToken => "token",
            Self::BoundWithToken => "both",
        }
    }

    /// Whether the device must be bound.
    pub(crate) const fn asks_for_binding(self) -> bool {
        matches!(self, Self::Bound | Self::BoundWithToken)
    }

    /// Whether the device's token must be presented.
    pub(crate) const fn asks_for_token(self) -> bool {
        matches!(self, Self::WithToken | Self::BoundWithToken)
    }
}

/// The state of a registered device.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) record: DeviceRecord,
    /// The version and content of the configuration; version 0 without one.
    pub(crate) config: (u64, Box<[u8]>),
    /// Tokens that were believed: their SHA-256, and what is known of them.
    believed: [Option<(Digest, Believed)>; BELIEVED],
    /// The key of the last valid token, whether or not a connection followed.
    pub(crate) admitted_by: Option<Fingerprint>,
    /// The key of the token by which the device is connected, or was last connected.
    pub(crate) connected_by: Option<Fingerprint>,
    messages: Rate,
    bytes: Rate,
    states: Rate,
}

/// The result of checking a valid token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Believed {
    pub(crate) claims: Claims,
    /// The key that signed the token.
    pub(crate) signer: Fingerprint,
}

type Digest = [u8; 32];

/// How many tokens of a device are remembered: the one in use, and the one before.
const BELIEVED: usize = 2;

impl Device {
    pub(crate) fn new(record: DeviceRecord) -> Self {
        Self {
            record,
            config: Default::default(),
            believed: [None; BELIEVED],
            admitted_by: None,
            connected_by: None,
            messages: Rate::default(),
            bytes: Rate::default(),
            states: Rate::default(),
        }
    }

    /// Returns the claims of a token if it is valid, and whether it was already known.
    pub(crate) fn believed(
        &mut self,
        token: &[u8],
        now: UnixTime,
    ) -> Result<(Believed, bool), BadToken> {
        if token.len() > MAX_TOKEN_SIZE {
            return Err(BadToken::TooLong);
        }
        let mut sum = [0; 32];
        sum.copy_from_slice(digest(&SHA256, token).as_ref());
        let mut known = self.believed.iter().flatten();
        let known = known.find(|(known, _)| *known == sum);
        if let Some((_, known)) = known.filter(|(_, it)| it.claims.at(now).is_ok()) {
            return Ok((*known, true));
        }
        let record = &self.record;
        let (claims, signer) = check_signer(token, &record.keys, record.path.project(), now)?;
        let believed = Believed { claims, signer };
        self.believed.rotate_right(1);
        self.believed[0] = Some((sum, believed));
        Ok((believed, false))
    }

    /// Whether the device's limits allow a message of this size now.
    pub(crate) fn may_send(&mut self, now: Instant, size: usize, limits: &DeviceLimits) -> bool {
        self.messages.take(now, 1, limits.messages_per_second)
            && self.bytes.take(now, size as u64, limits.bytes_per_second)
    }

    /// Whether the device's limits allow a state message now.
    pub(crate) fn may_tell_state(&mut self, now: Instant, limits: &DeviceLimits) -> bool {
        self.states.take(now, 1, limits.states_per_second)
    }
}
