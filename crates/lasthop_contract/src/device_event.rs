/// What happens to a device that has little of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceEvent {
    /// It crashes, and boots.
    Crashed(CrashReason),
    /// It is there again.
    Booted,
    /// Its reader threw messages away that came behind the one that it read.
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
    /// A task asked for memory, and there was none.
    Heap,
    /// A task did not wait for so long that the watchdog reset the device.
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
