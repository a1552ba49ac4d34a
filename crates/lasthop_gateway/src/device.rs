use lasthop_units::Instant;
use ring::digest::{SHA256, digest};

use crate::rate::Rate;
use crate::token::check_signer;
use crate::{
    BadToken, Claims, DeviceLimits, DevicePath, Fingerprint, MAX_TOKEN_SIZE, PublicKey, UnixTime,
};

/// The maximum number of keys of a device, so that keys can be replaced without a pause.
pub const MAX_KEYS: usize = 3;

/// A device as it is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRecord {
    /// Its name.
    pub path: DevicePath,
    /// The keys that authenticate it, at most [`MAX_KEYS`].
    pub keys: Vec<PublicKey>,
    /// Whether and how it can attach other devices.
    pub attaches: Option<Attaches>,
    /// Whether it is blocked, regardless of its credentials.
    pub is_blocked: bool,
}

/// Which devices another device can attach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaches {
    /// Those that are bound to it (`ASSOCIATION_ONLY` of Cloud IoT Core).
    Bound,
    /// Those whose token it shows (`DEVICE_AUTH_TOKEN_ONLY`).
    WithToken,
    /// Those that are bound to it and whose token it shows (`ASSOCIATION_AND_DEVICE_AUTH_TOKEN`).
    BoundWithToken,
}

impl Attaches {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Bound, Self::WithToken, Self::BoundWithToken];

    /// Returns its name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::WithToken => "token",
            Self::BoundWithToken => "both",
        }
    }

    /// Whether the device has to be bound.
    pub(crate) const fn asks_for_binding(self) -> bool {
        matches!(self, Self::Bound | Self::BoundWithToken)
    }

    /// Whether its token has to be shown.
    pub(crate) const fn asks_for_token(self) -> bool {
        matches!(self, Self::WithToken | Self::BoundWithToken)
    }
}

/// A device that is served.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) record: DeviceRecord,
    /// What it is to be like, with the version of that; 0 where nobody said.
    pub(crate) config: (u64, Box<[u8]>),
    /// Tokens that were believed: their SHA-256, and what is known of them.
    believed: [Option<(Digest, Believed)>; BELIEVED],
    /// The key of the token that was shown last for a connection, whether or not that came about.
    pub(crate) admitted_by: Option<Fingerprint>,
    /// The key by which it has its connection, or had its last one.
    pub(crate) connected_by: Option<Fingerprint>,
    messages: Rate,
    bytes: Rate,
    states: Rate,
}

/// What is known of a token that is believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Believed {
    pub(crate) claims: Claims,
    /// The key that has signed it.
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

    /// What a token claims, if it is to be believed, and whether it was before.
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

    /// Whether it may send a message of this size now.
    pub(crate) fn may_send(&mut self, now: Instant, size: usize, limits: &DeviceLimits) -> bool {
        self.messages.take(now, 1, limits.messages_per_second)
            && self.bytes.take(now, size as u64, limits.bytes_per_second)
    }

    /// Whether it may say now how it is.
    pub(crate) fn may_tell_state(&mut self, now: Instant, limits: &DeviceLimits) -> bool {
        self.states.take(now, 1, limits.states_per_second)
    }
}
