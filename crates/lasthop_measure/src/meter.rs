mod config;
mod observe;
mod trace;

use std::io;

use lasthop_contract::{DeviceId, Direction, FlowId, MessageId, Port};
use lasthop_engine::{HostId, LinkId, Outcome};
use lasthop_units::Instant;

pub use config::{Arriving, MeterConfig, RunStatus};

use crate::divergence::Divergence;
use crate::excess::Excess;
use crate::group_results::GroupSums;
use crate::message_log::Keeps;
use crate::message_report::{Known, MessageFiles, MessageReport, TableFile};
use crate::message_spill::MessageSpill;
use crate::message_sums::{MeasuredTime, MessageSums};
use crate::summary::Sources;
use crate::{
    BillRow, BillingLog, CacheLog, Capture, CapturedHost, DeviceLog, Directory, EnergyConfig,
    EnergyLog, GroupResult, Histogram, Ledger, MessageLog, PacketBound, RecoverySums, SessionSums,
    SimBill, Summary, Timeline, TraceHash,
};

/// Measures a run: messages and bytes and, if requested, energy, packets or the time line of one message.
#[derive(Debug)]
pub struct Meter {
    config: MeterConfig,
    log: MessageLog,
    ledger: Ledger,
    trace: TraceHash,
    energy: Option<EnergyLog>,
    billing: Option<BillingLog>,
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
    divergence: Option<Divergence>,
    lateness: Histogram,
    sessions: SessionSums,
    devices: DeviceLog,
    caches: CacheLog,
    /// Peers that gave way to others.
    evicted: u64,
    /// Hosts that pass on what comes to them.
    gateways: Vec<HostId>,
    /// Where the table of messages goes that were given to files.
    table: Option<TableFile>,
    message_report: Option<MessageReport>,
}

impl Meter {
    /// Creates a meter.
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

    /// Creates a meter that writes finished message records to files, unless devices arrive and leave.
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
        let first_start = config
            .arriving
            .map_or(config.counts_from, |_| Some(Instant::ZERO));
        let last_end = config.arriving.map_or(Instant::ZERO, |it| it.until);
        let energy = EnergyConfig::of_classes(&config.energy, &config.directory);
        let energy = energy.map(|classes| EnergyLog::new(classes.into_iter()));
        let billing = BillingLog::of(&config.billing, &config.directory, config.counts_from);
        Self {
            log,
            ledger: Ledger::counting_from(config.counts_from.unwrap_or(Instant::ZERO)),
            trace: TraceHash::default(),
            energy,
            billing,
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
            divergence: None,
            lateness: Histogram::new(),
            sessions: SessionSums::default(),
            devices: DeviceLog::default(),
            caches: CacheLog::default(),
            evicted: 0,
            gateways: Vec::new(),
            table: None,
            message_report: None,
            config,
        }
    }

    /// Sets a bound on packets. A run with more ends as diverged.
    pub fn bound(&mut self, bound: PacketBound) {
        self.divergence = Some(Divergence::beyond(bound));
    }

    /// Returns how late deadlines were served; empty in virtual time.
    #[must_use]
    pub const fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    /// Records the captured host of a host number from now on, for the capture and the bill.
    pub fn capture(&mut self, host: HostId, as_: CapturedHost) {
        if let Some(billing) = &mut self.billing {
            let device = match as_ {
                CapturedHost::Device(number) => Some(number),
                CapturedHost::Server(_) => None,
            };
            billing.attach(host, device);
        }
        if let Some(capture) = &mut self.capture {
            capture.attach(host, as_);
        }
    }

    /// Records that the run has a resource-constrained device.
    pub fn watch_device(&mut self) {
        self.devices.watch();
    }

    /// Returns the events of resource-constrained devices.
    #[must_use]
    pub const fn devices(&self) -> &DeviceLog {
        &self.devices
    }

    /// Marks a host as a gateway that forwards messages.
    pub fn note_gateway(&mut self, host: HostId) {
        self.gateways.push(host);
    }

    /// Records that the run has a caching proxy.
    pub fn note_proxy(&mut self) {
        self.caches.watch();
    }

    /// Records that a device leaves before its message was delivered.
    pub fn give_up(&mut self, now: Instant, flow: FlowId) {
        self.log.give_up(now, flow);
    }

    /// Records that the host at one side of a flow is off and has lost its messages.
    pub fn forget(&mut self, now: Instant, flow: FlowId, side: Direction) {
        let origin = self.config.directory.origin(flow);
        self.log.forget(now, flow, side, origin);
    }

    /// Records that a device and its server are gone, so its messages get no more events.
    ///
    /// `within_reach` tells whether the network could have carried them with enough capacity.
    pub fn leave(&mut self, now: Instant, flow: FlowId, within_reach: bool) {
        let time = self.measured_time();
        self.come += 1;
        let (told, excess) = (&mut self.told, &mut self.excess);
        let (by_group, directory) = (&mut self.told_by_group, &self.config.directory);
        self.log.close(flow, |record| {
            told.add(record, time);
            by_group.add(directory, (flow, record), time);
            if let Some(excess) = excess
                && record.delivered.is_none()
                && !within_reach
            {
                excess.end(now);
            }
        });
    }

    /// Records that an event is over for a device, and that the device has to recover from it. `began` is when the event
    /// began. Events that end before the measurement do not count.
    pub fn recovers(&mut self, now: Instant, device: DeviceId, began: Instant) {
        let mut flows = FlowId::all_of(device);
        let place = flows.find_map(|flow| self.config.directory.place(flow));
        if let Some(place) = place.filter(|_| self.is_measuring(now)) {
            let group = self.config.directory.flows()[place.flows_number].group;
            let class = self.config.directory.class_of(group, place.device);
            self.log.recoveries.begin(now, device, began, class);
        }
    }

    /// Whether a measured message of a device was served, unless the device has left.
    #[must_use]
    pub fn has_served(&self, device: DeviceId) -> bool {
        let from = self.measured_from();
        FlowId::all_of(device).any(|flow| self.log.has_served(flow, from))
    }

    /// Returns the directory of flow names.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.config.directory
    }

    /// Returns the log of messages.
    #[must_use]
    pub fn log(&self) -> &MessageLog {
        &self.log
    }

    /// Returns the byte ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Completes the capture, if one was requested.
    ///
    /// # Errors
    /// Those of its writers.
    pub fn finish_capture(&mut self) -> io::Result<()> {
        self.capture.take().map_or(Ok(()), Capture::finish)
    }

    /// Reads back what was written to files, and writes the message table.
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
            self.message_report = Some(MessageReport::of(spill, self.table.take(), known)?);
        }
        Ok(())
    }

    /// Returns the table of the messages that were written to files; empty if the table itself was written to a file.
    pub(crate) fn message_report(&self) -> Option<&[u8]> {
        self.message_report.as_ref().map(|told| &*told.stream)
    }

    /// Returns the time line, if one was requested.
    #[must_use]
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// Whether a message was delivered to all receivers, or its record was removed.
    pub fn is_delivered(&mut self, id: MessageId) -> bool {
        self.log.is_delivered(id)
    }

    /// Whether a message was due and is unfinished.
    pub fn is_under_way(&mut self, id: MessageId) -> bool {
        self.log.is_under_way(id)
    }

    /// Whether every flow has begun and has no further messages.
    #[must_use]
    pub const fn has_said_all(&self) -> bool {
        self.started >= self.config.flows && self.ended >= self.config.flows
    }

    /// Returns the start of the measurement.
    #[must_use]
    pub fn measured_from(&self) -> Instant {
        self.first_start.unwrap_or(Instant::ZERO) + self.config.warm_up
    }

    /// Whether a flow has begun and its warm-up has passed.
    #[must_use]
    pub fn is_measuring(&self, now: Instant) -> bool {
        self.first_start
            .is_some_and(|begun| now >= begun + self.config.warm_up)
    }

    /// Returns the results of a run that ended at `end`, in one row.
    #[must_use]
    pub fn summary(&self, end: Instant) -> Summary {
        let time = self.measured_time();
        let told = self.message_report.as_ref();
        let mut sums = told.map_or(&self.told, |told| &told.sums).clone();
        sums.duplicated += self.log.late_arrivals();
        for record in self.log.open_records() {
            sums.add(record, time);
        }
        let by_group = self.sums_by_group();
        let directory = &self.config.directory;
        let differ = directory.has_different_weights();
        let recoveries = self.recoveries();
        let weighted = differ.then(|| {
            let recoveries = recoveries.as_deref().unwrap_or_default();
            by_group.weighted(directory, recoveries)
        });
        let count = |of: fn(&MessageSums) -> u64| by_group.rows().map(of).sum();
        let age = MessageSums::age_of(by_group.rows());
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
            bill: self.billing.as_ref().and_then(BillingLog::summary),
            weighted,
            messages_with_deadline: count(|sums| sums.timed),
            messages_in_time: count(|sums| sums.in_time),
            age_mean: age.mean(),
            age_max: age.longest(),
            recoveries: recoveries.map(|classes| {
                classes
                    .iter()
                    .fold(RecoverySums::default(), |mut all, class| {
                        all.add(class);
                        all
                    })
            }),
            lateness: self.lateness.clone(),
            sessions: self.sessions.at_end(end),
            devices: self.devices.at_end(end),
            caches: self.caches.sums(),
            peers_evicted: self.evicted,
            ..Summary::of(sources, sums, end)
        }
    }

    /// Returns the recoveries of each class of devices; `None` if nothing happens in the run.
    fn recoveries(&self) -> Option<Vec<RecoverySums>> {
        let classes = self.config.directory.class_weights().count();
        self.has_events()
            .then(|| self.log.recoveries.at_end(classes))
    }

    fn has_events(&self) -> bool {
        self.config.disturbed < Instant::FAR_FUTURE
    }

    fn sums_by_group(&self) -> GroupSums {
        let told = self.message_report.as_ref();
        let sums = told.map_or(&self.told_by_group, |told| &told.by_group);
        let (sums, directory) = (sums.clone(), &self.config.directory);
        sums.with_open(directory, &self.log, self.measured_time())
    }

    /// Returns the results by group, stratum and flow, with the energy of the devices.
    #[must_use]
    pub fn group_results(&self) -> Vec<GroupResult> {
        let directory = &self.config.directory;
        self.sums_by_group().results(
            directory,
            self.energy.as_ref(),
            self.billing.as_ref(),
            self.recoveries().as_deref(),
            self.come,
        )
    }

    /// Returns the mean cost for devices, by purpose.
    #[must_use]
    pub fn bill_rows(&self) -> Vec<BillRow> {
        self.billing
            .as_ref()
            .map(BillingLog::rows)
            .unwrap_or_default()
    }

    /// Returns the bill of each device.
    #[must_use]
    pub fn sim_bills(&self) -> Vec<SimBill> {
        self.billing
            .as_ref()
            .map(BillingLog::sims)
            .unwrap_or_default()
    }

    /// Records the group and number of the device whose radio is at a port, and whether the device has another radio.
    pub fn attach_radio(
        &mut self,
        radio: (LinkId, Port),
        (group, device): (usize, u32),
        is_another: bool,
    ) {
        if let Some(energy) = &mut self.energy {
            let class = self.config.directory.class_of(group, device);
            energy.attach(radio, (class, device), is_another);
            // Sessions that are established beforehand were set up at another time.
            let sets_up = self.config.counts_from.is_none() && self.config.arriving.is_none();
            if sets_up && self.config.directory.has_flows(group, device) {
                energy.sets_up(radio, (group, device));
            }
        }
    }

    /// Returns the status of a run whose loop returned `outcome`.
    #[must_use]
    pub fn status(&self, outcome: Outcome) -> RunStatus {
        if outcome == Outcome::Interrupted {
            RunStatus::Invalid("interrupted")
        } else if outcome == Outcome::Stalled {
            RunStatus::Invalid("stalled")
        } else if self.has_diverged() {
            RunStatus::Failed("diverged")
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

    fn has_diverged(&self) -> bool {
        self.divergence
            .as_ref()
            .is_some_and(Divergence::is_exceeded)
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
}
