use lasthop_units::{Duration, Instant};

/// Detects overload from devices that arrive and leave, without keeping a record for each device.
///
/// `excess(t)` counts the devices that are there without their message being, and those turned away until then: that
/// went without its being there, though the network reached them. The share not carried is the least excess of the last third, less the least from 1/6 to 1/3 of the
/// time, for each device that came from 1/6 to 2/3; see `MODEL.md`. Here nobody waits for a queue to be empty: in a
/// crowd somebody is always on the way.
#[derive(Clone, Debug)]
pub(crate) struct Excess {
    early: Window,
    late: Window,
    count: i64,
    /// Since when the count is this.
    since: Instant,
    came_between: u64,
}

/// A part of the time in which devices come, and the least count in it.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: Instant,
    to: Instant,
    least: Option<i64>,
}

/// With fewer devices, a few that are late decide.
const FEWEST_DEVICES: u64 = 20;

impl Excess {
    /// Creates the state without devices. Arrivals between these instants count.
    pub(crate) fn between(from: Instant, to: Instant) -> Self {
        let sixth = if to > from {
            (to - from).as_nanos() / 6
        } else {
            0
        };
        let at = |sixths| from + Duration::from_nanos(sixth * sixths);
        let window = |from, to| Window {
            from: at(from),
            to: at(to),
            least: None,
        };
        Self {
            early: window(1, 2),
            late: window(4, 6),
            count: 0,
            since: Instant::ZERO,
            came_between: 0,
        }
    }

    /// Records the arrival of a device.
    pub(crate) fn come(&mut self, now: Instant) {
        self.change(now, 1);
        let between = self.early.from..self.late.from;
        self.came_between += u64::from(between.contains(&now));
    }

    /// Records that a device's message was delivered, or that the device left out of reach.
    pub(crate) fn end(&mut self, now: Instant) {
        self.change(now, -1);
    }

    /// Returns the share of messages that was not carried, if nothing happens until `end`, or `None` if too few devices
    /// arrived.
    pub(crate) fn share(&self, end: Instant) -> Option<f64> {
        if self.came_between < FEWEST_DEVICES {
            return None;
        }
        let mut at_end = self.clone();
        at_end.change(end, 0);
        let grown = at_end.late.least? - at_end.early.least?;
        let grown = u64::try_from(grown).unwrap_or(0);
        Some(grown as f64 / self.came_between as f64)
    }

    fn change(&mut self, now: Instant, by: i64) {
        for window in [&mut self.early, &mut self.late] {
            window.see(self.since, now, self.count);
        }
        self.since = now;
        self.count += by;
    }
}

impl Window {
    /// Notes a count that held on from one moment to another.
    fn see(&mut self, from: Instant, to: Instant, count: i64) {
        if from <= self.to && to >= self.from {
            self.least = Some(self.least.map_or(count, |least| least.min(count)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_nanos((seconds * 1e9) as u64)
    }

    /// The share over 600 s in which ten devices come a second and each goes after a while, or stays in the count.
    fn share(stay_s: impl Fn(u32) -> Option<f64>) -> Option<f64> {
        let mut changes = Vec::new();
        for device in 0..6000_u32 {
            let came = f64::from(device) / 10.0;
            changes.push((at(came), true));
            changes.extend(stay_s(device).map(|stay| (at(came + stay), false)));
        }
        changes.sort_unstable();
        let mut excess = Excess::between(at(0.0), at(600.0));
        for (now, comes) in changes.into_iter().filter(|(now, _)| *now <= at(720.0)) {
            if comes {
                excess.come(now);
            } else {
                excess.end(now);
            }
        }
        excess.share(at(720.0))
    }

    #[test]
    fn a_crowd_of_one_size_is_no_overload() {
        assert_eq!(share(|_| Some(8.0)), Some(0.0));
        let uneven = |device: u32| Some(f64::from(device % 7) * 3.0);
        assert!(share(uneven).unwrap() < 0.005);
    }

    #[test]
    fn a_queue_that_grows_shows_what_part_is_too_much() {
        // Seven a second are served, in order.
        let grows = |device: u32| Some(1.0 + f64::from(device) * (1.0 / 7.0 - 0.1));
        let found = share(grows).unwrap();
        assert!((found - 0.3).abs() < 0.01, "{found}");
    }

    #[test]
    fn those_that_give_up_count_as_those_that_wait() {
        let one_in_four = |device: u32| (!device.is_multiple_of(4)).then_some(2.0);
        let found = share(one_in_four).unwrap();
        assert!((found - 0.25).abs() < 0.01, "{found}");
    }

    #[test]
    fn a_stall_that_is_made_up_for_is_no_overload() {
        let stalled = |device: u32| match device {
            3000..4300 => Some(2.0 + f64::from(4300 - device) / 10.0),
            _ => Some(2.0),
        };
        assert_eq!(share(stalled), Some(0.0));
    }

    #[test]
    fn few_devices_say_nothing() {
        let mut excess = Excess::between(at(0.0), at(600.0));
        (0..19).for_each(|device| excess.come(at(150.0 + f64::from(device))));
        assert_eq!(excess.share(at(600.0)), None);
        excess.come(at(200.0));
        assert_eq!(excess.share(at(600.0)), Some(1.0));
        let nothing = Excess::between(at(60.0), at(60.0));
        assert_eq!(nothing.share(at(60.0)), None);
    }
}
