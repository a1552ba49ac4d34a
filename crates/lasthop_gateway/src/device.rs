use lasthop_units::Instant;

use crate::rate::Rate;
use crate::token::{Claims, UnixTime};
use crate::{DeviceLimits, DevicePath, PublicKey};

/// How many keys a device has at most, so that they can be replaced without a pause.
pub const MAX_KEYS: usize = 3;

/// A device as it is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRecord {
    /// Its name.
    pub path: DevicePath,
    /// Who it is believed to be, at most [`MAX_KEYS`].
    pub keys: Vec<PublicKey>,
}

/// A device that is served.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) record: DeviceRecord,
    /// What it is to be like, with the version of that; 0 where nobody said.
    pub(crate) config: (u64, Box<[u8]>),
    /// Tokens that were believed: their SHA-256, and what they claim.
    believed: [Option<(Digest, Claims)>; BELIEVED],
    messages: Rate,
    bytes: Rate,
    states: Rate,
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
            messages: Rate::default(),
            bytes: Rate::default(),
            states: Rate::default(),
        }
    }

    /// What a token claims that was believed before, and still holds.
    pub(crate) fn believed(&self, token: &Digest, now: UnixTime) -> Option<Claims> {
        let known = self.believed.iter().flatten();
        let (_, claims) = known.copied().find(|(known, _)| known == token)?;
        claims.at(now).ok()
    }

    pub(crate) fn believe(&mut self, token: Digest, claims: Claims) {
        self.believed.rotate_right(1);
        self.believed[0] = Some((token, claims));
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
