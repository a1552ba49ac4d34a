use lasthop_contract::{RadioCause, RadioState};
use smallvec::SmallVec;

use super::events::Event;
use super::receive::downlink_burst;
use super::{Cell, Context};
use crate::cell::radio_words::{dci_in_words, msg3, sent_in_words};
use crate::channel::{BurstId, BurstKind, EsN0};
use crate::device::{AccessPhase, DeviceKey};
use crate::link_tables::Combining;
use crate::phy::{
    DownlinkChannel, DownlinkSpan, Subframe, UplinkAllocation, UplinkChannel,
    monitoring_after_npusch,
};
use crate::radio_line::RadioLane;

/// A grant for Msg3, and who sends on it: all that sent the same preamble.
#[derive(Debug)]
pub(super) struct Msg3Grant {
    pub(super) level: u8,
    /// It is for a Msg3 with data.
    pub(super) early: bool,
    pub(super) contenders: SmallVec<[Contender; 1]>,
    pub(super) allocation: UplinkAllocation,
    /// The NPDCCH that asked for the transmission under way, if it is not the first.
    pub(super) dci: Option<DownlinkSpan>,
    pub(super) attempts: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Contender {
    pub(super) key: DeviceKey,
    pub(super) burst: Option<BurstId>,
    pub(super) received: EsN0,
    pub(super) luck: f64,
    pub(super) sent: u8,
}

impl Cell {
    /// Sends Msg3 on a grant.
    pub(super) fn send_msg3(
        &mut self,
        cx: &mut Context<'_>,
        contender: &mut Contender,
        (level, early): (u8, bool),
        allocation: &UplinkAllocation,
    ) {
        let msg3 = &cx.settings.level(level).entry(early).msg3;
        let Some(device) = cx.devices.get_mut(contender.key) else {
            return;
        };
        let power_dbm = super::npusch::npusch_power_dbm(
            &cx.settings.config,
            device.measured_loss_db,
            msg3.unit,
            msg3.repetitions,
        );
        let burst = cx.channel.uplink_starts(
            cx.instant,
            contender.key.slot,
            &super::npusch::npusch_burst(
                allocation,
                msg3.unit.spacing,
                power_dbm,
                BurstKind::Data,
                msg3.repetitions,
            ),
        );
        contender.burst = Some(burst);
        contender.sent += 1;
        if let Some(access) = &mut device.access {
            access.burst = Some(burst);
            if !early && access.early_packets.take().is_some() {
                self.report.of(level).early_data_fallbacks += 1;
            }
        }
        let cause = if early {
            RadioCause::Payload
        } else {
            RadioCause::RandomAccess
        };
        super::radio_use::spend_transmission(device, allocation, power_dbm, cause);
        self.report.of(level).msg3_sent += 1;
    }

    /// The base station has received a Msg3, or has not.
    pub(super) fn msg3_ends(&mut self, cx: &mut Context<'_>, number: u32) {
        self.advance(cx.now);
        let mut grant = self.msg3_grants.remove(number);
        let level = grant.level;
        let contention_resolution =
            (cx.settings.level(level).entry(grant.early)).contention_resolution;
        let listens_from = monitoring_after_npusch(cx.now);
        let mut strongest: Option<usize> = None;
        let mut losses: SmallVec<[f64; 2]> = SmallVec::new();
        for contender in &mut grant.contenders {
            let Some(device) = cx.devices.get_mut(contender.key) else {
                losses.push(f64::INFINITY);
                continue;
            };
            losses.push(device.coupling_loss_db);
            if let Some(burst) = contender.burst.take()
                && let Some(access) = &mut device.access
                && access.burst == Some(burst)
            {
                contender.received += cx.channel.uplink_ends(contender.key.slot, burst);
                access.burst = None;
                access.phase = AccessPhase::Contention;
                access.deadline = cx.now + contention_resolution;
                self.events
                    .push(access.deadline, Event::ContentionTimer(contender.key));
            }
        }
        grant.contenders.retain(|contender| {
            cx.devices
                .get(contender.key)
                .is_some_and(|device| device.access.is_some())
        });
        losses.retain(|loss| loss.is_finite());
        for (place, contender) in grant.contenders.iter().enumerate() {
            let is_alone = grant.contenders.len() == 1;
            let mine = losses.get(place).copied().unwrap_or(f64::INFINITY);
            let captures = is_alone
                || losses.iter().enumerate().all(|(other, loss)| {
                    other == place
                        || *loss - mine >= cx.settings.config.random_access.msg3_capture_db
                });
            if captures && self.receives_msg3(cx, contender, (level, grant.early)) {
                strongest = Some(place);
            }
        }
        for (place, contender) in grant.contenders.iter().enumerate() {
            let sent = (grant.allocation.span.start.start(), cx.now.start());
            let (is_received, key) = (strongest == Some(place), contender.key);
            cx.watch
                .note(key, RadioLane::Npusch, sent, is_received, || {
                    let format = &cx.settings.level(level).entry(grant.early).msg3;
                    let carried = msg3(cx.devices.get(key), cx.settings, grant.early);
                    sent_in_words(&carried, format, &grant.allocation, grant.attempts.into())
                });
        }
        match strongest {
            Some(place) => {
                let winner = grant.contenders[place].key;
                for contender in &grant.contenders {
                    if contender.key != winner {
                        self.report.of(level).contentions_lost += 1;
                    }
                }
                self.msg3_received(cx, winner, (level, grant.early), listens_from);
            }
            None => {
                self.report.of(level).msg3_lost += 1;
                self.ask_for_msg3_again(cx, grant, listens_from);
            }
        }
    }

    fn receives_msg3(
        &self,
        cx: &Context<'_>,
        contender: &Contender,
        (level, early): (u8, bool),
    ) -> bool {
        if !cx.settings.config.switches.block_errors {
            return true;
        }
        let msg3 = &cx.settings.level(level).entry(early).msg3;
        let combining = if contender.sent > 1 || msg3.has_both_redundancy_versions() {
            Combining::RedundancyVersions0And2
        } else {
            Combining::Chase
        };
        let rate = super::npusch::npusch_error_rate(msg3, combining);
        rate.at(contender.received.decibels()) <= contender.luck
    }

    /// Asks by a DCI for another transmission of Msg3, while HARQ allows it.
    fn ask_for_msg3_again(
        &mut self,
        cx: &mut Context<'_>,
        mut grant: Msg3Grant,
        listens_from: Subframe,
    ) {
        let settings = cx.settings.level(grant.level);
        if grant.attempts >= cx.settings.config.connection.harq_transmissions
            || grant.contenders.is_empty()
        {
            return;
        }
        let switches = &cx.settings.config.switches;
        let space = &settings.access_space;
        let entry = settings.entry(grant.early);
        let until = listens_from + entry.contention_resolution;
        let Some(dci) = self.resources.timeline.find_dci(
            space,
            settings.access.dci_repetitions,
            listens_from.max(cx.now + cx.settings.waits.scheduler),
            until,
            switches.first_candidate_only,
        ) else {
            return;
        };
        let msg3 = &entry.msg3;
        let Some((_, allocation)) = self.resources.grid.find_grant(
            dci.end,
            super::npusch::grant_delays(switches.minimum_k0_only),
            msg3.duration_ms(),
            msg3.unit.tones,
        ) else {
            return;
        };
        self.resources
            .timeline
            .reserve(&dci, DownlinkChannel::Npdcch);
        self.resources
            .grid
            .reserve(&allocation, UplinkChannel::Data);
        self.report.dcis += 1;
        cx.channel.downlink_starts(
            cx.instant,
            self.resources.index,
            &downlink_burst(&dci, settings.access.dci_repetitions),
        );
        grant.attempts += 1;
        grant.allocation = allocation;
        grant.dci = Some(dci);
        let number = self.msg3_grants.insert(grant);
        self.events.push(dci.end, Event::Msg3GrantEnds(number));
    }

    /// Those who hear the grant send Msg3 again.
    pub(super) fn msg3_grant_ends(&mut self, cx: &mut Context<'_>, number: u32) {
        let mut grant = self.msg3_grants.remove(number);
        let (level, allocation) = (grant.level, grant.allocation);
        let settings = cx.settings.level(level);
        let Some(dci) = grant.dci else { return };
        let mut contenders = core::mem::take(&mut grant.contenders);
        contenders.retain(|contender| {
            cx.devices
                .get(contender.key)
                .and_then(|device| device.access.as_ref())
                .is_some_and(|access| access.phase == AccessPhase::Contention)
        });
        for contender in &mut contenders {
            let repetitions = settings.access.dci_repetitions;
            let hears = self.receives_dci(cx, contender.key, &dci, repetitions);
            let sent = (dci.start.start(), dci.end.start());
            cx.watch
                .note(contender.key, RadioLane::Npdcch, sent, hears, || {
                    dci_in_words("grant for Msg3 again", repetitions)
                });
            if hears {
                if let Some(device) = cx.devices.get_mut(contender.key) {
                    device.radio.spend(
                        dci.end.start(),
                        RadioState::Receive,
                        RadioCause::RandomAccess,
                    );
                    // It does not break off what it sends when the timer runs out meanwhile.
                    if let Some(access) = &mut device.access {
                        access.phase = AccessPhase::Msg3;
                    }
                }
                self.send_msg3(cx, contender, (level, grant.early), &allocation);
            }
        }
        grant.contenders = contenders;
        let end = allocation.span.end;
        let number = self.msg3_grants.insert(grant);
        self.events.push(end, Event::Msg3Ends(number));
    }
}
