use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::{Duration, Instant};

use super::RadioLog;
use crate::config::{Idle as IdleConfig, NetworkConfig};
use crate::phy::Subframe;

/// When an idle device listens: paging occasions by DRX, in windows of eDRX, and not at all in power saving mode
/// (TS 36.304 7, TS 23.682 4.5.4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle {
    /// Since when it is idle; T3324 and T3412 run from here.
    since: Subframe,
    /// Its place in the paging cycle, in subframes.
    offset: u64,
    /// Its hyperframe in the eDRX cycle, in subframes.
    extended_offset: u64,
    /// When the event comes that looks whether T3412 has run out.
    pub(crate) update_event: Option<Subframe>,
    /// T3412 has run out, and the connection that follows is not there yet or for the update alone.
    is_updating: bool,
}

/// Subframes of a hyperframe.
const HYPERFRAME: u64 = 10_240;
/// The subframe of a frame that has a paging occasion with nB = T (TS 36.304 7.2).
const PAGING_SUBFRAME: u64 = 9;
/// A device without a page knows so after half of the repetitions, at the mean, and wakes before to get in step.
const WAKE_UP_SUBFRAMES: u64 = 6;

impl Idle {
    /// A device that becomes idle; its number stands for its IMSI.
    pub(crate) fn new(config: &IdleConfig, number: u64, since: Subframe) -> Self {
        let cycle_frames = u64::from(config.drx_cycle_frames);
        let extended_offset = config.extended_drx.as_ref().map_or(0, |extended| {
            let hyperframes = (u64::from(extended.cycle_ms) / HYPERFRAME).max(1);
            number % hyperframes * HYPERFRAME
        });
        Self {
            since,
            offset: number % cycle_frames * Subframe::PER_FRAME + PAGING_SUBFRAME,
            extended_offset,
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
                occasion = next_of(window, self.offset, cycle);
            }
        }
        match &config.power_saving_mode {
            Some(psm) if occasion.0 >= self.since.0 + psm.t3324_ms => None,
            _ => Some(occasion),
        }
    }

    /// When it has to tell the network that it is still there, if it sleeps in power saving mode.
    pub(crate) fn periodic_update(&self, config: &IdleConfig) -> Option<Subframe> {
        let psm = config.power_saving_mode.as_ref()?;
        Some(self.since + psm.t3412_ms)
    }

    /// Tells what the radio did from where its log ended until `until`, paging occasions without a page and sleep, in
    /// one span each.
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
            let occasions = self.occasions_between(idle, from, active_until);
            let listened = Self::listening_time(idle) * occasions;
            let at_most = active_until - from;
            radio.spend(
                from + listened.min(at_most),
                RadioState::Receive,
                RadioCause::Paging,
            );
            radio.spend(active_until, RadioState::LightSleep, RadioCause::Sleep);
        }
        radio.spend(until, RadioState::DeepSleep, RadioCause::Sleep);
    }

    /// How long it listens in a paging occasion in which it is not paged.
    fn listening_time(config: &IdleConfig) -> Duration {
        Duration::from_millis(WAKE_UP_SUBFRAMES + u64::from(config.paging_rmax).div_ceil(2))
    }

    fn occasions_between(&self, config: &IdleConfig, from: Instant, until: Instant) -> u64 {
        let (from, until) = (Subframe::at_or_after(from), Subframe::at_or_after(until));
        let cycle = u64::from(config.drx_cycle_frames) * Subframe::PER_FRAME;
        let Some(extended) = &config.extended_drx else {
            return count_between(from, until, self.offset, cycle);
        };
        let extended_cycle = u64::from(extended.cycle_ms);
        let window_length = u64::from(extended.paging_time_window_ms);
        // Whole windows have all their occasions; those at the ends are cut.
        let first = next_of(
            Subframe(from.0.saturating_sub(extended_cycle - 1)),
            self.extended_offset,
            extended_cycle,
        );
        let of_window = |start: Subframe| {
            let end = Subframe((start.0 + window_length).min(until.0));
            count_between(Subframe(start.0.max(from.0)), end, self.offset, cycle)
        };
        let second = first + extended_cycle;
        if second >= until {
            return of_window(first);
        }
        let whole = (until.0 - second.0) / extended_cycle;
        let mean = window_length as f64 / cycle as f64;
        let last = second + whole * extended_cycle;
        of_window(first) + (whole as f64 * mean) as u64 + of_window(last)
    }
}

/// The first of the subframes offset + n cycle that is this one or a later one.
fn next_of(from: Subframe, offset: u64, cycle: u64) -> Subframe {
    let offset = offset % cycle;
    Subframe(offset + (from - Subframe(offset)).div_ceil(cycle) * cycle)
}

fn count_between(from: Subframe, until: Subframe, offset: u64, cycle: u64) -> u64 {
    let before = |at: Subframe| (at - Subframe(offset % cycle)).div_ceil(cycle);
    before(until).saturating_sub(before(from))
}
