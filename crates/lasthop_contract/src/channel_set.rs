use crate::FlowId;

/// A set of flows of a device, by their channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelSet(u16);

impl ChannelSet {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// The set of all channels.
    pub const ALL: Self = Self((1 << FlowId::PER_DEVICE) - 1);

    /// Creates the set of one channel.
    #[must_use]
    pub const fn of(channel: u8) -> Self {
        Self::NONE.with(channel)
    }

    /// Returns the set with this channel added. The channel must be below [`FlowId::PER_DEVICE`].
    #[must_use]
    pub const fn with(self, channel: u8) -> Self {
        debug_assert!(channel < FlowId::PER_DEVICE);
        Self(self.0 | 1 << channel)
    }

    /// Whether the set contains a channel.
    #[must_use]
    pub const fn contains(self, channel: u8) -> bool {
        self.0 & 1 << channel != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the channels in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..FlowId::PER_DEVICE).filter(move |channel| self.contains(*channel))
    }
}

impl FromIterator<u8> for ChannelSet {
    fn from_iter<I: IntoIterator<Item = u8>>(channels: I) -> Self {
        channels.into_iter().fold(Self::NONE, Self::with)
    }
}
