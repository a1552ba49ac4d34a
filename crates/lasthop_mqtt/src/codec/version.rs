/// The version of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Version {
    /// MQTT 3.1.1 (OASIS 2014), protocol level 4.
    #[default]
    V3_1_1,
    /// MQTT 5 (OASIS 2019), protocol level 5.
    V5,
}

impl Version {
    /// The protocol level in CONNECT.
    #[must_use]
    pub const fn level(self) -> u8 {
        match self {
            Self::V3_1_1 => 4,
            Self::V5 => 5,
        }
    }
}
