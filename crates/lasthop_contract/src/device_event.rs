/// An event of a resource-constrained device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceEvent {
    /// The device crashed and is booting.
    Crashed(CrashReason),
    /// The device has booted.
    Booted,
    /// The device's reader discarded messages that followed the one it read.
    ThrewAway {
        /// How many.
        messages: u32,
        /// How many reads began within one of them, and made no sense.
        misreads: u32,
    },
}

/// Why a device crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrashReason {
    /// A task requested memory and the heap had none free.
    Heap,
    /// The watchdog reset the device because a task did not yield in time.
    Watchdog,
}

impl CrashReason {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Watchdog => "watchdog",
        }
    }
}
