use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::DecibelMilliwatts;
use smallvec::SmallVec;

use crate::cell::early_data::early_packets;
use crate::cell::events::Event;
use crate::cell::msg3::Contender;
use crate::cell::radio_words::preamble_in_words;
use crate::cell::{Cell, Context};
use crate::channel::{BurstId, BurstKind, EsN0, Tones, UplinkBurst};
use crate::config::SubcarrierSpacing;
use crate::device::{AccessPhase, DeviceKey};
use crate::phy::{Subframe, response_window};
use crate::radio_line::RadioLane;

/// Where a device gets in: by the preambles of its level, or by those that announce early data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cell) struct EntryPoint {
    pub(in crate::cell) level: u8,
    pub(in crate::cell) early: bool,
}

/// Preambles that are sent at the same time.
#[derive(Debug)]
pub(in crate::cell) struct Opportunity {
    start: Subframe,
    senders: Vec<Sender>,
}

#[derive(Clone, Copy, Debug)]
struct Sender {
    key: DeviceKey,
    tone: u8,
    burst: BurstId,
}

impl EntryPoint {
    /// Of three levels.
    pub(in crate::cell) const COUNT: usize = 6;

    fn index(self) -> usize {
        usize::from(self.level) * 2 + usize::from(self.early)
    }
}

impl Cell {
    /// A device sends a preamble in the first opportunity from `earliest` on.
    pub(in crate::cell) fn send_preamble(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        earliest: Subframe,
    ) {
        let power = &cx.settings.config.device_power;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let early_packets = early_packets(device, cx.settings);
        let Some(access) = &mut device.access else {
            return;
        };
        access.early_packets = early_packets;
        access.attempts += 1;
        access.attempts_at_level += 1;
        access.phase = AccessPhase::Preamble;
        let level = access.level;
        let early = early_packets.is_some();
        let at = EntryPoint { level, early };
        let occasions = &cx.settings.level(level).entry(early).occasions;
        let start = occasions.next(earliest);
        let (first_tone, tones) = occasions.tones();
        let tone = device.stream.below(u64::from(tones)) as u8;
        // The lowest level alone is under power control (TS 36.213 section 16.3.1).
        let power_dbm = if level == 0 {
            let ramped = power.preamble_target_dbm
                + f64::from(access.attempts_at_level - 1) * power.ramping_step_db
                + device.measured_loss_db;
            ramped.min(power.maximum_dbm)
        } else {
            power.maximum_dbm
        };
        let burst = UplinkBurst {
            from: start.start(),
            until: occasions.end_of(start),
            tones: Tones::new(SubcarrierSpacing::Khz3_75, first_tone + tone / 12 * 12, 12),
            power: DecibelMilliwatts::new(power_dbm),
            kind: BurstKind::Preamble,
            repetitions: occasions.preamble().repetitions(),
        };
        let burst_id = cx.channel.uplink_starts(cx.instant, key.slot, &burst);
        access.burst = Some(burst_id);
        device.radio.begin(start.start());
        device.radio.spend(
            start.start(),
            RadioState::LightSleep,
            RadioCause::RandomAccess,
        );
        device.radio.spend(
            start.start() + occasions.preamble().air_time(),
            RadioState::Transmit(DecibelMilliwatts::new(power_dbm)),
            RadioCause::RandomAccess,
        );
        self.report.of(level).preambles += 1;
        self.report.preamble_tone_ms +=
            occasions.preamble().air_time().as_secs_f64() * 1000.0 / 4.0;
        let sender = Sender {
            key,
            tone,
            burst: burst_id,
        };
        let end = Subframe::at_or_after(burst.until);
        let gathered = &mut self.opportunities[at.index()];
        // A back-off may lead past an opportunity that others gather for.
        let place = gathered.partition_point(|other| other.start < start);
        match gathered.get_mut(place) {
            Some(opportunity) if opportunity.start == start => opportunity.senders.push(sender),
            _ => {
                gathered.insert(
                    place,
                    Opportunity {
                        start,
                        senders: vec![sender],
                    },
                );
                self.events.push(end, Event::OpportunityEnds(at));
            }
        }
    }

    /// All preambles of an opportunity have been received; those on the same tone look like one.
    pub(in crate::cell) fn opportunity_ends(&mut self, cx: &mut Context<'_>, at: EntryPoint) {
        self.advance(cx.now);
        let Some(mut opportunity) = self.opportunities[at.index()].pop_front() else {
            return;
        };
        opportunity.senders.retain(|sender| {
            cx.devices
                .get(sender.key)
                .and_then(|device| device.access.as_ref())
                .is_some_and(|access| access.burst == Some(sender.burst))
        });
        opportunity.senders.sort_by_key(|sender| sender.tone);
        let settings = cx.settings.level(at.level);
        let occasions = &settings.entry(at.early).occasions;
        let (window_start, window_end) = response_window(
            Subframe(cx.now.0 - 1),
            occasions.preamble().repetitions(),
            settings.response_window_pp,
            &settings.access_space,
        );
        let mut detected_tones: SmallVec<[SmallVec<[Contender; 1]>; 4]> = SmallVec::new();
        for same_tone in opportunity.senders.chunk_by(|a, b| a.tone == b.tone) {
            let mut detected = false;
            let mut contenders = SmallVec::new();
            let mut attempts = SmallVec::<[(DeviceKey, u16); 1]>::new();
            for sender in same_tone {
                detected |= self.receives_preamble(cx, sender);
                if let Some(device) = cx.devices.get_mut(sender.key)
                    && let Some(access) = &mut device.access
                {
                    access.burst = None;
                    access.phase = AccessPhase::Response;
                    access.deadline = window_end;
                    attempts.push((sender.key, access.attempts));
                    contenders.push(Contender {
                        key: sender.key,
                        burst: None,
                        received: EsN0::NOTHING,
                        luck: 0.0,
                        sent: 0,
                    });
                }
            }
            let repetitions = occasions.preamble().repetitions();
            for (key, attempt) in attempts {
                let sent = (opportunity.start.start(), cx.now.start());
                cx.watch.note(key, RadioLane::Nprach, sent, detected, || {
                    preamble_in_words(at.level, attempt, repetitions, same_tone.len())
                });
            }
            let level_report = self.report.of(at.level);
            if same_tone.len() > 1 {
                level_report.preambles_collided += same_tone.len() as u64;
            } else if !detected {
                level_report.preambles_missed += 1;
            }
            if detected {
                detected_tones.push(contenders);
            }
        }
        let is_crowded = opportunity.senders.len() * 4 > usize::from(occasions.tones().1);
        let waiting = opportunity
            .senders
            .iter()
            .map(|sender| sender.key)
            .collect();
        let window = (window_start, window_end);
        self.send_responses(cx, at, detected_tones, waiting, window, is_crowded);
    }

    fn receives_preamble(&mut self, cx: &mut Context<'_>, sender: &Sender) -> bool {
        let probability = cx.channel.preamble_ends(sender.key.slot, sender.burst);
        let Some(device) = cx.devices.get_mut(sender.key) else {
            return false;
        };
        !cx.settings.config.switches.block_errors || device.stream.unit() < probability
    }
}
