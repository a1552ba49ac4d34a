use lasthop_units::DataSize;
use serde::{Deserialize, Serialize};

/// The MTU: the size of the largest packet that passes, counted from the IP header on. Larger packets are dropped, not
/// fragmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mtu {
    /// The size of the largest packet.
    pub largest: DataSize,
}

impl Mtu {
    pub(crate) fn admits(self, size: DataSize) -> bool {
        size <= self.largest
    }
}
