use std::sync::Arc;

use lasthop_contract::{RadioCause, RadioState};
use smallvec::SmallVec;

use super::EntryPoint;
use crate::cell::events::Event;
use crate::cell::msg3::{Contender, Msg3Grant};
use crate::cell::radio_words::counted;
use crate::cell::receive::downlink_burst;
use crate::cell::{Cell, Context};
use crate::channel::EsN0;
use crate::device::{AccessPhase, DeviceKey};
use crate::layer2::random_access_response_bytes;
use crate::phy::{
    DownlinkChannel, DownlinkSpan, NpdschFormat, Subframe, UplinkChannel, rar_npusch_delays,
};
use crate::radio_line::RadioLane;

/// A random access response on its way: the NPDCCH, the NPDSCH, and a grant for each preamble in it.
#[derive(Debug)]
pub(in crate::cell) struct Response {
    level: u8,
    dci: DownlinkSpan,
    data: DownlinkSpan,
    format: NpdschFormat,
    /// Devices still wait for a response until this subframe.
    window_end: Subframe,
    back_off: bool,
    grants: SmallVec<[Msg3Grant; 2]>,
    /// All that sent a preamble in the same opportunity: they look for the same identity (RA-RNTI) in the same window.
    waiting: Arc<[DeviceKey]>,
}

impl Cell {
    /// Answers preambles, as many as fit at a time, while the window lasts.
    pub(super) fn send_responses(
        &mut self,
        cx: &mut Context<'_>,
        at: EntryPoint,
        mut detected: SmallVec<[SmallVec<[Contender; 1]>; 4]>,
        waiting: Arc<[DeviceKey]>,
        (window_start, window_end): (Subframe, Subframe),
        is_crowded: bool,
    ) {
        let level = at.level;
        let settings = cx.settings.level(level);
        let switches = &cx.settings.config.switches;
        let has_back_off = is_crowded && cx.settings.config.random_access.back_off_ms > 0;
        let mut earliest = window_start.max(cx.now + cx.settings.waits.scheduler);
        // Who waits reads what begins in the window to its end.
        let mut waited_until = window_end;
        let mut answered: SmallVec<[DeviceKey; 4]> = SmallVec::new();
        while !detected.is_empty() {
            let Some(dci) = self.resources.timeline.find_dci(
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
            let Some((_, data)) = self.resources.timeline.find_npdsch(
                settings.access_space.rmax(),
                dci.end,
                format.subframes(),
                switches.minimum_k0_only,
            ) else {
                earliest = dci.end;
                continue;
            };
            self.resources
                .timeline
                .reserve(&dci, DownlinkChannel::Npdcch);
            self.resources
                .timeline
                .reserve(&data, DownlinkChannel::Npdsch);
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
                let find = |early: bool| {
                    let msg3 = &settings.entry(early).msg3;
                    let (length_ms, tones) = (msg3.duration_ms(), msg3.unit.tones);
                    let (_, allocation) = self
                        .resources
                        .grid
                        .find_grant(data.end, delays, length_ms, tones)?;
                    Some((early, allocation))
                };
                // Where there is no room for the data, they have to follow a usual Msg3.
                let found = find(at.early).or_else(|| at.early.then(|| find(false))?);
                match found {
                    Some((early, allocation)) => {
                        self.resources
                            .grid
                            .reserve(&allocation, UplinkChannel::Data);
                        answered.extend(contenders.iter().map(|contender| contender.key));
                        grants.push(Msg3Grant {
                            level,
                            early,
                            contenders,
                            allocation,
                            dci: None,
                            attempts: 0,
                        });
                    }
                    None => self.report.of(level).preambles_unanswered += 1,
                }
            }
            let burst = downlink_burst(&data, format.repetitions);
            cx.channel.downlink_starts(
                cx.instant,
                self.resources.index,
                &downlink_burst(&dci, settings.access.dci_repetitions),
            );
            cx.channel
                .downlink_starts(cx.instant, self.resources.index, &burst);
            let response = self.responses.insert(Response {
                level,
                dci,
                data,
                format,
                window_end,
                back_off: has_back_off,
                grants,
                waiting: Arc::clone(&waiting),
            });
            self.events.push(data.end, Event::ResponseEnds(response));
            earliest = dci.end;
            waited_until = waited_until.max(data.end);
        }
        self.report.of(level).preambles_unanswered += detected.len() as u64;
        for key in waiting.iter().filter(|key| !answered.contains(key)) {
            self.events.push(waited_until, Event::AccessRetry(*key));
        }
    }

    /// Devices that waited for this response have it, or have not received it.
    pub(in crate::cell) fn response_ends(&mut self, cx: &mut Context<'_>, response: u32) {
        let Response {
            level,
            dci,
            data,
            format,
            window_end,
            back_off,
            grants,
            waiting,
        } = self.responses.remove(response);
        let dci_repetitions = cx.settings.level(level).access.dci_repetitions;
        let answers = |key: &DeviceKey| {
            let mut contenders = grants.iter().flat_map(|grant| &grant.contenders);
            contenders.any(|contender| contender.key == *key)
        };
        for key in waiting.iter().filter(|key| !answers(key)) {
            let reads = cx
                .devices
                .get(*key)
                .and_then(|device| device.access.as_ref())
                .is_some_and(|access| {
                    access.is_waiting_until(window_end) && access.backs_off != back_off
                });
            if reads
                && self.receives_response(cx, *key, (&dci, dci_repetitions), (&data, &format))
                && let Some(device) = cx.devices.get_mut(*key)
                && let Some(access) = &mut device.access
            {
                access.backs_off = back_off;
            }
        }
        for mut grant in grants {
            let mut starts = SmallVec::<[Contender; 1]>::new();
            for mut contender in grant.contenders {
                let heard = self.receives_response(
                    cx,
                    contender.key,
                    (&dci, dci_repetitions),
                    (&data, &format),
                );
                let repetitions = format.repetitions;
                let response = (dci.start.start(), data.end.start());
                cx.watch
                    .note(contender.key, RadioLane::Npdsch, response, heard, || {
                        format!(
                            "random access response; DCI {}, NPDSCH {}",
                            counted(dci_repetitions.into(), "repetition"),
                            counted(repetitions.into(), "repetition")
                        )
                    });
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
                self.send_msg3(cx, &mut contender, (level, grant.early), &grant.allocation);
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
    /// Whether a device receives a response: the NPDCCH, and the NPDSCH behind it.
    fn receives_response(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        (dci, repetitions): (&DownlinkSpan, u16),
        (data, format): (&DownlinkSpan, &NpdschFormat),
    ) -> bool {
        self.receives_dci(cx, key, dci, repetitions)
            && self.receives_npdsch(cx, key, data, format, EsN0::NOTHING).1
    }
}
