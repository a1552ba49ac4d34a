use lasthop_contract::{CrashReason, DeviceEvent, Direction};
use lasthop_engine::HostId;
use lasthop_units::{Duration, Instant};

/// The events of resource-constrained devices.
#[derive(Clone, Debug, Default)]
pub struct DeviceLog {
    crashes: Vec<Crash>,
    thrown_away: u64,
    misreads: u64,
    is_watched: bool,
}

/// A crash of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The host that crashed.
    pub host: HostId,
    /// Whether the host is a device of the study, or a server on constrained hardware.
    pub side: Direction,
    /// The time of the crash.
    pub at: Instant,
    /// The cause.
    pub reason: CrashReason,
    /// When the device finished booting, if it did.
    pub booted: Option<Instant>,
}

impl DeviceLog {
    /// Records that the run has a resource-constrained device.
    pub(crate) fn watch(&mut self) {
        self.is_watched = true;
    }

    pub(crate) fn note(&mut self, at: Instant, host: HostId, side: Direction, event: DeviceEvent) {
        match event {
            DeviceEvent::Crashed(reason) => self.crashes.push(Crash {
                host,
                side,
                at,
                reason,
                booted: None,
            }),
            DeviceEvent::Booted => {
                let mut latest = self.crashes.iter_mut().rev();
                // Whose power was cut boots, too. Of several devices that are one host any may be the one.
                let is_down = |crash: &&mut Crash| crash.host == host && crash.booted.is_none();
                if let Some(crash) = latest.find(is_down) {
                    crash.booted = Some(at);
                }
            }
            DeviceEvent::ThrewAway { messages, misreads } => {
                self.thrown_away += u64::from(messages);
                self.misreads += u64::from(misreads);
            }
        }
    }

    /// Returns the sums up to the end, or `None` without a resource-constrained device.
    pub(crate) fn at_end(&self, end: Instant) -> Option<DeviceSums> {
        let offline = self.crashes.iter().fold(Duration::ZERO, |sum, crash| {
            sum + (crash.booted.unwrap_or(end).max(crash.at) - crash.at)
        });
        let by_reason = |reason| {
            let of_reason = self.crashes.iter().filter(|crash| crash.reason == reason);
            of_reason.count() as u64
        };
        let crashes = self.crashes();
        let told: Vec<String> = crashes.iter().map(Crash::text).collect();
        self.is_watched.then(|| DeviceSums {
            events: told.join("; "),
            crashes_heap: by_reason(CrashReason::Heap),
            crashes_watchdog: by_reason(CrashReason::Watchdog),
            offline,
            thrown_away: self.thrown_away,
            misreads: self.misreads,
        })
    }

    /// Returns all crashes in order of time, and then of hosts.
    #[must_use]
    pub fn crashes(&self) -> Vec<Crash> {
        let mut crashes = self.crashes.clone();
        crashes.sort_by_key(|crash| (crash.at, crash.host));
        crashes
    }
}

impl Crash {
    /// Describes the crash.
    fn text(&self) -> String {
        let who = match self.side {
            Direction::Up => "device",
            Direction::Down => "server",
        };
        let seconds = |at: Instant| at.since_start().as_secs_f64();
        let (at, reason) = (seconds(self.at), self.reason.name());
        let crash = format!("{who} of host {} crashes at {at} s: {reason}", self.host.0);
        match self.booted {
            Some(booted) => format!("{crash}, boots by {} s", seconds(booted)),
            None => crash,
        }
    }
}

/// The events of a run's resource-constrained devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSums {
    /// Every crash in words, with its reason and the end of the boot.
    pub events: String,
    /// Crashes because memory was exhausted.
    pub crashes_heap: u64,
    /// Crashes by the watchdog.
    pub crashes_watchdog: u64,
    /// The total time that devices were off after crashes.
    pub offline: Duration,
    /// Messages that readers discarded because they followed the one that was read.
    pub thrown_away: u64,
    /// Reads that began inside a discarded message and so were invalid.
    pub misreads: u64,
}
