use lasthop_contract::{LookupMap, Port, RadioCause};
use lasthop_engine::LinkId;
use lasthop_units::{Duration, Energy, Instant, Power};

/// A device by its group and its number in the group.
pub(crate) type DeviceKey = (usize, u32);

/// The energy of radios until the sessions of their devices are set up.
///
/// The set-up of a device ends when its radio is idle for the first time after the first session is there. What the radio
/// draws between the two is a part of it, unless the device has a message to send or to receive before: then the connection
/// of the set-up has become that of the message, and the set-up ended with the session. The registration of a device with its
/// network always is a part; of a device that finds no cell, until it sleeps for the first time.
#[derive(Debug, Default)]
pub(crate) struct SetUps {
    devices: LookupMap<DeviceKey, Device>,
    radios: LookupMap<(LinkId, Port), Pending>,
}

/// The energy of a span in joules, and that of its measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Share {
    pub(crate) total: Energy,
    pub(crate) measured: Energy,
}

/// A span of a radio's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
    pub(crate) draws: Power,
    pub(crate) cause: RadioCause,
    /// The measured interval, once it is known.
    pub(crate) measured: Option<(Instant, Instant)>,
}

/// A device of which a radio is not set up.
#[derive(Clone, Copy, Debug, Default)]
struct Device {
    ready: Option<Instant>,
    /// When its first message is due.
    due: Option<Instant>,
    radios: u32,
}

/// A radio that is not set up.
#[derive(Clone, Copy, Debug)]
struct Pending {
    device: DeviceKey,
    /// What it drew before the session was there.
    before: Share,
    /// What it has drawn since.
    behind: Share,
}

impl SetUps {
    /// Adds a radio of a device that will set up a session.
    pub(crate) fn begin(&mut self, radio: (LinkId, Port), device: DeviceKey) {
        let pending = Pending {
            device,
            before: Share::default(),
            behind: Share::default(),
        };
        if self.radios.insert(radio, pending).is_none() {
            self.devices
                .get_or_insert_with(device, Default::default)
                .radios += 1;
        }
    }

    /// Whether all set-ups are complete.
    pub(crate) fn are_over(&self) -> bool {
        self.radios.is_empty()
    }

    /// Records that a session of a device is set up.
    pub(crate) fn note_ready(&mut self, now: Instant, device: DeviceKey) {
        if let Some(device) = self.devices.get_mut(&device) {
            device.ready.get_or_insert(now);
        }
    }

    /// Records that a message from or to a device is due.
    pub(crate) fn note_due(&mut self, now: Instant, device: DeviceKey) {
        if let Some(device) = self.devices.get_mut(&device) {
            device.due.get_or_insert(now);
        }
    }

    /// Processes a span of a radio. Returns the energy that is now known to belong to the set-up.
    pub(crate) fn take(&mut self, radio: (LinkId, Port), span: Span) -> Share {
        let Some(pending) = self.radios.get_mut(&radio) else {
            return Share::default();
        };
        let key = pending.device;
        let Some(device) = self.devices.get(&key).copied() else {
            return Share::default();
        };
        if matches!(span.cause, RadioCause::CellSearch | RadioCause::Attach) {
            // A registration is a part of the set-up, whatever is due meanwhile.
            pending.before.add(span.share(span.from, span.until));
            return Share::default();
        }
        let ready = device.ready.unwrap_or(Instant::FAR_FUTURE);
        if span.from < ready {
            pending
                .before
                .add(span.share(span.from, span.until.min(ready)));
        }
        if span.until <= ready {
            return Share::default();
        }
        let mut known = core::mem::take(&mut pending.before);
        let is_idle = matches!(span.cause, RadioCause::Sleep | RadioCause::Paging);
        let has_message = device.due.is_some_and(|due| due < span.until);
        if is_idle {
            known.add(pending.behind);
        } else if !has_message {
            pending
                .behind
                .add(span.share(span.from.max(ready), span.until));
            return known;
        }
        self.radios.remove(&radio);
        if let Some(device) = self.devices.get_mut(&key) {
            device.radios -= 1;
            if device.radios == 0 {
                self.devices.remove(&key);
            }
        }
        known
    }
}

impl Share {
    pub(crate) fn add(&mut self, other: Self) {
        self.total += other.total;
        self.measured += other.measured;
    }
}

impl Span {
    fn share(&self, from: Instant, until: Instant) -> Share {
        let measured = self.measured.map_or(Duration::ZERO, |(begin, end)| {
            until.min(end) - from.max(begin)
        });
        Share {
            total: self.draws * (until - from),
            measured: self.draws * measured,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIO: (LinkId, Port) = (LinkId(0), Port(0));
    const DEVICE: DeviceKey = (0, 7);
    const WINDOW: (Instant, Instant) = (Instant::from_nanos(4_000_000_000), Instant::FAR_FUTURE);

    fn at(seconds: u64) -> Instant {
        Instant::from_nanos(seconds * 1_000_000_000)
    }

    /// A radio that draws 1 W while it is awake, and 0 W while it sleeps.
    fn take(set_ups: &mut SetUps, cause: RadioCause, from: u64, until: u64) -> [f64; 2] {
        let draws = match cause {
            RadioCause::Sleep => 0.0,
            _ => 1.0,
        };
        let span = Span {
            from: at(from),
            until: at(until),
            draws: Power::from_watts(draws),
            cause,
            measured: Some(WINDOW),
        };
        let share = set_ups.take(RADIO, span);
        [share.total.as_joules(), share.measured.as_joules()]
    }

    fn begun() -> SetUps {
        let mut set_ups = SetUps::default();
        set_ups.begin(RADIO, DEVICE);
        set_ups
    }

    const SETS_UP: RadioCause = RadioCause::Signalling;
    const WAITS: RadioCause = RadioCause::Waiting;
    const SLEEPS: RadioCause = RadioCause::Sleep;

    #[test]
    fn a_registration_is_a_part_though_a_message_is_due_and_there_is_no_session_to_wait_for() {
        let mut set_ups = begun();
        set_ups.note_ready(at(0), DEVICE);
        set_ups.note_due(at(1), DEVICE);
        assert_eq!(take(&mut set_ups, RadioCause::CellSearch, 0, 3), [0.0, 0.0]);
        assert_eq!(take(&mut set_ups, RadioCause::Attach, 3, 6), [0.0, 0.0]);
        assert_eq!(take(&mut set_ups, SETS_UP, 6, 7), [6.0, 2.0]);
        assert!(set_ups.are_over());
    }

    #[test]
    fn the_wait_for_the_release_is_a_part_where_the_radio_is_idle_before_a_message() {
        let mut set_ups = begun();
        assert_eq!(take(&mut set_ups, SETS_UP, 0, 3), [0.0, 0.0]);
        set_ups.note_ready(at(5), DEVICE);
        assert_eq!(take(&mut set_ups, SETS_UP, 3, 6), [5.0, 1.0]);
        assert_eq!(take(&mut set_ups, WAITS, 6, 10), [0.0, 0.0]);
        assert_eq!(take(&mut set_ups, SLEEPS, 10, 90), [5.0, 5.0]);
        assert!(set_ups.are_over());
        set_ups.note_due(at(90), DEVICE);
        assert_eq!(take(&mut set_ups, WAITS, 90, 99), [0.0, 0.0]);
    }

    #[test]
    fn the_wait_is_of_a_message_that_comes_before_the_release() {
        let mut set_ups = begun();
        set_ups.note_ready(at(5), DEVICE);
        assert_eq!(take(&mut set_ups, SETS_UP, 0, 6), [5.0, 1.0]);
        assert_eq!(take(&mut set_ups, WAITS, 6, 8), [0.0, 0.0]);
        set_ups.note_due(at(8), DEVICE);
        assert_eq!(take(&mut set_ups, WAITS, 8, 20), [0.0, 0.0]);
        assert!(set_ups.are_over());
    }

    #[test]
    fn who_is_never_ready_is_never_set_up() {
        let mut set_ups = begun();
        set_ups.note_due(at(1), DEVICE);
        assert_eq!(take(&mut set_ups, SETS_UP, 0, 50), [0.0, 0.0]);
        assert_eq!(take(&mut set_ups, SLEEPS, 50, 90), [0.0, 0.0]);
        assert!(!set_ups.are_over());
    }

    #[test]
    fn both_radios_of_a_device_are_set_up_by_its_session() {
        let mut set_ups = begun();
        set_ups.begin((LinkId(1), Port(0)), DEVICE);
        set_ups.note_ready(at(0), DEVICE);
        assert_eq!(take(&mut set_ups, SLEEPS, 0, 9), [0.0, 0.0]);
        assert!(!set_ups.are_over());
        let span = Span {
            from: at(0),
            until: at(9),
            draws: Power::from_watts(1.0),
            cause: SLEEPS,
            measured: None,
        };
        set_ups.take((LinkId(1), Port(0)), span);
        assert!(set_ups.are_over());
    }
}
