use crate::UnixTime;

/// The configuration of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewayConfig {
    /// The calendar time at instant 0, unless a calendar overrides it.
    pub starts: UnixTime,
    /// The limits for a device.
    pub limits: DeviceLimits,
}

/// The limits on messages of a device. The defaults are those of Cloud IoT Core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// The maximum size of an event in bytes.
    pub event_size: usize,
    /// The maximum size of a state in bytes.
    pub state_size: usize,
    /// The maximum number of messages in a second.
    pub messages_per_second: u64,
    /// The maximum number of bytes in a second.
    pub bytes_per_second: u64,
    /// The maximum number of states in a second.
    pub states_per_second: u64,
}

impl Default for DeviceLimits {
    fn default() -> Self {
        Self {
            event_size: 256 << 10,
            state_size: 64 << 10,
            messages_per_second: 100,
            bytes_per_second: 512 << 10,
            states_per_second: 1,
        }
    }
}
