use crate::UnixTime;

/// What a gateway is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewayConfig {
    /// What time it is at the instant 0, where no calendar says otherwise.
    pub starts: UnixTime,
    /// What a device may take.
    pub limits: DeviceLimits,
}

/// What a device may send: those of Cloud IoT Core where nobody says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Bytes of an event.
    pub event_size: usize,
    /// Bytes of a state.
    pub state_size: usize,
    /// Messages a second.
    pub messages_per_second: u64,
    /// Bytes a second.
    pub bytes_per_second: u64,
    /// States a second.
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
