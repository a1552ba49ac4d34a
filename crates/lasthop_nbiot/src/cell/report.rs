use crate::phy::{DownlinkChannel, DownlinkTimeline, Subframe, UplinkChannel, UplinkGrid};

/// What has happened in one cell since the start of the run.
#[derive(Clone, Debug, Default)]
pub struct CellReport {
    /// By coverage level.
    pub levels: Vec<LevelReport>,
    /// Usable downlink subframes that NPDCCH has taken.
    pub npdcch_subframes: u64,
    /// Those that NPDSCH has taken.
    pub npdsch_subframes: u64,
    /// Milliseconds of a 15 kHz tone that were sent with data.
    pub npusch_tone_ms: f64,
    /// Those with acknowledgements.
    pub acknowledgement_tone_ms: f64,
    /// Milliseconds of a 15 kHz tone that were sent with preambles.
    pub preamble_tone_ms: f64,
    /// Milliseconds of a 15 kHz tone that were held, waits for preambles and gaps included.
    pub held_tone_ms: f64,
    /// Events.
    pub events: u64,
    /// DCIs of format N0 and N1, repetitions counted once.
    pub dcis: u64,
    /// Pages.
    pub pages: u64,
    /// Devices that waited for resources, summed over time, in device milliseconds.
    pub queue_device_ms: u64,
    /// The most devices that waited at once.
    pub longest_queue: u32,
    /// How many devices waited at the end of each second, where it was planned at all in it: second, devices.
    pub queue_by_second: Vec<(u32, u32)>,
    /// When `queue_device_ms` was last brought up to date.
    pub(super) queue_since: Subframe,
    pub(super) queued: u32,
}

/// What has happened in one coverage level of a cell. Attempts count where they were made, connections where they began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelReport {
    /// Preambles sent.
    pub preambles: u64,
    /// Preambles whose tone another device chose in the same opportunity.
    pub preambles_collided: u64,
    /// Preambles that were alone on their tone and not detected.
    pub preambles_missed: u64,
    /// Detected preambles that no response could be sent for.
    pub preambles_unanswered: u64,
    /// Response windows that ended without a response for the device.
    pub responses_failed: u64,
    /// Transmissions of Msg3, and those not received.
    pub msg3_sent: u64,
    /// Transmissions of Msg3 that were not received.
    pub msg3_lost: u64,
    /// Contention that was not resolved in favour of a device.
    pub contentions_lost: u64,
    /// Random accesses for a connection that were completed.
    pub accesses: u64,
    /// Random accesses for a grant that were completed.
    pub scheduling_requests: u64,
    /// Random accesses that ended without success.
    pub accesses_failed: u64,
    /// Of these, those that T300 ended.
    pub set_ups_timed_out: u64,
    /// Connections whose set-up was completed.
    pub set_ups: u64,
    /// Connections that were released.
    pub releases: u64,
    /// Connections that ended by failure of the radio link.
    pub radio_link_failures: u64,
    /// Time from the beginning to the end of connections, together.
    pub connected_ms: u64,
    /// NPDSCH transmissions to devices, and of these the repeated ones by HARQ.
    pub npdsch_sent: u64,
    /// NPDSCH transmissions that HARQ repeated.
    pub npdsch_repeated: u64,
    /// NPUSCH grants, and of these the repeated ones by HARQ.
    pub npusch_granted: u64,
    /// NPUSCH grants by which HARQ repeated.
    pub npusch_repeated: u64,
    /// Transport blocks that HARQ gave up.
    pub blocks_lost: u64,
    /// DCIs that the device did not hear.
    pub dcis_missed: u64,
    /// PDUs of RLC that were sent again, both ways.
    pub rlc_retransmissions: u64,
    /// Packets that arrived.
    pub packets_up: u64,
    /// Packets that reached the device.
    pub packets_down: u64,
    /// Packets that were dropped because the access failed.
    pub packets_access_failed: u64,
    /// Packets that were dropped because the radio link failed.
    pub packets_radio_link_failure: u64,
    /// Packets that were dropped because they had waited too long.
    pub packets_given_up: u64,
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

    pub(super) fn with_resources(
        &self,
        timeline: &DownlinkTimeline,
        grid: &UplinkGrid,
        events: u64,
    ) -> Self {
        Self {
            npdcch_subframes: timeline.reserved(DownlinkChannel::Npdcch),
            npdsch_subframes: timeline.reserved(DownlinkChannel::Npdsch),
            npusch_tone_ms: grid.sent_tone_ms(UplinkChannel::Data),
            acknowledgement_tone_ms: grid.sent_tone_ms(UplinkChannel::Acknowledgement),
            held_tone_ms: grid.held_tone_ms(),
            events,
            ..self.clone()
        }
    }
}
