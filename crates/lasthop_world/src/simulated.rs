use core::num::NonZeroU32;
use core::sync::atomic::AtomicBool;
use std::collections::BTreeSet;
use std::io;

use lasthop_contract::{BackgroundTraffic, Clock, DeviceId, FlowId, MessageId, RandomStream};
use lasthop_engine::{Outcome, VirtualClock};
use lasthop_measure::{
    Arriving, Capture, Directory, MediumColumn, MessageFiles, Meter, MeterConfig, PacketBound,
    RunStatus, RunTables, Summary,
};
use lasthop_nbiot::NetworkReport;
use lasthop_traffic::PlannedFlows;
use lasthop_units::Instant;
use thiserror::Error;

use crate::agenda::Agenda;
use crate::billing::billing_configs;
use crate::energy::energy_configs;
use crate::medium::nbiot::{NamedNetwork, NbIot, RadioReport};
use crate::plan::{directory, numbers_of_groups, traffic_plan};
use crate::spec::{EngineSpec, GroupSpec, MessageDetail, RunSpec, SpecError, nanos};
use crate::stack::{MOST_PACKETS, Registry};
use crate::world::{OutsideHosts, World};

/// A finished run and its results.
#[derive(Debug)]
pub struct Simulated {
    pub(crate) meter: Meter,
    pub(crate) network: Option<RadioReport>,
    pub(crate) media: Vec<MediumColumn>,
    pub(crate) background: [BackgroundTraffic; 2],
    pub(crate) outcome: Outcome,
    pub(crate) end: Instant,
    pub(crate) events: u64,
    pub(crate) polls: u64,
    /// The packets were those of a kernel.
    pub(crate) hides_packets: bool,
}

/// Optional observations of a run, in addition to messages and bytes.
#[derive(Debug, Default)]
pub struct Observe {
    /// The capture of packets of some hosts.
    pub capture: Option<Capture>,
    /// The message whose time line is recorded.
    pub message: Option<MessageName>,
    /// The files to which finished messages are written, even if results only have sums.
    ///
    /// Messages of arriving devices, and all messages beside a time line, stay in memory.
    pub messages: Option<MessageFiles>,
}

/// The name of a message: its device, flow and number.
#[derive(Clone, Debug)]
pub struct MessageName {
    /// The number of the message's device in the run.
    pub device: u32,
    /// The name of the message's flow. `None` means the first flow of the device.
    pub flow: Option<String>,
    /// The number of the message in its flow, from 1.
    pub number: NonZeroU32,
}

/// The reason why a run has no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// The run spec is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The caller interrupted the run.
    #[error("interrupted")]
    Interrupted,
    /// A packet capture could not be written.
    #[error("capture: {0}")]
    Capture(io::Error),
    /// The message files could not be written.
    #[error("messages: {0}")]
    Messages(io::Error),
}

impl Simulated {
    /// Runs a spec to its end in virtual time, or until `interrupt` is set.
    ///
    /// # Errors
    /// When the spec describes no run or one on another clock, after an interrupt, or when a capture cannot be written.
    pub fn run(spec: &RunSpec, observe: Observe, interrupt: &AtomicBool) -> Result<Self, RunError> {
        Self::run_with(&Registry::standard(), spec, observe, interrupt)
    }

    /// Runs a spec with a custom registry.
    ///
    /// # Errors
    /// As of [`Simulated::run`].
    pub fn run_with(
        registry: &Registry,
        spec: &RunSpec,
        observe: Observe,
        interrupt: &AtomicBool,
    ) -> Result<Self, RunError> {
        if spec.engine != EngineSpec::Virtual {
            let problem = "the run waits for the wall clock, and there is none here";
            return Err(SpecError::value("engine", problem).into());
        }
        Self::on(VirtualClock, registry, spec, observe, interrupt)
    }

    /// Runs a spec on the caller's clock, regardless of the spec's engine.
    ///
    /// # Errors
    /// When the spec describes no run, after an interrupt or when the clock stops, or when a capture cannot be written.
    pub fn on(
        clock: impl Clock,
        registry: &Registry,
        spec: &RunSpec,
        observe: Observe,
        interrupt: &AtomicBool,
    ) -> Result<Self, RunError> {
        let outside = OutsideHosts::new();
        Self::beside(outside, clock, registry, spec, observe, interrupt)
    }

    /// Runs a spec with external servers.
    ///
    /// # Errors
    /// As of [`Simulated::on`], and when a server that is to be outside is not there.
    pub fn beside(
        outside: OutsideHosts,
        clock: impl Clock,
        registry: &Registry,
        spec: &RunSpec,
        observe: Observe,
        interrupt: &AtomicBool,
    ) -> Result<Self, RunError> {
        // A capture and a time line are told in the order of time; sums and records do not depend on it. No clock goes
        // back but the virtual one.
        let is_told_in_order = observe.capture.is_some() || observe.message.is_some();
        let any_order = !is_told_in_order && !clock.accepts_external_input();
        let networks = networks(spec, observe.message.is_some())?;
        let mut meter = meter(spec, observe)?;
        if !clock.accepts_external_input() {
            // What is outside may say whatever it likes.
            meter.bound(most_packets(spec));
        }
        let mut world = World::new(clock, spec, registry, networks, meter, outside)?;
        if any_order {
            world.order_by_parts();
        }
        let outcome = world.run(interrupt)?;
        if outcome == Outcome::Interrupted {
            return Err(RunError::Interrupted);
        }
        let end = world.finish();
        let background = world.background();
        let simulation = world.simulation();
        Self {
            network: world.report(end),
            media: world.columns(end),
            background,
            outcome,
            end: simulation.now(),
            events: simulation.events(),
            polls: simulation.polls(),
            meter: world.into_meter(),
            hides_packets: false,
        }
        .finished()
    }

    /// The same with all that goes to files.
    pub(crate) fn finished(mut self) -> Result<Self, RunError> {
        self.meter.finish_capture().map_err(RunError::Capture)?;
        self.meter.finish_messages().map_err(RunError::Messages)?;
        Ok(self)
    }

    /// Returns the status of the run.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        self.meter.status(self.outcome)
    }

    /// Returns the summary row of the run.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let mut summary = self.meter.summary(self.end);
        summary.background = self.background;
        summary.media = self.media.clone();
        summary.hides_packets = self.hides_packets;
        if let (Some(told), Some(network)) = (&self.network, &mut summary.network) {
            network.lowest_path_gain_served_db = told.lowest_path_gain_served_db;
        }
        summary
    }

    /// Returns the counters of all radio networks, if there are any.
    #[must_use]
    pub fn network(&self) -> Option<&NetworkReport> {
        self.network.as_ref().map(|told| &told.network)
    }

    /// Returns the meter with all measurements.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Returns the number of wake-ups that the event loop handled.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of times that hosts and links were polled.
    #[must_use]
    pub fn polls(&self) -> u64 {
        self.polls
    }

    /// Returns the tables of the run, with this run ID.
    #[must_use]
    pub fn tables(&self, run_id: &str) -> RunTables {
        RunTables::new(run_id, self.status(), &self.summary(), &self.meter)
    }
}

/// The radio networks of a run, the one that is named first before the others.
fn networks(spec: &RunSpec, explains: bool) -> Result<Vec<NamedNetwork<'_>>, SpecError> {
    let measures_energy = explains || spec.groups.iter().any(|group| group.energy.is_some());
    let mut networks: Vec<NamedNetwork<'_>> = Vec::new();
    for (name, config) in spec.networks() {
        // The first one draws as if it were alone.
        let seed = match networks.len() {
            0 => spec.seed,
            _ => RandomStream::named(spec.seed, format_args!("{name}/network")).next_u64(),
        };
        let network = NbIot::new(config, seed, measures_energy)?;
        networks.push((name, Box::new(network)));
    }
    Ok(networks)
}

/// Returns the maximum number of packets of a run of this spec.
fn most_packets(spec: &RunSpec) -> PacketBound {
    let staying: u32 = spec.groups.iter().map(GroupSpec::staying).sum();
    PacketBound {
        devices: u64::from(staying),
        ..MOST_PACKETS
    }
}

/// What watches a run of this spec.
pub(crate) fn meter(spec: &RunSpec, observe: Observe) -> Result<Meter, SpecError> {
    let with_radio = spec
        .groups
        .iter()
        .filter(|it| spec.path_of(it).network().is_some());
    let radios = with_radio.map(|it| it.present().len() as u32).sum::<u32>() + further_radios(spec);
    let arriving = spec.groups.iter().find_map(|group| group.arriving());
    let plan = traffic_plan(spec)?;
    let staying = plan.flows.iter().filter(|flows| flows.arrivals.is_some());
    let networks = spec.networks().into_iter();
    let cells = networks.map(|(_, it)| u32::from(it.cells())).sum();
    let first_event = spec.events.iter().map(|event| event.at_ns).min();
    let config = MeterConfig {
        directory: directory(spec),
        radios,
        flows: staying.map(PlannedFlows::count).sum(),
        arriving: arriving.map(|arriving| Arriving {
            until: Instant::ZERO + nanos(arriving.until_ns),
        }),
        disturbed: first_event.map_or(Instant::FAR_FUTURE, Instant::from_nanos),
        keeps_records: spec.measure.messages == MessageDetail::Each,
        cells: NonZeroU32::new(cells),
        warm_up: nanos(spec.measure.warm_up_ns),
        drain: nanos(spec.measure.drain_ns),
        set_up: nanos(spec.measure.set_up_ns),
        counts_from: spec.established_at(),
        energy: energy_configs(spec)?,
        billing: billing_configs(spec)?,
    };
    let message = observe.message.map(|name| name.find(&config.directory));
    let message = message.transpose()?;
    Ok(match (observe.messages, message) {
        (Some(files), None) => Meter::spilling(config, files, observe.capture),
        (_, message) => Meter::new(config, observe.capture, message),
    })
}

/// Returns the number of radios on paths that devices move to.
fn further_radios(spec: &RunSpec) -> u32 {
    let numbers = numbers_of_groups(spec);
    let is_new = |(device, path): &(u32, &str)| {
        let mut groups = spec.groups.iter().zip(&numbers);
        let own = groups.find(|(_, numbers)| numbers.contains(device));
        own.is_none_or(|(group, _)| group.path != *path) && spec.paths[*path].network().is_some()
    };
    let agenda = Agenda::new(spec);
    let radios: BTreeSet<(u32, &str)> = agenda.paths().filter(is_new).collect();
    radios.len() as u32
}

impl MessageName {
    fn find(&self, directory: &Directory) -> Result<MessageId, SpecError> {
        let mut flows = FlowId::all_of(DeviceId(self.device));
        let is_named = |flow: &FlowId| {
            let place = directory.place(*flow);
            let wanted = self.flow.as_deref();
            place.is_some_and(|place| wanted.is_none_or(|wanted| wanted == &*place.flows.name))
        };
        let Some(flow) = flows.find(is_named) else {
            let problem = match &self.flow {
                Some(flow) => format!("device {} has no flow {flow}", self.device),
                None => format!("there is no device {}", self.device),
            };
            return Err(SpecError::value("message", problem));
        };
        Ok(MessageId {
            flow,
            number: self.number,
        })
    }
}
