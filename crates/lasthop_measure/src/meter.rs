use core::iter;
use core::num::NonZeroU32;
use std::io;

use lasthop_contract::{
    DeviceId, Direction, DropReason, FlowId, HostEvent, InterfaceId, MessageEvent, MessageId,
    Packet, Port, RadioCause, RadioState, Spans, Trigger,
};
use lasthop_engine::{HostId, LinkId, Observer, Outcome};
use lasthop_units::{Duration, Instant};

use crate::excess::Excess;
use crate::group_results::GroupSums;
use crate::message_log::Keeps;
use crate::message_spill::MessageSpill;
use crate::message_sums::{MeasuredTime, MessageSums};
use crate::summary::Sources;
use crate::told_messages::{Known, MessageFiles, TableFile, ToldMessages};
use crate::{
    Capture, CapturedHost, Directory, EnergyConfig, EnergyLog, GroupResult, Histogram, Ledger,
    MessageLog, Summary, Timeline, TraceHash, Weighted,
};

/// Watches a run: messages, bytes and, where asked for, energy, packets or one message's time line.
#[derive(Debug)]
pub struct Meter {
    config: MeterConfig,
    log: MessageLog,
    ledger: Ledger,
    trace: TraceHash,
    energy: Option<EnergyLog>,
    capture: Option<Capture>,
    timeline: Option<Timeline>,
    started: u32,
    ended: u32,
    first_start: Option<Instant>,
    last_end: Instant,
    /// The messages that are told no more: of devices that have gone, and those that are forgotten.
    told: MessageSums,
    told_by_group: GroupSums,
    /// How many devices have gone.
    come: u32,
    excess: Option<Excess>,
    lateness: Histogram,
    /// Where the table of messages goes that were given to files.
    table: Option<TableFile>,
    told_messages: Option<ToldMessages>,
}

/// What a meter must know of the run.
#[derive(Clone, Debug)]
pub struct MeterConfig {
    /// What flows are called, and where their messages are made.
    pub directory: Directory,
    /// How many radios the devices have that are there from the start to the end.
    pub radios: u32,
    /// How many flows those devices have: each says when it begins and ends.
    pub flows: u32,
    /// The others, where devices come and go.
    pub arriving: Option<Arriving>,
    /// How many cells the network has, where it has some.
    pub cells: Option<NonZeroU32>,
    /// Messages due earlier than this after the first schedule's start are not measured.
    pub warm_up: Duration,
    /// How long unanswered messages are waited for after the last one was due.
    pub drain: Duration,
    /// How long the set-up of the sessions may take.
    pub set_up: Duration,
    /// When something first happens to hosts or hops: of an overload, messages tell that were due before.
    pub disturbed: Instant,
    /// Whether the record of a message is kept when it has ended, and that of a device that comes and goes when it has gone.
    pub keeps_records: bool,
    /// What the devices of each group live on, where their energy is asked for.
    pub energy: Vec<Option<EnergyConfig>>,
}

/// Devices that come with one message each, and go. Their flows are numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// When the last may come.
    pub until: Instant,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// As it should.
    Completed,
    /// It has no result, for this reason.
    Failed(&'static str),
    /// It has a result that cannot be believed, for this reason.
    Invalid(&'static str),
}

impl Meter {
    /// A meter.
    #[must_use]
    pub fn new(config: MeterConfig, capture: Option<Capture>, timeline: Option<MessageId>) -> Self {
        let log = MessageLog::new(match config.keeps_records {
            true => Keeps::All,
            // Nobody stays: what a device leaves behind is told when it goes.
            false if config.flows == 0 => Keeps::OpenFlows,
            false => Keeps::OpenMessages,
        });
        Self::with_log(config, log, capture, timeline)
    }

    /// A meter that gives the records of messages to files as they end, unless devices come and go.
    #[must_use]
    pub fn spilling(config: MeterConfig, files: MessageFiles, capture: Option<Capture>) -> Self {
        if config.arriving.is_some() {
            return Self::new(config, capture, None);
        }
        let MessageFiles {
            run_id,
            most_in_memory,
            spill,
            table,
        } = files;
        let log = MessageLog::spilling(MessageSpill::new(most_in_memory, spill));
        let table = config.keeps_records.then_some(TableFile {
            run_id,
            open: table,
        });
        Self {
            table,
            ..Self::with_log(config, log, capture, None)
        }
    }

    fn with_log(
        config: MeterConfig,
        log: MessageLog,
        capture: Option<Capture>,
        timeline: Option<MessageId>,
    ) -> Self {
        let excess = config.arriving.map(|it| {
            let until = it.until.min(config.disturbed);
            Excess::between(Instant::ZERO + config.warm_up, until)
        });
        let first_start = config.arriving.map(|_| Instant::ZERO);
        let last_end = config.arriving.map_or(Instant::ZERO, |it| it.until);
        let energy = EnergyConfig::of_classes(&config.energy, &config.directory);
        let energy = energy.map(|classes| EnergyLog::new(classes.into_iter()));
        Self {
            log,
            ledger: Ledger::new(),
            trace: TraceHash::default(),
            energy,
            capture,
            timeline: timeline.map(Timeline::of),
            started: 0,
            ended: 0,
            first_start,
            last_end,
            told: MessageSums::default(),
            told_by_group: GroupSums::new(&config.directory),
            come: 0,
            excess,
            lateness: Histogram::new(),
            table: None,
            told_messages: None,
            config,
        }
    }

    /// How late deadlines were served: nothing in virtual time.
    #[must_use]
    pub const fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    /// Notes which host a number of the loop is from now on, for the capture.
    pub fn capture(&mut self, host: HostId, as_: CapturedHost) {
        if let Some(capture) = &mut self.capture {
            capture.attach(host, as_);
        }
    }

    /// Notes that a device goes before its message is there.
    pub fn give_up(&mut self, now: Instant, flow: FlowId) {
        self.log.give_up(now, flow);
    }

    /// Notes that the host at one side of a flow is off, and what it had of messages is gone with its memory.
    pub fn forget(&mut self, now: Instant, flow: FlowId, side: Direction) {
        let origin = self.config.directory.origin(flow);
        self.log.forget(now, flow, side, origin);
    }

    /// Notes that a device and its server are gone: nothing more will be said of its messages. `within_reach` tells
    /// whether the network could have carried them, had it had room.
    pub fn leave(&mut self, now: Instant, flow: FlowId, within_reach: bool) {
        let time = self.measured_time();
        self.come += 1;
        let (told, excess) = (&mut self.told, &mut self.excess);
        let mut of_group = self.told_by_group.of(&self.config.directory, flow);
        self.log.close(flow, |record| {
            told.add(record, time);
            if let Some(of_group) = &mut of_group {
                of_group.add(record, time);
            }
            if let Some(excess) = excess
                && record.delivered.is_none()
                && !within_reach
            {
                excess.end(now);
            }
        });
    }

    /// Whether a measured message of a device was served, unless the device has gone.
    #[must_use]
    pub fn has_served(&self, device: DeviceId) -> bool {
        let from = self.measured_from();
        FlowId::all_of(device).any(|flow| self.log.has_served(flow, from))
    }

    /// What flows are called.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.config.directory
    }

    /// The record of every message.
    #[must_use]
    pub fn log(&self) -> &MessageLog {
        &self.log
    }

    /// Every byte.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Ends the capture, where one was asked for.
    ///
    /// # Errors
    /// Those of its writers.
    pub fn finish_capture(&mut self) -> io::Result<()> {
        self.capture.take().map_or(Ok(()), Capture::finish)
    }

    /// Reads back what was given to files, and writes the table of messages.
    ///
    /// # Errors
    /// The first that a file had.
    pub fn finish_messages(&mut self) -> io::Result<()> {
        if let Some(spill) = self.log.take_spill() {
            let known = Known {
                directory: &self.config.directory,
                time: self.measured_time(),
                disturbed: self.config.disturbed,
            };
            self.told_messages = Some(ToldMessages::of(spill, self.table.take(), known)?);
        }
        Ok(())
    }

    /// The table of the messages that were given to files; nothing is in it where it went to one itself.
    pub(crate) fn told_messages(&self) -> Option<&[u8]> {
        self.told_messages.as_ref().map(|told| &*told.stream)
    }

    /// The time line, where it was asked for.
    #[must_use]
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// When the messages that are measured begin to be due.
    #[must_use]
    pub fn measured_from(&self) -> Instant {
        self.first_start.unwrap_or(Instant::ZERO) + self.config.warm_up
    }

    /// The run in one row, when it has ended at `end`.
    #[must_use]
    pub fn summary(&self, end: Instant) -> Summary {
        let time = self.measured_time();
        let told = self.told_messages.as_ref();
        let mut sums = told.map_or(&self.told, |told| &told.sums).clone();
        sums.duplicated += self.log.late_arrivals();
        for record in self.log.open_records() {
            sums.add(record, time);
        }
        let sources = Sources {
            log: &self.log,
            ledger: &self.ledger,
            trace: self.trace,
            time,
            excess: self.excess.as_ref(),
            told,
            disturbed: self.config.disturbed,
            cells: self.config.cells,
        };
        Summary {
            energy: self.energy.as_ref().and_then(EnergyLog::summary),
            weighted: self.weighted(),
            lateness: self.lateness.clone(),
            ..Summary::of(sources, sums, end)
        }
    }

    fn weighted(&self) -> Option<Weighted> {
        let directory = &self.config.directory;
        let differ = directory.has_different_weights();
        differ.then(|| self.sums_by_group().weighted(directory))
    }

    fn sums_by_group(&self) -> GroupSums {
        let told = self.told_messages.as_ref();
        let sums = told.map_or(&self.told_by_group, |told| &told.by_group);
        let (sums, directory) = (sums.clone(), &self.config.directory);
        sums.with_open(directory, &self.log, self.measured_time())
    }

    /// What became of the messages of each group, part and flow, and the energy of their devices.
    #[must_use]
    pub fn group_results(&self) -> Vec<GroupResult> {
        let directory = &self.config.directory;
        self.sums_by_group()
            .results(directory, self.energy.as_ref(), self.come)
    }

    /// Notes of which group, by its place, the device is whose radio is at a port, its number there, and whether it has
    /// another one.
    pub fn attach_radio(
        &mut self,
        radio: (LinkId, Port),
        (group, device): (usize, u32),
        is_another: bool,
    ) {
        if let Some(energy) = &mut self.energy {
            let class = self.config.directory.class_of(group, device);
            energy.attach(radio, class, is_another);
        }
    }

    /// How the run ended, when its loop returned with `outcome`.
    #[must_use]
    pub fn status(&self, outcome: Outcome) -> RunStatus {
        if outcome == Outcome::Stalled {
            RunStatus::Invalid("stalled")
        } else if !self.ledger.is_balanced() {
            RunStatus::Invalid("ledger_not_balanced")
        } else if self.started < self.config.flows {
            RunStatus::Failed("session_not_set_up")
        } else if !self.energy_is_conserved() {
            RunStatus::Invalid("energy_not_conserved")
        } else {
            RunStatus::Completed
        }
    }

    fn energy_is_conserved(&self) -> bool {
        let only_staying = self.config.arriving.is_none();
        let staying = only_staying.then_some(self.config.radios);
        self.energy
            .as_ref()
            .is_none_or(|energy| energy.is_conserved(staying))
    }

    fn measured_time(&self) -> MeasuredTime {
        MeasuredTime {
            from: self.measured_from(),
            to: self.last_end,
        }
    }

    /// Adds to the sums what ended before now, where records are not kept.
    #[inline]
    fn tell_ended(&mut self, now: Instant) {
        if !self.log.has_ended_before(now) {
            return;
        }
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
            if let Some(of_group) = by_group.of(directory, flow) {
                of_group.add(record, time);
            }
        });
    }

    fn note_message(&mut self, now: Instant, side: Direction, event: MessageEvent) {
        match event {
            MessageEvent::TrafficStarted { .. } => {
                self.started += 1;
                let first = self.first_start.unwrap_or(now);
                self.first_start = Some(first.min(now));
            }
            MessageEvent::TrafficEnded { .. } => {
                self.ended += 1;
                self.last_end = self.last_end.max(now);
            }
            event => {
                if let Some(excess) = &mut self.excess {
                    match event {
                        MessageEvent::Intended { .. } => excess.come(now),
                        MessageEvent::Delivered { id } if !self.log.is_delivered(id) => {
                            excess.end(now);
                        }
                        _ => {}
                    }
                }
                let directory = &self.config.directory;
                let origin = event
                    .message()
                    .map_or(Direction::Up, |id| directory.origin(id.flow));
                self.log.note(now, side, origin, event);
            }
        }
    }

    fn trace(
        &mut self,
        now: Instant,
        place: &'static str,
        messages: impl Iterator<Item = MessageId>,
        what: impl FnOnce() -> String,
    ) {
        if let Some(timeline) = &mut self.timeline
            && timeline.concerns(messages)
        {
            timeline.add(now, place, what());
        }
    }

    fn trace_packet(
        &mut self,
        now: Instant,
        place: &'static str,
        packet: &Packet,
        what: &str,
        trigger: Option<Trigger>,
    ) {
        if let Some(timeline) = &mut self.timeline
            && timeline.concerns_packet(packet)
        {
            timeline.add_packet(now, place, packet, what, trigger);
        }
    }

    fn trace_event(&mut self, now: Instant, side: Direction, event: &MessageEvent) {
        let Some(timeline) = &mut self.timeline else {
            return;
        };
        let Some(id) = event.message() else { return };
        if !timeline.concerns(iter::once(id)) {
            return;
        }
        let place = host_of(side);
        match *event {
            MessageEvent::Intended { payload, .. } => {
                timeline.add(now, place, format!("is due, {payload} of payload"));
            }
            MessageEvent::Transmitted {
                attempt,
                last,
                trigger,
                ..
            } => {
                let because = trigger.map_or_else(String::new, |trigger| format!(" ({trigger})"));
                let note = if last { ", the last attempt" } else { "" };
                let what = format!("attempt {attempt} leaves the application{because}{note}");
                timeline.add_attempt(now, place, what, trigger);
            }
            MessageEvent::Delivered { .. } => timeline.add_end(now, place, "is delivered".into()),
            MessageEvent::Acknowledged { .. } => timeline.add(now, place, "is acknowledged".into()),
            MessageEvent::Failed { reason, .. } => {
                timeline.add_end(now, place, format!("is given up: {}", reason.name()));
            }
            MessageEvent::TrafficStarted { .. } | MessageEvent::TrafficEnded { .. } => {}
        }
    }
}

impl Observer for Meter {
    fn transmitted(&mut self, now: Instant, host: HostId, _: InterfaceId, packet: &Packet) {
        self.trace.entered(now, packet);
        self.ledger.offered(packet);
        self.log.offered(now, packet);
        if let Some(capture) = &mut self.capture {
            capture.transmitted(now, host, packet);
        }
        if self.timeline.is_some() {
            let place = host_of(packet.direction());
            self.trace_packet(now, place, packet, "leaves", packet.trigger());
        }
    }

    fn received(&mut self, now: Instant, host: HostId, _: InterfaceId, packet: &Packet) {
        self.tell_ended(now);
        self.trace.left(now, packet);
        self.ledger.delivered(packet);
        self.log.arrived(now, packet);
        if let Some(capture) = &mut self.capture {
            capture.received(now, host, packet);
        }
        if self.timeline.is_some() {
            let place = host_of(opposite(packet.direction()));
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
        self.ledger.dropped(packet, reason);
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

    fn duplicated(&mut self, now: Instant, number: u64, direction: Direction, spans: &Spans) {
        self.ledger.duplicated(direction, spans);
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

    fn host_event(&mut self, now: Instant, _host: HostId, side: Direction, event: &HostEvent) {
        self.tell_ended(now);
        match event {
            HostEvent::Message(event) => {
                self.note_message(now, side, *event);
                if self.timeline.is_some() {
                    self.trace_event(now, side, event);
                }
            }
            HostEvent::Discarded { packet, reason } => {
                self.ledger.discarded(packet, *reason);
                self.log.discarded(now, packet, *reason);
                let (number, reason) = (packet.number(), reason.name());
                self.trace(now, host_of(side), packet.messages(), || {
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
        if self.capture.as_ref().is_some_and(Capture::has_failed) || self.log.has_lost() {
            return Instant::ZERO;
        }
        let flows = self.config.flows;
        if self.started < flows {
            Instant::ZERO + self.config.set_up
        } else if self.ended < flows {
            Instant::FAR_FUTURE
        } else {
            let drained = self.last_end + self.config.drain;
            match (&self.energy, self.first_start) {
                (Some(energy), Some(start)) => drained.max(energy.until(start)),
                _ => drained,
            }
        }
    }
}

const fn host_of(side: Direction) -> &'static str {
    match side {
        Direction::Up => "device",
        Direction::Down => "server",
    }
}

const fn path_of(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "path up",
        Direction::Down => "path down",
    }
}

const fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
    }
}
