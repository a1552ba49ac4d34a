use lasthop_units::DataSize;

/// The largest packet that passes, counted from the IP header on. Larger ones are dropped, not fragmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mtu {
    /// The size of the largest packet.
    pub largest: DataSize,
}

impl Mtu {
    pub(crate) fn admits(self, size: DataSize) -> bool {
        size <= self.largest
    }
}
