use core::num::NonZeroU32;
use core::sync::atomic::AtomicBool;
use std::io;

use lasthop_contract::{Direction, FlowId, MessageId};
use lasthop_engine::{FORESIGHT, HostId, Observer, Outcome, Simulation, VirtualClock};
use lasthop_measure::{
    Capture, CapturedHost, Meter, MeterConfig, Population, RadioSummary, RunStatus, RunTables,
    Summary, TableError,
};
use lasthop_nbiot::NetworkReport;
use lasthop_units::Instant;
use thiserror::Error;

use crate::assembly::assemble;
use crate::city::{City, Reach};
use crate::energy::energy_config;
use crate::network::{Network, radio_summary};
use crate::spec::{
    ArrivingSpec, MessageDetail, PathSpec, PopulationSpec, RunSpec, ServerLayout, SpecError,
    TrafficKind, nanos,
};

/// A run that has ended in virtual time, and what it told.
#[derive(Debug)]
pub struct Simulated {
    meter: Meter,
    network: Option<RadioSide>,
    outcome: Outcome,
    end: Instant,
    events: u64,
    polls: u64,
}

/// What a network tells at the end.
#[derive(Debug)]
struct RadioSide {
    report: NetworkReport,
    summary: RadioSummary,
    lowest_path_gain_served_db: Option<f64>,
}

/// What to look at beside messages and bytes.
#[derive(Debug, Default)]
pub struct Observe {
    /// Keep the packets of some hosts.
    pub capture: Option<Capture>,
    /// Keep the time line of a message: of this device, with this number.
    pub message: Option<(u32, NonZeroU32)>,
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// The spec describes no run.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The caller interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A capture could not be written.
    #[error("capture: {0}")]
    Capture(io::Error),
}

impl Simulated {
    /// Runs a spec to its end, or until `interrupt` is set.
    ///
    /// # Errors
    /// When the spec describes no run, after an interrupt, or when a capture cannot be written.
    pub fn run(spec: &RunSpec, observe: Observe, interrupt: &AtomicBool) -> Result<Self, RunError> {
        // A capture and a time line are told in the order of time; sums and records do not depend on it.
        let any_order = observe.capture.is_none() && observe.message.is_none();
        let meter = meter(spec, observe)?;
        let network = match &spec.path {
            PathSpec::Link(_) => None,
            PathSpec::Nbiot(config) => {
                Some(Network::new(config, spec.seed, spec.energy.is_some())?)
            }
        };
        let mut simulated = match (&spec.population, network) {
            (PopulationSpec::Arriving(arriving), Some(network)) => {
                Self::run_city(spec, arriving, network, meter, interrupt)
            }
            (PopulationSpec::Arriving(_), None) => {
                Err(SpecError::value("population.arriving", "needs a network").into())
            }
            (PopulationSpec::Fixed { devices }, network) => {
                Self::run_fixed(spec, *devices, network, meter, any_order, interrupt)
            }
        }?;
        simulated
            .meter
            .finish_capture()
            .map_err(RunError::Capture)?;
        Ok(simulated)
    }

    fn run_fixed(
        spec: &RunSpec,
        devices: u32,
        network: Option<Network>,
        meter: Meter,
        any_order: bool,
        interrupt: &AtomicBool,
    ) -> Result<Self, RunError> {
        let mut simulation = assemble(spec, devices, network.as_ref(), meter)?;
        if any_order && nanos(spec.measure.drain_ns) >= FORESIGHT {
            simulation.order_by_parts();
        }
        let outcome = simulation.run(interrupt);
        if outcome == Outcome::Interrupted {
            return Err(RunError::Interrupted);
        }
        let end = end_of(&simulation);
        simulation.tell_radio_time(end);
        let network = network.map(|mut network| {
            for device in 0..devices {
                if simulation.observer().has_served(FlowId(device)) {
                    network.note_served(Network::ports(device)[0]);
                }
            }
            RadioSide::of(spec, &network, end)
        });
        Ok(Self {
            network,
            outcome,
            end: simulation.now(),
            events: simulation.events(),
            polls: simulation.polls(),
            meter: simulation.into_observer(),
        })
    }

    fn run_city(
        spec: &RunSpec,
        arriving: &ArrivingSpec,
        network: Network,
        meter: Meter,
        interrupt: &AtomicBool,
    ) -> Result<Self, RunError> {
        let link = Box::new(network.clone());
        let mut city = City::new(spec, arriving, link, network, meter)?;
        let outcome = city.run(interrupt);
        if outcome == Outcome::Interrupted {
            return Err(RunError::Interrupted);
        }
        let end = city.simulation.now();
        city.simulation.tell_radio_time(end);
        Ok(Self {
            network: Some(RadioSide::of(spec, &city.reach, end)),
            outcome,
            end,
            events: city.simulation.events(),
            polls: city.simulation.polls(),
            meter: city.simulation.into_observer().meter,
        })
    }

    /// How it ended.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        self.meter.status(self.outcome)
    }

    /// The run in one row.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let mut summary = self.meter.summary(self.end);
        if let (Some(told), Some(network)) = (&self.network, &mut summary.network) {
            network.radio = told.summary.clone();
            network.lowest_path_gain_served_db = told.lowest_path_gain_served_db;
        }
        summary
    }

    /// What the cells of the network have counted, where the path is one.
    #[must_use]
    pub fn network(&self) -> Option<&NetworkReport> {
        self.network.as_ref().map(|told| &told.report)
    }

    /// All that was watched.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// How many wake-ups the loop served.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How often the loop polled a machine.
    #[must_use]
    pub fn polls(&self) -> u64 {
        self.polls
    }

    /// The tables of the run, which carry this id.
    ///
    /// # Errors
    /// Those of the Arrow library, which only our own mistakes can cause.
    pub fn tables(&self, run_id: &str) -> Result<RunTables, TableError> {
        RunTables::new(
            run_id,
            self.status(),
            &self.summary(),
            self.meter.log(),
            self.meter.measured_from(),
            self.meter.ledger(),
        )
    }
}

impl RadioSide {
    fn of(spec: &RunSpec, network: &Network, end: Instant) -> Self {
        let report = network.report();
        let summary = match &spec.path {
            PathSpec::Link(_) => RadioSummary::default(),
            PathSpec::Nbiot(config) => radio_summary(config, &report, end),
        };
        Self {
            report,
            summary,
            lowest_path_gain_served_db: network.lowest_path_gain_served_db(),
        }
    }
}

/// Until when the radios of a run tell their time, whose loop has returned.
fn end_of(simulation: &Simulation<VirtualClock, Meter>) -> Instant {
    match simulation.observer().horizon() {
        Instant::FAR_FUTURE => simulation.now(),
        horizon => horizon.max(simulation.now()),
    }
}

/// What watches a run of this spec.
pub(crate) fn meter(spec: &RunSpec, observe: Observe) -> Result<Meter, SpecError> {
    let mut capture = observe.capture;
    let population = match spec.population {
        PopulationSpec::Fixed { devices } => {
            if let Some(capture) = &mut capture {
                attach_all(capture, devices, spec.server);
            }
            Population::Fixed(devices)
        }
        PopulationSpec::Arriving { .. } => Population::Arriving {
            until: Instant::ZERO + nanos(spec.traffic.duration_ns),
            keeps_records: spec.measure.messages == MessageDetail::Each,
        },
    };
    let config = MeterConfig {
        population,
        cells: match &spec.path {
            PathSpec::Link(_) => None,
            PathSpec::Nbiot(network) => NonZeroU32::new(network.cells().into()),
        },
        origin: match spec.traffic.kind {
            TrafficKind::RoundTrip | TrafficKind::Report => Direction::Up,
            TrafficKind::Command => Direction::Down,
        },
        warm_up: nanos(spec.measure.warm_up_ns),
        drain: nanos(spec.measure.drain_ns),
        set_up: nanos(spec.measure.set_up_ns),
        energy: spec
            .energy
            .as_ref()
            .map(|energy| energy_config(spec, energy))
            .transpose()?,
    };
    let message = observe.message.map(|(device, number)| MessageId {
        flow: FlowId(device),
        number,
    });
    Ok(Meter::new(config, capture, message))
}

/// Tells a capture the numbers of hosts that stay: devices have the first ones, servers follow.
fn attach_all(capture: &mut Capture, devices: u32, layout: ServerLayout) {
    let servers = match layout {
        ServerLayout::Shared => 1,
        ServerLayout::PerDevice => devices,
    };
    for device in 0..devices {
        capture.attach(HostId(device), CapturedHost::Device(device));
    }
    for server in 0..servers {
        capture.attach(HostId(devices + server), CapturedHost::Server(server));
    }
}
