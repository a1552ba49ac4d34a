use core::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{CrashReason, DeviceEvent};
use lasthop_units::{Duration, Instant};

use crate::Constraints;

/// A device with little of everything: its constraints, and what its transports and its host know of it together.
#[derive(Clone, Debug)]
pub struct Device {
    constraints: Rc<Constraints>,
    state: Rc<RefCell<State>>,
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
    /// Memory in use, by transport.
    used: Vec<u64>,
    /// Messages, and reads that made no sense.
    thrown_away: (u32, u32),
}

impl Device {
    /// A device that has booted.
    #[must_use]
    pub fn new(constraints: Constraints) -> Self {
        Self {
            constraints: Rc::new(constraints),
            state: Rc::default(),
        }
    }

    pub(crate) fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The number of a further transport.
    pub(crate) fn add_transport(&self) -> usize {
        let used = &mut self.state.borrow_mut().used;
        used.push(0);
        used.len() - 1
    }

    /// Until when the application's task works; it is free from then on.
    pub(crate) fn busy_until(&self) -> Instant {
        self.state.borrow().busy_until
    }

    /// The task begins a piece of work, which it is free for; when that is done.
    pub(crate) fn begin(&self, now: Instant, work: Duration) -> Instant {
        let mut state = self.state.borrow_mut();
        // Where it is free at this very moment, it has not paused.
        if state.busy_until < now {
            state.busy_since = now;
        }
        state.busy_until = now + work;
        let barks = self.constraints.watchdog.map(|it| state.busy_since + it);
        state.watchdog_at = barks.filter(|at| *at < state.busy_until);
        state.busy_until
    }

    /// Notes what a transport has in memory.
    pub(crate) fn note_used(&self, transport: usize, bytes: u64) {
        self.state.borrow_mut().used[transport] = bytes;
    }

    /// Whether there is memory for so many bytes more.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        let used: u64 = self.state.borrow().used.iter().sum();
        used + bytes <= self.constraints.heap.size.as_bytes()
    }

    /// A task asked for memory that was not there.
    pub(crate) fn run_out_of_memory(&self) {
        let crash = &mut self.state.borrow_mut().crash;
        *crash = crash.or(Some(CrashReason::Heap));
    }

    pub(crate) fn throw_away(&self, messages: u32, is_misread: bool) {
        let thrown_away = &mut self.state.borrow_mut().thrown_away;
        thrown_away.0 += messages;
        thrown_away.1 += u32::from(is_misread);
    }

    /// Whether something is to be told.
    #[inline]
    pub(crate) fn take_thrown_away(&self) -> Option<DeviceEvent> {
        let thrown_away = core::mem::take(&mut self.state.borrow_mut().thrown_away);
        let (messages, misreads) = thrown_away;
        (messages + misreads > 0).then_some(DeviceEvent::ThrewAway { messages, misreads })
    }

    /// A crash that has happened by now.
    pub(crate) fn take_crash(&self, now: Instant) -> Option<CrashReason> {
        let mut state = self.state.borrow_mut();
        if let Some(reason) = state.crash.take() {
            return Some(reason);
        }
        state.watchdog_at.take_if(|at| *at <= now)?;
        Some(CrashReason::Watchdog)
    }

    /// Whether a crash is not told yet.
    pub(crate) fn has_crashed(&self) -> bool {
        self.state.borrow().crash.is_some()
    }

    /// When the watchdog will reset it.
    pub(crate) fn watchdog_at(&self) -> Option<Instant> {
        self.state.borrow().watchdog_at
    }

    /// All that was in memory is gone.
    pub(crate) fn forget(&self) {
        let mut state = self.state.borrow_mut();
        let transports = state.used.len();
        *state = State {
            used: vec![0; transports],
            thrown_away: state.thrown_away,
            ..State::default()
        };
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
            device.watchdog_at(),
            Some(at(0) + Duration::from_nanos(26_214_400_000))
        );
        assert_eq!(device.take_crash(at(26_214)), None);
        assert_eq!(device.take_crash(at(26_215)), Some(CrashReason::Watchdog));
        assert_eq!(device.take_crash(at(26_216)), None);
    }

    #[test]
    fn a_pause_of_any_length_feeds_the_watchdog() {
        let device = worked(28, (0..1000).map(|piece| piece * 29));
        assert_eq!(device.watchdog_at(), None);
    }

    #[test]
    fn memory_is_that_of_all_transports_together() {
        let device = worked(0, core::iter::empty());
        let (first, second) = (device.add_transport(), device.add_transport());
        device.note_used(first, 40_000);
        device.note_used(second, 3_000);
        assert!(device.has_room(848));
        assert!(!device.has_room(849));
        device.note_used(first, 0);
        assert!(device.has_room(40_848));
    }

    #[test]
    fn a_crash_is_told_once_and_forgets_all() {
        let device = worked(28, 0..1);
        let transport = device.add_transport();
        device.note_used(transport, 50_000);
        device.run_out_of_memory();
        device.run_out_of_memory();
        assert_eq!(device.take_crash(at(1)), Some(CrashReason::Heap));
        assert_eq!(device.take_crash(at(1)), None);
        device.forget();
        assert!(device.has_room(43_848));
        assert_eq!(device.busy_until(), Instant::ZERO);
    }
}
