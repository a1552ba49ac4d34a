use core::num::NonZeroU32;

use lasthop_contract::{
    Direction, DropReason, FlowId, HostEvent, InterfaceId, MessageEvent, Packet, PathId, Port,
    RadioCause, RadioState, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_units::{Duration, Instant};

use super::Meter;
use super::trace::{opposite, path_of};
use crate::energy_set_up::{DeviceKey, SetUps};
use crate::message_sums::MeasuredTime;
use crate::{BillingLog, Capture, EnergyLog};

impl Observer for Meter {
    fn transmitted(&mut self, now: Instant, host: HostId, _: InterfaceId, packet: &Packet) {
        self.trace.entered(now, packet);
        self.ledger.offered(now, packet);
        self.log.offered(now, packet);
        if let Some(billing) = &mut self.billing {
            billing.packet(now, host, Direction::Up, packet);
        }
        if let Some(divergence) = &mut self.divergence {
            divergence.add(now);
        }
        if let Some(capture) = &mut self.capture {
            capture.transmitted(now, host, packet);
        }
        if self.timeline.is_some() {
            let place = self.place_of(host, packet.direction());
            self.trace_packet(now, place, packet, "leaves", packet.trigger());
        }
    }

    fn received(&mut self, now: Instant, host: HostId, _: InterfaceId, packet: &Packet) {
        self.tell_ended(now);
        self.trace.left(now, packet);
        self.ledger.delivered(now, packet);
        self.log.arrived(now, packet);
        if let Some(billing) = &mut self.billing {
            billing.packet(now, host, Direction::Down, packet);
        }
        if let Some(capture) = &mut self.capture {
            capture.received(now, host, packet);
        }
        if self.timeline.is_some() {
            let place = self.place_of(host, opposite(packet.direction()));
            let what = if packet.is_corrupted() {
                "arrives, corrupted"
            } else {
                "arrives"
            };
            self.trace_packet(now, place, packet, what, None);
        }
    }

    fn dropped(&mut self, now: Instant, _link: LinkId, packet: &Packet, reason: DropReason) {
        self.tell_ended(now);
        self.trace.dropped(now, packet);
        self.ledger.dropped(now, packet, reason);
        self.log.dropped(now, packet, reason);
        if let Some(capture) = &mut self.capture {
            capture.dropped(packet, reason);
        }
        if self.timeline.is_some() {
            let place = path_of(packet.direction());
            if let Some(timeline) = &mut self.timeline
                && timeline.concerns_packet(packet)
            {
                let what = format!("packet {} is dropped: {}", packet.number(), reason.name());
                timeline.add(now, place, what);
            }
        }
    }

    fn duplicated(
        &mut self,
        now: Instant,
        number: u64,
        direction: Direction,
        path: PathId,
        spans: &Spans,
    ) {
        self.ledger.duplicated(now, direction, path, spans);
        self.log.add_copy(now, spans);
        if let Some(capture) = &mut self.capture {
            capture.duplicated(number);
        }
        if self.timeline.is_some() {
            let messages = spans.iter().filter_map(|span| span.provenance.message);
            self.trace(now, path_of(direction), messages, || {
                format!("packet {number} is duplicated")
            });
        }
    }

    fn host_event(&mut self, now: Instant, host: HostId, side: Direction, event: &HostEvent) {
        self.tell_ended(now);
        match event {
            HostEvent::Message(event) => {
                self.note_message(now, side, event);
                if self.timeline.is_some() {
                    self.trace_event(now, self.place_of(host, side), event);
                }
            }
            HostEvent::MessageAt(at, event) => self.note_message(*at, side, event),
            HostEvent::Device(event) => {
                self.devices.note(now, host, side, *event);
                if let Some(capture) = &mut self.capture {
                    capture.note_device(now, host, *event);
                }
            }
            HostEvent::Waiting(messages) => self.log.waiting(now, messages),
            HostEvent::Served(messages) => self.log.served(now, messages),
            HostEvent::Evicted => self.evicted += 1,
            HostEvent::Discarded { packet, reason } => {
                self.ledger.discarded(now, packet, *reason);
                self.log.discarded(now, packet, *reason);
                let (number, reason) = (packet.number(), reason.name());
                self.trace(now, self.place_of(host, side), packet.messages(), || {
                    format!("packet {number} is of no use: {reason}")
                });
            }
        }
    }

    fn radio_time(
        &mut self,
        link: LinkId,
        port: Port,
        state: RadioState,
        cause: RadioCause,
        from: Instant,
        duration: Duration,
    ) {
        if let Some(energy) = &mut self.energy {
            let radio = (link, port);
            energy.note(self.first_start, radio, (state, cause), (from, duration));
        }
    }

    fn late(&mut self, _now: Instant, by: Duration) {
        self.lateness.record(by);
    }

    fn horizon(&self) -> Instant {
        let has_failed = self.capture.as_ref().is_some_and(Capture::has_failed);
        if has_failed || self.log.has_lost() || self.has_diverged() {
            return Instant::ZERO;
        }
        let flows = self.config.flows;
        if self.started < flows {
            Instant::ZERO + self.config.set_up
        } else if self.ended < flows {
            Instant::FAR_FUTURE
        } else {
            let drained = self.last_end + self.config.drain;
            let billed = self.billing.as_ref().map(BillingLog::until);
            let drained = drained.max(billed.unwrap_or(Instant::ZERO));
            match (&self.energy, self.first_start) {
                (Some(energy), Some(start)) => drained.max(energy.until(start)),
                _ => drained,
            }
        }
    }
}

impl Meter {
    /// Adds to the sums what ended before now, if records are not kept.
    #[inline]
    fn tell_ended(&mut self, now: Instant) {
        if self.log.has_ended_before(now) {
            self.forget_ended(now);
        }
    }

    #[inline(never)]
    fn forget_ended(&mut self, now: Instant) {
        let to = if self.ended < self.config.flows {
            // The end of what is measured is not known, but it is later.
            Instant::FAR_FUTURE
        } else {
            self.last_end
        };
        let time = MeasuredTime {
            to,
            ..self.measured_time()
        };
        let (told, by_group) = (&mut self.told, &mut self.told_by_group);
        let directory = &self.config.directory;
        self.log.forget_ended(now, time.from, |flow, record| {
            told.add(record, time);
            by_group.add(directory, (flow, record), time);
        });
    }

    /// The set-ups of devices, while some go on.
    fn set_ups(&mut self) -> Option<&mut SetUps> {
        self.energy.as_mut().and_then(EnergyLog::set_ups)
    }

    /// Returns the device of a flow, by group and number.
    fn device_of(&self, flow: FlowId) -> Option<DeviceKey> {
        let place = self.config.directory.place(flow)?;
        Some((place.flows.group, place.device))
    }

    fn note_message(&mut self, now: Instant, side: Direction, event: &MessageEvent) {
        if let Some(billing) = &mut self.billing {
            billing.note(now, side, event, &self.config.directory);
        }
        match *event {
            MessageEvent::TrafficStarted { flow } => {
                let audience = self.config.directory.audience(flow);
                if audience > NonZeroU32::MIN {
                    self.log.widen(flow, audience);
                }
                self.started += 1;
                let device = self.device_of(flow);
                if let (Some(set_ups), Some(device)) = (self.set_ups(), device) {
                    set_ups.note_ready(now, device);
                }
                let begins = self.config.counts_from.unwrap_or(now);
                let first = self.first_start.unwrap_or(begins);
                self.first_start = Some(first.min(begins));
            }
            MessageEvent::TrafficEnded { .. } => {
                self.ended += 1;
                self.last_end = self.last_end.max(now);
            }
            MessageEvent::Cached { by, age_ms, .. } => self.caches.note(by, age_ms),
            MessageEvent::Session(event) => {
                // Before the first message, where nothing warms up: that moment is mostly not known yet.
                let from = self.config.counts_from.unwrap_or(Instant::ZERO) + self.config.warm_up;
                self.sessions.note(now, event, from);
            }
            _ => {
                if let MessageEvent::Intended { id, .. } = *event
                    && self.set_ups().is_some()
                    && let Some(device) = self.device_of(id.flow)
                    && let Some(set_ups) = self.set_ups()
                {
                    set_ups.note_due(now, device);
                }
                if let MessageEvent::Intended { id, .. } = *event
                    && self.energy.as_ref().is_some_and(EnergyLog::counts_messages)
                    && let Some((group, device)) = self.device_of(id.flow)
                {
                    let class = self.config.directory.class_of(group, device);
                    let start = self.first_start;
                    if let Some(energy) = &mut self.energy {
                        energy.note_message(now, start, (class, device));
                    }
                }
                if let Some(excess) = &mut self.excess {
                    match *event {
                        MessageEvent::Intended { .. } => excess.come(now),
                        MessageEvent::Delivered { id, .. } if !self.log.is_delivered(id) => {
                            excess.end(now);
                        }
                        _ => {}
                    }
                }
                let directory = &self.config.directory;
                if let (Some(divergence), MessageEvent::Intended { id, payload }) =
                    (&mut self.divergence, *event)
                {
                    divergence.offer(payload, directory.audience(id.flow));
                }
                if let MessageEvent::Intended { id, .. } = *event
                    && self.config.disturbed < Instant::FAR_FUTURE
                {
                    self.log.recoveries.note_due(now, id.flow.device());
                }
                let origin = |flow| directory.origin(flow);
                self.log.note(now, side, origin, event);
            }
        }
    }
}
