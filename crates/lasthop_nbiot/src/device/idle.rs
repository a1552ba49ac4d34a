use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::{Duration, Instant};

use super::RadioLog;
use crate::config::{ExtendedDrx, Idle as IdleConfig, NetworkConfig};
use crate::phy::Subframe;

/// When an idle device listens: paging occasions by DRX, in windows of eDRX, and not at all in power saving mode
/// (TS 36.304 section 7, TS 23.682 section 4.5.4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle {
    /// Since when it is idle; T3324 and T3412 run from here.
    since: Subframe,
    /// Its place in the paging cycle, in subframes.
    offset: u64,
    /// Its hyperframe in the eDRX cycle, in subframes.
    extended_offset: u64,
    /// How long it listens to be in step again after a deep sleep.
    wake_up_ms: u64,
    /// When the event comes that looks whether T3412 has run out.
    pub(crate) update_event: Option<Subframe>,
    /// T3412 has run out, and the connection that follows is not there yet or for the update alone.
    is_updating: bool,
}

/// Subframes of a hyperframe.
const HYPERFRAME: u64 = 10_240;
/// The subframe of a frame that has a paging occasion with nB = T (TS 36.304 section 7.2).
const PAGING_SUBFRAME: u64 = 9;
/// A device without a page knows so after half of the repetitions, at the mean, and wakes before to get in step.
const WAKE_UP_SUBFRAMES: u64 = 6;
/// A deep sleep takes less than a light one where it is so many times longer than the wake-up behind it: 80 mW of listening
/// by 3 mW less 0.015 mW of sleep, the figures of TR 45.820.
const DEEP_SLEEP_PAYS: u64 = 27;

impl Idle {
    /// A device that becomes idle; its number stands for its IMSI. After a deep sleep it listens for `wake_up_ms`.
    pub(crate) fn new(config: &IdleConfig, number: u64, since: Subframe, wake_up_ms: u64) -> Self {
        let cycle_frames = u64::from(config.drx_cycle_frames);
        let extended_offset = config.extended_drx.as_ref().map_or(0, |extended| {
            let hyperframes = (u64::from(extended.cycle_ms) / HYPERFRAME).max(1);
            number % hyperframes * HYPERFRAME
        });
        Self {
            since,
            offset: number % cycle_frames * Subframe::PER_FRAME + PAGING_SUBFRAME,
            extended_offset,
            wake_up_ms,
            update_event: None,
            is_updating: false,
        }
    }

    /// It is idle from here on.
    pub(crate) fn begin(&mut self, since: Subframe) {
        self.since = since;
        self.is_updating = false;
    }

    /// T3412 has run out.
    pub(crate) fn begin_update(&mut self) {
        self.is_updating = true;
    }

    /// Whether T3412 has run out since it became idle.
    pub(crate) const fn is_updating(&self) -> bool {
        self.is_updating
    }

    /// The first paging occasion that starts with this subframe or a later one; `None` in power saving mode.
    pub(crate) fn next_occasion(&self, config: &IdleConfig, from: Subframe) -> Option<Subframe> {
        let cycle = u64::from(config.drx_cycle_frames) * Subframe::PER_FRAME;
        let mut occasion = next_of(from, self.offset, cycle);
        if let Some(extended) = &config.extended_drx {
            let extended_cycle = u64::from(extended.cycle_ms);
            let window_length = u64::from(extended.paging_time_window_ms);
            let earlier = Subframe(from.0.saturating_sub(window_length.saturating_sub(1)));
            let mut window = next_of(earlier, self.extended_offset, extended_cycle);
            occasion = next_of(Subframe(from.0.max(window.0)), self.offset, cycle);
            if occasion.0 >= window.0 + window_length {
                window += extended_cycle;
                // There is one in every window: none is shorter than the paging cycle.
                occasion = next_of(window, self.offset, cycle);
            }
        }
        match &config.power_saving_mode {
            Some(psm) if occasion.0 >= self.since.0 + psm.t3324_ms => None,
            _ => Some(occasion),
        }
    }

    /// Its place in the paging cycle, at this subframe or a later one.
    pub(crate) fn next_in_cycle(&self, config: &IdleConfig, from: Subframe) -> Subframe {
        let cycle = u64::from(config.drx_cycle_frames) * Subframe::PER_FRAME;
        next_of(from, self.offset, cycle)
    }

    /// When it has to tell the network that it is still there, if it sleeps in power saving mode.
    pub(crate) fn periodic_update(&self, config: &IdleConfig) -> Option<Subframe> {
        let psm = config.power_saving_mode.as_ref()?;
        Some(self.since + psm.t3412_ms)
    }

    /// How long it listens to be in step again after a deep sleep, where it knows the frame.
    pub(crate) const fn wake_up_ms(&self) -> u64 {
        self.wake_up_ms
    }

    /// How long it has slept deeply by a subframe; `None` if it does not then.
    pub(crate) fn deep_sleep_ms(&self, config: &IdleConfig, at: Subframe) -> Option<u64> {
        if let Some(psm) = &config.power_saving_mode
            && at.0 >= self.since.0 + psm.t3324_ms
        {
            return Some(at.0 - self.since.0 - psm.t3324_ms);
        }
        let extended = self.sleeps_deeply_between_windows(config)?;
        let window = u64::from(extended.paging_time_window_ms);
        let running = (at.0 + u64::from(extended.cycle_ms) - self.extended_offset)
            % u64::from(extended.cycle_ms);
        let slept = running.checked_sub(window)?.min(at - self.since);
        // What was paged in the last occasion of a window is awake behind it.
        (slept > self.wake_up_ms).then_some(slept)
    }

    /// Tells what the radio did from where its log ended until `until`: paging occasions without a page, wake-ups and
    /// sleep, in one span each.
    pub(crate) fn account(&self, config: &NetworkConfig, until: Instant, radio: &mut RadioLog) {
        let idle = &config.idle;
        let from = radio.until();
        if until <= from {
            return;
        }
        let active_until = match &idle.power_saving_mode {
            Some(psm) => (self.since + psm.t3324_ms).start().min(until),
            None => until,
        };
        if active_until > from {
            let mut end = from;
            let mut spend = |duration: Duration, state, cause| {
                end = (end + duration).min(active_until);
                radio.spend(end, state, cause);
            };
            let occasions = self.between(from, active_until, |at| self.occasions_before(idle, at));
            spend(
                Self::listening_time(idle) * occasions,
                RadioState::Receive,
                RadioCause::Paging,
            );
            if let Some(extended) = self.sleeps_deeply_between_windows(idle) {
                let window = u64::from(extended.paging_time_window_ms);
                let awake = self.extended_time(extended, self.extended_offset, window);
                let waking_from =
                    self.extended_offset + u64::from(extended.cycle_ms) - self.wake_up_ms;
                let waking = self.extended_time(extended, waking_from, self.wake_up_ms);
                let waking = Duration::from_millis(self.between(from, active_until, waking));
                let awake = Duration::from_millis(self.between(from, active_until, awake));
                spend(waking, RadioState::Receive, RadioCause::Synchronisation);
                let asleep = (active_until - from) - (waking + awake);
                spend(asleep, RadioState::DeepSleep, RadioCause::Sleep);
            }
            radio.spend(active_until, RadioState::LightSleep, RadioCause::Sleep);
        }
        radio.spend(until, RadioState::DeepSleep, RadioCause::Sleep);
    }

    /// How long it listens in a paging occasion in which it is not paged.
    fn listening_time(config: &IdleConfig) -> Duration {
        let listens = match &config.wake_up_signal {
            Some(signal) => signal.subframes(config.paging_rmax).into(),
            None => u64::from(config.paging_rmax).div_ceil(2),
        };
        Duration::from_millis(WAKE_UP_SUBFRAMES + listens)
    }

    /// Extended DRX, if it sleeps deeply between the paging time windows: if what they leave is long enough.
    fn sleeps_deeply_between_windows<'a>(&self, config: &'a IdleConfig) -> Option<&'a ExtendedDrx> {
        let extended = config.extended_drx.as_ref()?;
        let gap = u64::from(extended.cycle_ms - extended.paging_time_window_ms);
        (gap > DEEP_SLEEP_PAYS * self.wake_up_ms).then_some(extended)
    }

    /// What a count has grown by from one moment to another.
    fn between(&self, from: Instant, until: Instant, before: impl Fn(Subframe) -> u64) -> u64 {
        before(Subframe::at_or_after(until)) - before(Subframe::at_or_after(from))
    }

    /// Paging occasions that start before a subframe.
    fn occasions_before(&self, config: &IdleConfig, at: Subframe) -> u64 {
        let cycle = u64::from(config.drx_cycle_frames) * Subframe::PER_FRAME;
        let count = |subframes: u64| subframes.saturating_sub(self.offset).div_ceil(cycle);
        let Some(extended) = &config.extended_drx else {
            return count(at.0);
        };
        // Windows begin with a hyperframe, and so with a paging cycle.
        let window = u64::from(extended.paging_time_window_ms);
        let extended_cycle = u64::from(extended.cycle_ms);
        let running = at.0.saturating_sub(self.extended_offset);
        running / extended_cycle * count(window) + count((running % extended_cycle).min(window))
    }

    /// The subframes before another that lie within the first `length` of an eDRX cycle, which begins with `offset`.
    fn extended_time(
        &self,
        extended: &ExtendedDrx,
        offset: u64,
        length: u64,
    ) -> impl Fn(Subframe) -> u64 + use<> {
        let cycle = u64::from(extended.cycle_ms);
        move |before| {
            let running = before.0.saturating_sub(offset % cycle);
            running / cycle * length + (running % cycle).min(length)
        }
    }
}

/// The first of the subframes offset + n cycle that is this one or a later one.
fn next_of(from: Subframe, offset: u64, cycle: u64) -> Subframe {
    let offset = offset % cycle;
    Subframe(offset + (from - Subframe(offset)).div_ceil(cycle) * cycle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ExtendedDrx;

    #[test]
    fn no_occasion_lies_outside_a_paging_time_window_whatever_may_be_set() {
        let mut network = NetworkConfig::single_device(144.0);
        let mut taken = 0;
        for drx_cycle_frames in [128, 256, 512, 1024] {
            for window in (1..=16).map(|times| u64::from(times * 2560_u32)) {
                let extended = ExtendedDrx {
                    cycle_ms: 81_920,
                    paging_time_window_ms: window as u32,
                };
                network.idle.drx_cycle_frames = drx_cycle_frames;
                network.idle.power_saving_mode = None;
                network.idle.extended_drx = Some(extended);
                if network.check().is_err() {
                    continue;
                }
                taken += 1;
                for number in [0, 7, 127, 128, 255, 700, 1023] {
                    let idle = Idle::new(&network.idle, number, Subframe(0), 80);
                    let begin = idle.extended_offset;
                    for from in (0..200_000).step_by(997) {
                        let at = idle
                            .next_occasion(&network.idle, Subframe(from))
                            .expect("no PSM");
                        assert!((at.0 - begin) % 81_920 < window, "{at:?} of {number}");
                        let before = |at| idle.occasions_before(&network.idle, at);
                        assert_eq!(before(at), before(Subframe(from)), "it is the next one");
                        assert_eq!(before(at + 1), before(at) + 1, "it is one");
                    }
                }
            }
        }
        assert_eq!(taken, 16 + 16 + 15 + 13);
    }
}
