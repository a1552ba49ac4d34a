use lasthop_contract::{DeviceId, Established, LookupMap, SessionChange, SessionEvent};
use lasthop_units::{Duration, Instant};

use crate::Histogram;

/// The sessions of a run's devices: kinds of set-up, set-up times, and half-open connections.
///
/// A connection is half open while a server holds it and its device has none any more (RFC 9293 section 3.5.1). Devices may
/// be told of in any order, what is told of one comes in the order of time.
#[derive(Clone, Debug, Default)]
pub struct SessionSums {
    begun: u64,
    resumed: u64,
    early: u64,
    took: Histogram,
    devices: LookupMap<DeviceId, Connections>,
    /// When connections became half open, and when they were so no more.
    changes: Vec<(Instant, bool)>,
    half_open_nanos: u128,
}

/// Of one device, at both ends.
#[derive(Clone, Copy, Debug, Default)]
struct Connections {
    own: u32,
    held: u32,
    are_half_open: bool,
}

impl SessionSums {
    /// Records an event of a session. Sessions that began at `from` or later are counted.
    pub(crate) fn note(&mut self, now: Instant, event: SessionEvent, from: Instant) {
        let of_device = self
            .devices
            .get_or_insert_with(event.device, Default::default);
        match event.change {
            SessionChange::Tried { again } => {
                of_device.own += 1;
                self.begun += u64::from(from <= now && !again);
            }
            SessionChange::SetUp { since, how } if from <= since => {
                self.took.record(now - since);
                self.resumed += u64::from(how != Established::Full);
                self.early += u64::from(how == Established::Early);
            }
            SessionChange::SetUp { .. } => {}
            SessionChange::Lost => of_device.own = of_device.own.saturating_sub(1),
            SessionChange::Held => of_device.held += 1,
            SessionChange::Released => of_device.held = of_device.held.saturating_sub(1),
        }
        let are_half_open = of_device.held > of_device.own;
        if of_device.are_half_open != are_half_open {
            of_device.are_half_open = are_half_open;
            self.changes.push((now, are_half_open));
        }
    }

    /// Returns the sums at the end of the run, or `None` if no session was reported.
    pub(crate) fn at_end(&self, end: Instant) -> Option<Self> {
        let mut sums = self.clone();
        let until_end = |wanted: bool| -> u128 {
            let at = self.changes.iter().filter(|(_, begins)| *begins == wanted);
            at.map(|(at, _)| u128::from((end - *at).as_nanos())).sum()
        };
        sums.half_open_nanos = until_end(true) - until_end(false);
        for _ in sums.set_up()..sums.begun {
            sums.took.record_never();
        }
        (!self.devices.is_empty()).then_some(sums)
    }

    /// Returns the number of devices that began a set-up.
    #[must_use]
    pub const fn begun(&self) -> u64 {
        self.begun
    }

    /// Returns the number of established sessions.
    #[must_use]
    pub fn set_up(&self) -> u64 {
        self.took.count() - self.took.never()
    }

    /// Returns the number of resumed sessions.
    #[must_use]
    pub const fn resumed(&self) -> u64 {
        self.resumed
    }

    /// Returns the number of sessions with accepted early data.
    #[must_use]
    pub const fn early(&self) -> u64 {
        self.early
    }

    /// Returns a percentile of the set-up time from the first attempt, to 0.4 %. Sessions that were never established
    /// count as infinite.
    #[must_use]
    pub fn took(&self, percent: u64) -> Option<Duration> {
        self.took.percentile(percent)
    }

    /// Returns the maximum number of connections that were half-open at the same time.
    #[must_use]
    pub fn half_open_peak(&self) -> u64 {
        let mut changes = self.changes.clone();
        // At one instant, those that end come first.
        changes.sort_unstable();
        let count = |count: &mut u64, (_, begins): (Instant, bool)| {
            *count = if begins { *count + 1 } else { *count - 1 };
            Some(*count)
        };
        changes.into_iter().scan(0, count).max().unwrap_or(0)
    }

    /// Returns the total time of half-open connections in seconds.
    #[must_use]
    pub fn half_open_seconds(&self) -> f64 {
        self.half_open_nanos as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: SessionChange = SessionChange::Tried { again: false };

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn sums(events: &[(u32, u64, SessionChange)]) -> SessionSums {
        let mut sums = SessionSums::default();
        for &(device, seconds, change) in events {
            let device = DeviceId(device);
            let event = SessionEvent { device, change };
            sums.note(at(seconds), event, Instant::ZERO);
        }
        sums.at_end(at(100)).expect("a session was begun")
    }

    #[test]
    fn a_server_that_hears_nothing_of_a_crash_holds_a_half_open_connection() {
        let (since, how) = (at(0), Established::Resumed);
        let of_one = |device| {
            [
                (device, 0, FIRST),
                (device, 1, SessionChange::Held),
                (device, 2, SessionChange::SetUp { since, how }),
                (device, 10, SessionChange::Lost),
                (device, 40, SessionChange::Released),
            ]
        };
        // The second is told of when the first has long gone.
        let sums = sums(&[of_one(0), of_one(1)].concat());
        assert_eq!(sums.half_open_peak(), 2);
        assert!((sums.half_open_seconds() - 60.0).abs() < 1e-9);
        assert_eq!((sums.begun(), sums.set_up()), (2, 2));
        assert_eq!((sums.resumed(), sums.early()), (2, 0));
        assert_eq!(sums.took(95), Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_session_that_never_comes_about_is_infinite() {
        let sums = sums(&[
            (0, 0, FIRST),
            (0, 5, SessionChange::Lost),
            (0, 6, SessionChange::Tried { again: true }),
        ]);
        assert_eq!((sums.begun(), sums.set_up()), (1, 0));
        assert_eq!(sums.took(50), None);
    }

    #[test]
    fn what_is_half_open_at_the_end_counts_until_then() {
        let sums = sums(&[
            (0, 0, FIRST),
            (0, 1, SessionChange::Held),
            (0, 90, SessionChange::Lost),
        ]);
        assert!((sums.half_open_seconds() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn who_is_never_heard_of_has_no_sums() {
        assert!(SessionSums::default().at_end(at(1)).is_none());
    }
}
