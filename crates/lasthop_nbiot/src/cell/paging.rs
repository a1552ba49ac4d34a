use lasthop_contract::{RadioCause, RadioState};

use super::events::Event;
use super::receive::downlink_burst;
use super::{Cell, Context};
use crate::cell::radio_words::{dci_in_words, received_in_words};
use crate::device::{AccessPurpose, DeviceKey};
use crate::link_tables::{BlockErrorRate, ControlMessage};
use crate::phy::{DownlinkChannel, NpdschFormat, Subframe, npdsch_block};
use crate::radio_line::RadioLane;

/// How long before its occasion a page begins: with the wake-up signal, if there is one.
fn wake_up_lead(idle: &crate::config::Idle) -> u64 {
    idle.wake_up_signal.as_ref().map_or(0, |signal| {
        u64::from(signal.time_offset_ms) + u64::from(signal.subframes(idle.paging_rmax))
    })
}

/// A paging message with one identity (TS 36.331 Paging-NB, one S-TMSI).
const PAGING_BITS: u32 = 72;

impl Cell {
    /// Pages an idle device for which something waits, in its next paging occasion; one that sleeps in power saving
    /// mode is not reachable until it sends.
    pub(super) fn page(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        // One that is off would be paged in vain, and one that registers is not known.
        let is_unknown = device.is_registering && cx.settings.config.idle.attach.is_some();
        if device.paged
            || device.is_off
            || is_unknown
            || device.down.is_empty()
            || !device.is_idle()
        {
            return;
        }
        let before = wake_up_lead(&cx.settings.config.idle);
        let Some(at) = device.idle.next_occasion(
            &cx.settings.config.idle,
            cx.now + cx.settings.waits.paging + 1 + before,
        ) else {
            return;
        };
        device.paged = true;
        self.events
            .push(Subframe(at.0 - before), Event::PagingOccasion(key));
    }

    /// The occasion is there: the page goes out, if the carrier is free.
    pub(super) fn paging_occasion(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        self.advance(cx.now);
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        if !device.is_idle() || !device.paged {
            return;
        }
        device.paged = false;
        let level = settings.level(device.level);
        let rmax = settings.config.idle.paging_rmax;
        let repetitions = level.formats.dci_repetitions(&device.expected).min(rmax);
        let format = NpdschFormat {
            block: npdsch_block(
                level.access.npdsch_i_tbs,
                PAGING_BITS,
                crate::config::DeviceCategory::Nb1,
                settings.config.carrier.mode,
            )
            .expect("every row holds a page"),
            repetitions: level.access.npdsch_repetitions,
        };
        let idle = &settings.config.idle;
        let occasion = cx.now + wake_up_lead(idle);
        let signal = match &idle.wake_up_signal {
            None => None,
            Some(signal) => {
                let subframes = signal.subframes(rmax);
                let span = self
                    .resources
                    .timeline
                    .run_from(rmax, cx.now, subframes.into());
                let Some(span) = span.filter(|span| span.end <= occasion) else {
                    self.page(cx, key);
                    return;
                };
                Some((span, subframes))
            }
        };
        let dci = self
            .resources
            .timeline
            .run_from(rmax, occasion, repetitions.into());
        let room = dci.and_then(|dci| {
            let found =
                self.resources
                    .timeline
                    .find_npdsch(rmax, dci.end, format.subframes(), true)?;
            Some((dci, found.1))
        });
        let Some((dci, data)) = room else {
            self.page(cx, key);
            return;
        };
        if let Some((span, subframes)) = signal {
            self.resources
                .timeline
                .reserve(&span, DownlinkChannel::Npdcch);
            let burst = downlink_burst(&span, subframes);
            cx.channel
                .downlink_starts(cx.instant, self.resources.index, &burst);
        }
        self.resources
            .timeline
            .reserve(&dci, DownlinkChannel::Npdcch);
        self.resources
            .timeline
            .reserve(&data, DownlinkChannel::Npdsch);
        self.report.pages += 1;
        cx.channel.downlink_starts(
            cx.instant,
            self.resources.index,
            &downlink_burst(&dci, repetitions),
        );
        cx.channel.downlink_starts(
            cx.instant,
            self.resources.index,
            &downlink_burst(&data, format.repetitions),
        );
        device.paged = true;
        device.page = Some((dci, repetitions, data, format));
        self.events.push(data.end, Event::PagingEnds(key));
    }

    /// A page has ended: a device that heard it connects; for another it is repeated.
    pub(super) fn paging_ends(&mut self, cx: &mut Context<'_>, key: DeviceKey) {
        let settings = cx.settings;
        let Some(device) = cx.devices.get_mut(key) else {
            return;
        };
        device.paged = false;
        let Some((dci, repetitions, data, format)) = device.page.take() else {
            return;
        };
        if !device.is_idle() {
            return;
        }
        let heard = if settings.config.switches.block_errors {
            let rate = BlockErrorRate::npdcch(settings.table_carrier, ControlMessage::N2OnTwo);
            let received = cx
                .channel
                .downlink_ends(key.slot, &downlink_burst(&dci, repetitions));
            device.stream.unit() >= rate.at(received.decibels())
        } else {
            true
        };
        if !heard
            || !self
                .receives_npdsch(cx, key, &data, &format, crate::channel::EsN0::NOTHING)
                .1
        {
            self.page(cx, key);
            return;
        }
        let sent = (dci.start.start(), data.end.start());
        cx.watch.note(key, RadioLane::Npdsch, sent, true, || {
            let dci = dci_in_words("page", repetitions);
            received_in_words(&dci, &format, 1)
        });
        if let Some(device) = cx.devices.get_mut(key) {
            // Who is called may come (TS 24.301 section 5.3.5a; access barring is for calls of the device's own).
            device.turned_away_until = cx.now;
            device
                .idle
                .account(&settings.config, dci.start.start(), &mut device.radio);
            device
                .radio
                .spend(data.end.start(), RadioState::Receive, RadioCause::Paging);
        }
        self.begin_access(cx, key, AccessPurpose::Connect);
    }
}
