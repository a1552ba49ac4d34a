use lasthop_contract::{RadioCause, RadioState};
use lasthop_units::DecibelMilliwatts;
use smallvec::SmallVec;

use super::downlink::connected_listening_share;
use super::events::Event;
use super::{Cell, Context};
use crate::channel::{BurstId, BurstKind, DownlinkBurst, EsN0, Tones, UplinkBurst};
use crate::config::{NetworkConfig, SubcarrierSpacing};
use crate::device::{Access, AccessPhase, AccessPurpose, DeviceKey};
use crate::layer2::random_access_response_bytes;
use crate::link_tables::{BlockErrorRate, Combining, ControlMessage};
use crate::phy::{
    DownlinkChannel, DownlinkSpan, PREAMBLE_RETRY_MS, Subframe, UplinkAllocation, UplinkChannel,
    monitoring_after_npusch, rar_npusch_delays, response_window,
};

/// Preambles that are sent at the same time.
#[derive(Debug)]
pub(super) struct Opportunity {
    start: Subframe,
    senders: Vec<Sender>,
}

#[derive(Clone, Copy, Debug)]
struct Sender {
    key: DeviceKey,
    tone: u8,
    burst: BurstId,
}

/// A random access response on its way: the NPDCCH, the NPDSCH, and a grant for each preamble in it.
#[derive(Debug)]
pub(super) struct Response {
    level: u8,
    dci: DownlinkSpan,
    data: DownlinkSpan,
    /// Devices still wait for a response until this subframe.
    window_end: Subframe,
    back_off: bool,
    grants: SmallVec<[Msg3Grant; 2]>,
}

/// A grant for Msg3, and who sends on it: all that sent the same preamble.
#[derive(Debug)]
pub(super) struct Msg3Grant {
    level: u8,
    contenders: SmallVec<[Contender; 1]>,
    allocation: UplinkAllocation,
    /// The NPDCCH that asked for the transmission under way, if it is not the first.
    dci: Option<DownlinkSpan>,
    attempts: u8,
}

#[derive(Clone, Copy, Debug)]
struct Contender {
    key: DeviceKey,
    burst: Option<BurstId>,
    received: EsN0,
    luck: f64,
    sent: u8,
}

impl Cell {
    /// A device begins a random access.
    pub(super) fn begin_access(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        purpose: AccessPurpose,
    ) {
        let instant = cx.instant;
        let settings = cx.settings;
        let Some(device) = cx.device(key) else { return };
        if device.is_idle() {
            device
                .idle
                .account(&settings.config, instant, &mut device.radio);
        }
        let mut earliest = Subframe::at_or_after(instant);
        let level = match (purpose, &device.connection) {
            (AccessPurpose::Grant, Some(connection)) => {
                earliest = earliest.max(connection.listens_from);
                let share = connected_listening_share(connection, settings);
                device.radio.listen(instant, share, RadioCause::Waiting);
                connection.level
            }
            _ => device.level,
        };
        if !core::mem::replace(&mut device.knows_system_information, true) {
            earliest += acquisition_ms(&settings.config);
            device.radio.spend(
                earliest.start(),
                RadioState::Receive,
                RadioCause::Synchronisation,
            );
        }
        device.access = Some(Access::new(purpose, level, instant));
        if purpose == AccessPurpose::Connect {
            let t300 = u64::from(cx.settings.config.connection.t300_ms);
            self.events.push(cx.now + t300, Event::SetUpTimer(key));
        }
        self.send_preamble(cx, key, earliest);
    }

    /// A device sends a preamble in the first opportunity from `earliest` on.
    fn send_preamble(&mut self, cx: &mut Context<'_>, key: DeviceKey, earliest: Subframe) {
        let power = &cx.settings.config.device_power;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &mut device.access else {
            return;
        };
        access.attempts += 1;
        access.attempts_at_level += 1;
        access.phase = AccessPhase::Preamble;
        let level = access.level;
        let occasions = &cx.settings.level(level).occasions;
        let start = occasions.next(earliest);
        let (first_tone, tones) = occasions.tones();
        let tone = device.stream.below(u64::from(tones)) as u8;
        // The lowest level alone is under power control (TS 36.213 16.3.1).
        let power_dbm = if level == 0 {
            let ramped = power.preamble_target_dbm
                + f64::from(access.attempts_at_level - 1) * power.ramping_step_db
                + device.coupling_loss_db;
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
        let gathered = &mut self.opportunities[usize::from(level)];
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
                self.events.push(end, Event::OpportunityEnds(level));
            }
        }
    }

    /// All preambles of an opportunity have been received; those on the same tone look like one.
    pub(super) fn opportunity_ends(&mut self, cx: &mut Context<'_>, level: u8) {
        self.advance(cx.now);
        let Some(mut opportunity) = self.opportunities[usize::from(level)].pop_front() else {
            return;
        };
        opportunity.senders.retain(|sender| {
            cx.devices
                .get(sender.key)
                .and_then(|device| device.access.as_ref())
                .is_some_and(|access| access.burst == Some(sender.burst))
        });
        opportunity.senders.sort_by_key(|sender| sender.tone);
        let settings = cx.settings.level(level);
        let (window_start, window_end) = response_window(
            Subframe(cx.now.0 - 1),
            settings.occasions.preamble().repetitions(),
            settings.response_window_pp,
            &settings.access_space,
        );
        let mut answered: SmallVec<[SmallVec<[Contender; 1]>; 4]> = SmallVec::new();
        for same_tone in opportunity.senders.chunk_by(|a, b| a.tone == b.tone) {
            let mut detected = false;
            let mut contenders = SmallVec::new();
            for sender in same_tone {
                detected |= self.receives_preamble(cx, sender);
                if let Some(device) = cx.devices.get_mut(sender.key)
                    && let Some(access) = &mut device.access
                {
                    access.burst = None;
                    access.phase = AccessPhase::Response;
                    access.deadline = window_end;
                    contenders.push(Contender {
                        key: sender.key,
                        burst: None,
                        received: EsN0::NOTHING,
                        luck: 0.0,
                        sent: 0,
                    });
                }
            }
            let level_report = self.report.of(level);
            if same_tone.len() > 1 {
                level_report.preambles_collided += same_tone.len() as u64;
            } else if !detected {
                level_report.preambles_missed += 1;
            }
            if detected {
                answered.push(contenders);
            } else {
                for contender in contenders {
                    self.events
                        .push(window_end, Event::AccessRetry(contender.key));
                }
            }
        }
        let is_crowded = opportunity.senders.len() * 4 > usize::from(settings.occasions.tones().1);
        self.send_responses(cx, level, answered, (window_start, window_end), is_crowded);
    }

    fn receives_preamble(&mut self, cx: &mut Context<'_>, sender: &Sender) -> bool {
        let probability = cx.channel.preamble_ends(sender.key.slot, sender.burst);
        let Some(device) = cx.devices.get_mut(sender.key) else {
            return false;
        };
        !cx.settings.config.switches.block_errors || device.stream.unit() < probability
    }

    /// Answers preambles, as many as fit at a time, while the window lasts.
    fn send_responses(
        &mut self,
        cx: &mut Context<'_>,
        level: u8,
        mut detected: SmallVec<[SmallVec<[Contender; 1]>; 4]>,
        (window_start, window_end): (Subframe, Subframe),
        is_crowded: bool,
    ) {
        let settings = cx.settings.level(level);
        let switches = &cx.settings.config.switches;
        let has_back_off = is_crowded && cx.settings.config.random_access.back_off_ms > 0;
        let mut earliest = window_start;
        while !detected.is_empty() {
            let Some(dci) = self.timeline.find_dci(
                &settings.access_space,
                settings.access.dci_repetitions,
                earliest,
                window_end,
                switches.first_candidate_only,
            ) else {
                break;
            };
            let mode = cx.settings.config.carrier.mode;
            let largest = settings.access.npdsch(u32::MAX, mode);
            let mut count = detected.len() as u16;
            while count > 1
                && random_access_response_bytes(count, has_back_off) * 8 > largest.block.bits
            {
                count -= 1;
            }
            let bits = u32::from(random_access_response_bytes(count, has_back_off)) * 8;
            let format = settings.access.npdsch(bits, mode);
            let Some((_, data)) = self.timeline.find_npdsch(
                settings.access_space.rmax(),
                dci.end,
                format.subframes(),
                switches.minimum_k0_only,
            ) else {
                earliest = dci.end;
                continue;
            };
            self.timeline.reserve(&dci, DownlinkChannel::Npdcch);
            self.timeline.reserve(&data, DownlinkChannel::Npdsch);
            self.report.dcis += 1;
            let mut grants = SmallVec::new();
            for _ in 0..count {
                let contenders = detected.remove(0);
                let delays = rar_npusch_delays();
                let delays = if switches.minimum_k0_only {
                    &delays[..1]
                } else {
                    &delays[..]
                };
                let msg3 = &settings.access.msg3;
                match self
                    .grid
                    .find_grant(data.end, delays, msg3.duration_ms(), msg3.unit.tones)
                {
                    Some((_, allocation)) => {
                        self.grid.reserve(&allocation, UplinkChannel::Data);
                        grants.push(Msg3Grant {
                            level,
                            contenders,
                            allocation,
                            dci: None,
                            attempts: 0,
                        });
                    }
                    None => self.leave_unanswered(level, &contenders, window_end),
                }
            }
            let burst = downlink_burst(&data, format.repetitions);
            cx.channel.downlink_starts(
                cx.instant,
                self.index,
                &downlink_burst(&dci, settings.access.dci_repetitions),
            );
            cx.channel.downlink_starts(cx.instant, self.index, &burst);
            let response = self.responses.insert(Response {
                level,
                dci,
                data,
                window_end,
                back_off: has_back_off,
                grants,
            });
            self.events.push(data.end, Event::ResponseEnds(response));
            earliest = dci.end;
        }
        for contenders in detected {
            self.leave_unanswered(level, &contenders, window_end);
        }
    }

    fn leave_unanswered(&mut self, level: u8, contenders: &[Contender], window_end: Subframe) {
        self.report.of(level).preambles_unanswered += 1;
        for contender in contenders {
            self.events
                .push(window_end, Event::AccessRetry(contender.key));
        }
    }

    /// Devices that waited for this response have it, or have not received it.
    pub(super) fn response_ends(&mut self, cx: &mut Context<'_>, response: u32) {
        let Response {
            level,
            dci,
            data,
            window_end,
            back_off,
            grants,
        } = self.responses.remove(response);
        let settings = cx.settings.level(level);
        for mut grant in grants {
            let mut starts = SmallVec::<[Contender; 1]>::new();
            for mut contender in grant.contenders {
                let dci_heard =
                    self.hears_dci(cx, contender.key, &dci, settings.access.dci_repetitions);
                let format = settings.access.npdsch(
                    u32::from(random_access_response_bytes(1, back_off)) * 8,
                    cx.settings.config.carrier.mode,
                );
                let heard = dci_heard
                    && self
                        .hears_npdsch(cx, contender.key, &data, &format, EsN0::NOTHING)
                        .1;
                let Some(device) = cx.devices.get_mut(contender.key) else {
                    continue;
                };
                let Some(access) = &mut device.access else {
                    continue;
                };
                if !heard {
                    self.events
                        .push(window_end.max(cx.now), Event::AccessRetry(contender.key));
                    continue;
                }
                device.radio.spend(
                    Subframe(dci.start.0.min(cx.now.0)).start(),
                    RadioState::Receive,
                    RadioCause::RandomAccess,
                );
                device.radio.spend(
                    data.end.start(),
                    RadioState::Receive,
                    RadioCause::RandomAccess,
                );
                access.phase = AccessPhase::Msg3;
                access.backs_off = back_off;
                contender.luck = device.stream.unit();
                self.send_msg3(cx, &mut contender, level, &grant.allocation);
                starts.push(contender);
            }
            grant.contenders = starts;
            if grant.contenders.is_empty() {
                continue;
            }
            grant.attempts = 1;
            let end = grant.allocation.span.end;
            let number = self.msg3_grants.insert(grant);
            self.events.push(end, Event::Msg3Ends(number));
        }
    }

    fn send_msg3(
        &mut self,
        cx: &mut Context<'_>,
        contender: &mut Contender,
        level: u8,
        allocation: &UplinkAllocation,
    ) {
        let settings = cx.settings.level(level);
        let msg3 = &settings.access.msg3;
        let Some(device) = cx.devices.get_mut(contender.key) else {
            return;
        };
        let power_dbm = super::uplink::npusch_power_dbm(
            &cx.settings.config,
            device.coupling_loss_db,
            msg3.unit,
            msg3.repetitions,
        );
        let burst = cx.channel.uplink_starts(
            cx.instant,
            contender.key.slot,
            &super::uplink::npusch_burst(
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
        }
        super::uplink::spend_transmission(device, allocation, power_dbm, RadioCause::RandomAccess);
        self.report.of(level).msg3_sent += 1;
    }

    /// The base station has received a Msg3, or has not.
    pub(super) fn msg3_ends(&mut self, cx: &mut Context<'_>, number: u32) {
        self.advance(cx.now);
        let mut grant = self.msg3_grants.remove(number);
        let level = grant.level;
        let settings = cx.settings.level(level);
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
                access.deadline = cx.now + settings.contention_resolution;
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
            if captures && self.receives_msg3(cx, contender, level) {
                strongest = Some(place);
            }
        }
        match strongest {
            Some(place) => {
                let winner = grant.contenders[place].key;
                for contender in &grant.contenders {
                    if contender.key != winner {
                        self.report.of(level).contentions_lost += 1;
                    }
                }
                self.msg3_received(cx, winner, level, listens_from);
            }
            None => {
                self.report.of(level).msg3_lost += 1;
                self.ask_for_msg3_again(cx, grant, listens_from);
            }
        }
    }

    fn receives_msg3(&self, cx: &Context<'_>, contender: &Contender, level: u8) -> bool {
        if !cx.settings.config.switches.block_errors {
            return true;
        }
        let msg3 = &cx.settings.level(level).access.msg3;
        let combining = if contender.sent > 1 || msg3.has_both_redundancy_versions() {
            Combining::RedundancyVersions0And2
        } else {
            Combining::Chase
        };
        let rate = super::uplink::npusch_error_rate(msg3, combining);
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
        let until = listens_from + settings.contention_resolution;
        let Some(dci) = self.timeline.find_dci(
            space,
            settings.access.dci_repetitions,
            listens_from,
            until,
            switches.first_candidate_only,
        ) else {
            return;
        };
        let msg3 = &settings.access.msg3;
        let Some((_, allocation)) = self.grid.find_grant(
            dci.end,
            super::uplink::grant_delays(switches.minimum_k0_only),
            msg3.duration_ms(),
            msg3.unit.tones,
        ) else {
            return;
        };
        self.timeline.reserve(&dci, DownlinkChannel::Npdcch);
        self.grid.reserve(&allocation, UplinkChannel::Data);
        self.report.dcis += 1;
        cx.channel.downlink_starts(
            cx.instant,
            self.index,
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
            if self.hears_dci(cx, contender.key, &dci, settings.access.dci_repetitions) {
                if let Some(device) = cx.devices.get_mut(contender.key) {
                    device.radio.spend(
                        dci.end.start(),
                        RadioState::Receive,
                        RadioCause::RandomAccess,
                    );
                }
                self.send_msg3(cx, contender, level, &allocation);
            }
        }
        grant.contenders = contenders;
        let end = allocation.span.end;
        let number = self.msg3_grants.insert(grant);
        self.events.push(end, Event::Msg3Ends(number));
    }

    /// A response window has ended without a response, or contention was lost: the next attempt, or none.
    pub(super) fn access_retry(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &mut device.access else {
            return;
        };
        if access.phase != AccessPhase::Response || cx.now < access.deadline {
            return;
        }
        self.report.of(access.level).responses_failed += 1;
        device.radio.spend(
            cx.now.start(),
            RadioState::Receive,
            RadioCause::RandomAccess,
        );
        self.next_attempt(cx, key);
    }

    /// Contention has not been resolved in this device's favour within its time.
    pub(super) fn contention_timer(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &device.access else { return };
        if access.phase != AccessPhase::Contention || cx.now < access.deadline {
            return;
        }
        self.report.of(access.level).contentions_lost += 1;
        device.radio.spend(
            cx.now.start(),
            RadioState::Receive,
            RadioCause::RandomAccess,
        );
        if access.purpose == AccessPurpose::Connect && device.connection.is_some() {
            self.forget_connection(cx, key);
        }
        self.next_attempt(cx, key);
    }

    pub(super) fn next_attempt(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let random_access = &cx.settings.config.random_access;
        let levels = cx.settings.levels.len() as u8;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        let Some(access) = &mut device.access else {
            return;
        };
        if access.attempts >= random_access.preamble_attempts {
            self.access_fails(cx, key, false);
            return;
        }
        if access.attempts_at_level >= cx.settings.level(access.level).attempts
            && access.level + 1 < levels
        {
            access.level += 1;
            access.attempts_at_level = 0;
        }
        let waits = if core::mem::take(&mut access.backs_off) {
            device
                .stream
                .below(u64::from(random_access.back_off_ms) + 1)
        } else {
            0
        };
        let earliest = cx.now + PREAMBLE_RETRY_MS + waits;
        self.send_preamble(cx, key, earliest);
    }

    /// Whether a device hears an NPDCCH that has ended.
    pub(super) fn hears_dci(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        dci: &DownlinkSpan,
        repetitions: u16,
    ) -> bool {
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        if !cx.settings.config.switches.block_errors {
            return true;
        }
        let rate = BlockErrorRate::npdcch(cx.settings.table_carrier, ControlMessage::N0OrN1OnTwo);
        let received = cx
            .channel
            .downlink_ends(key.slot, &downlink_burst(dci, repetitions));
        let heard = device.stream.unit() >= rate.at(received.decibels());
        if !heard {
            let level = device.connection.as_ref().map_or(device.level, |c| c.level);
            self.report.of(level).dcis_missed += 1;
        }
        heard
    }
}

/// How long a device that has just been switched on reads the master and the first system information block, and one
/// window of the second (TS 36.331 5.2.2): their periods.
fn acquisition_ms(config: &NetworkConfig) -> u64 {
    const NPBCH_MS: u64 = 640;
    const SIB1_MS: u64 = 2560;
    NPBCH_MS + SIB1_MS + u64::from(config.subframes.si_window_ms)
}

/// What the channel is told of a span.
pub(super) fn downlink_burst(span: &DownlinkSpan, repetitions: u16) -> DownlinkBurst {
    DownlinkBurst {
        from: span.start.start(),
        until: span.end.start(),
        subframes: span.subframes as u16,
        repetitions,
    }
}
