use core::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{CrashReason, DeviceEvent};
use lasthop_units::{Duration, Instant};

use crate::Constraints;

/// A resource-constrained device: its limits and the state that its transports and host share.
#[derive(Clone, Debug)]
pub struct Device {
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Many devices have the same, which are looked up at every packet: they share them.
    constraints: Arc<Constraints>,
    state: RefCell<State>,
    /// Memory in use, of all transports.
    used: Cell<u64>,
    /// From when on the host is to look what has happened.
    attention_at: Cell<Instant>,
}

#[derive(Debug, Default)]
struct State {
    /// Until when the application's task works.
    busy_until: Instant,
    /// Since when it has not paused.
    busy_since: Instant,
    /// When the watchdog resets the device, if nothing else happens.
    watchdog_at: Option<Instant>,
    /// A crash that has happened, and is not told yet.
    crash: Option<CrashReason>,
    /// Messages, and reads that made no sense.
    thrown_away: (u32, u32),
}

impl Device {
    /// Creates a device that has booted.
    #[must_use]
    pub fn new(constraints: impl Into<Arc<Constraints>>) -> Self {
        Self {
            shared: Rc::new(Shared {
                constraints: constraints.into(),
                state: RefCell::default(),
                used: Cell::new(0),
                attention_at: Cell::new(Instant::FAR_FUTURE),
            }),
        }
    }

    pub(crate) fn constraints(&self) -> &Constraints {
        &self.shared.constraints
    }

    /// Returns the instant until which the application's task is busy.
    pub(crate) fn busy_until(&self) -> Instant {
        self.shared.state.borrow().busy_until
    }

    /// Starts work of the application's task, which must be idle. Returns when the work ends.
    pub(crate) fn begin(&self, now: Instant, work: Duration) -> Instant {
        let mut state = self.shared.state.borrow_mut();
        // Where it is free at this very moment, it has not paused.
        if state.busy_until < now {
            state.busy_since = now;
        }
        state.busy_until = now + work;
        let barks = self.constraints().watchdog.map(|it| state.busy_since + it);
        state.watchdog_at = barks.filter(|at| *at < state.busy_until);
        self.shared.attention_at.set(state.attention_at());
        state.busy_until
    }

    /// Records the memory that a transport uses now. `before` holds its previous use.
    pub(crate) fn note_used(&self, before: &mut u64, bytes: u64) {
        let others = self.shared.used.get() - core::mem::replace(before, bytes);
        self.shared.used.set(others + bytes);
    }

    /// Whether this many more bytes of memory are free.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.shared.used.get() + bytes <= self.constraints().heap.size.as_bytes()
    }

    /// Records that a task requested memory and none was free, so that the device crashes.
    pub(crate) fn run_out_of_memory(&self) {
        self.change(|state| state.crash = state.crash.or(Some(CrashReason::Heap)));
    }

    pub(crate) fn throw_away(&self, messages: u32, is_misread: bool) {
        self.change(|state| {
            state.thrown_away.0 += messages;
            state.thrown_away.1 += u32::from(is_misread);
        });
    }

    /// Returns when the device must be polled next for an event or a crash.
    #[inline]
    pub(crate) fn attention_at(&self) -> Instant {
        self.shared.attention_at.get()
    }

    /// Returns an event for discarded messages that were not reported yet.
    pub(crate) fn take_thrown_away(&self) -> Option<DeviceEvent> {
        let (messages, misreads) = self.change(|state| core::mem::take(&mut state.thrown_away));
        (messages + misreads > 0).then_some(DeviceEvent::ThrewAway { messages, misreads })
    }

    /// Returns the crash that has happened up to now, if any.
    pub(crate) fn take_crash(&self, now: Instant) -> Option<CrashReason> {
        self.change(|state| {
            if let Some(reason) = state.crash.take() {
                return Some(reason);
            }
            state.watchdog_at.take_if(|at| *at <= now)?;
            Some(CrashReason::Watchdog)
        })
    }

    /// Clears the work of the application's task. The transports release their memory.
    pub(crate) fn forget(&self) {
        self.change(|state| {
            *state = State {
                thrown_away: state.thrown_away,
                ..State::default()
            };
        });
    }

    /// Changes what the host is to look at.
    fn change<R>(&self, how: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.shared.state.borrow_mut();
        let gave = how(&mut state);
        self.shared.attention_at.set(state.attention_at());
        gave
    }
}

impl State {
    fn attention_at(&self) -> Instant {
        if self.crash.is_some() || self.thrown_away != (0, 0) {
            return Instant::ZERO;
        }
        self.watchdog_at.unwrap_or(Instant::FAR_FUTURE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::tests::esp8266;

    fn at(milliseconds: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(milliseconds)
    }

    /// Works for so long at each of these instants.
    fn worked(work: u64, at_ms: impl Iterator<Item = u64>) -> Device {
        let device = Device::new(esp8266());
        for begins in at_ms {
            device.begin(at(begins), Duration::from_millis(work));
        }
        device
    }

    #[test]
    fn the_watchdog_resets_a_task_that_never_pauses() {
        let device = worked(28, (0..1000).map(|piece| piece * 28));
        assert_eq!(
            device.attention_at(),
            at(0) + Duration::from_nanos(26_214_400_000)
        );
        assert_eq!(device.take_crash(at(26_214)), None);
        assert_eq!(device.take_crash(at(26_215)), Some(CrashReason::Watchdog));
        assert_eq!(device.take_crash(at(26_216)), None);
    }

    #[test]
    fn a_pause_of_any_length_feeds_the_watchdog() {
        let device = worked(28, (0..1000).map(|piece| piece * 29));
        assert_eq!(device.attention_at(), Instant::FAR_FUTURE);
    }

    #[test]
    fn memory_is_that_of_all_transports_together() {
        let device = worked(0, core::iter::empty());
        let (mut first, mut second) = (0, 0);
        device.note_used(&mut first, 40_000);
        device.note_used(&mut second, 3_000);
        assert!(device.has_room(848));
        assert!(!device.has_room(849));
        device.note_used(&mut first, 0);
        assert!(device.has_room(40_848));
    }

    #[test]
    fn a_crash_is_told_once_and_forgets_all() {
        let device = worked(28, 0..1);
        let mut used = 0;
        device.note_used(&mut used, 50_000);
        device.run_out_of_memory();
        device.run_out_of_memory();
        assert_eq!(device.take_crash(at(1)), Some(CrashReason::Heap));
        assert_eq!(device.take_crash(at(1)), None);
        device.forget();
        device.note_used(&mut used, 0);
        assert!(device.has_room(43_848));
        assert_eq!(device.busy_until(), Instant::ZERO);
    }
}
