mod level;

pub use level::LevelReport;

use super::data_carriers::Resources;
use crate::phy::{DownlinkChannel, Subframe, UplinkChannel};

/// The counters of one cell since the start of the run.
#[derive(Clone, Debug, Default)]
pub struct CellReport {
    /// The counters by coverage level.
    pub levels: Vec<LevelReport>,
    /// The number of usable downlink subframes used by NPDCCH.
    pub npdcch_subframes: u64,
    /// The number of downlink subframes used by NPDSCH.
    pub npdsch_subframes: u64,
    /// Tone time used by data, in ms of a 15 kHz tone.
    pub npusch_tone_ms: f64,
    /// Tone time used by acknowledgements, in ms of a 15 kHz tone.
    pub acknowledgement_tone_ms: f64,
    /// Tone time used by preambles, in ms of a 15 kHz tone.
    pub preamble_tone_ms: f64,
    /// Tone time reserved by transmissions, with waits for preambles and gaps, in ms of a 15 kHz tone.
    pub held_tone_ms: f64,
    /// The number of simulation events of the cell.
    pub events: u64,
    /// The number of DCIs of format N0 and N1. Repetitions count once.
    pub dcis: u64,
    /// The number of transmissions that began before another one of the same device had ended, among devices that have
    /// left. It must be 0.
    pub half_duplex_conflicts: u64,
    /// The number of pages.
    pub pages: u64,
    /// The number of devices that waited for resources, integrated over time, in device milliseconds.
    pub queue_device_ms: u64,
    /// The maximum number of devices that waited for resources at once.
    pub longest_queue: u32,
    /// The number of waiting devices at the end of each second in which the cell scheduled: (second, devices).
    pub queue_by_second: Vec<(u32, u32)>,
    /// When `queue_device_ms` was last brought up to date.
    pub(super) queue_since: Subframe,
    pub(super) queued: u32,
}

impl CellReport {
    pub(super) fn new(levels: usize) -> Self {
        Self {
            levels: vec![LevelReport::default(); levels],
            ..Self::default()
        }
    }

    /// Counts one of a level.
    pub(super) fn of(&mut self, level: u8) -> &mut LevelReport {
        &mut self.levels[usize::from(level)]
    }

    /// The number of devices that wait for resources has changed.
    pub(super) fn note_queue(&mut self, now: Subframe, queued: usize) {
        self.queue_device_ms += u64::from(self.queued) * (now - self.queue_since);
        let second = (now.0 / 1000) as u32;
        match self.queue_by_second.last_mut() {
            Some((last, devices)) if *last == second => *devices = queued as u32,
            _ => self.queue_by_second.push((second, queued as u32)),
        }
        self.queue_since = now;
        self.queued = queued as u32;
        self.longest_queue = self.longest_queue.max(self.queued);
    }

    /// The same with what has been taken of the carriers.
    pub(super) fn with_resources<'a>(
        &self,
        carriers: impl Iterator<Item = &'a Resources>,
        events: u64,
    ) -> Self {
        let mut told = Self {
            events,
            ..self.clone()
        };
        for Resources { timeline, grid, .. } in carriers {
            told.npdcch_subframes += timeline.reserved(DownlinkChannel::Npdcch);
            told.npdsch_subframes += timeline.reserved(DownlinkChannel::Npdsch);
            told.npusch_tone_ms += grid.sent_tone_ms(UplinkChannel::Data);
            told.acknowledgement_tone_ms += grid.sent_tone_ms(UplinkChannel::Acknowledgement);
            told.held_tone_ms += grid.held_tone_ms();
        }
        told
    }
}
