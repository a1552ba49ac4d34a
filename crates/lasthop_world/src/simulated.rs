use core::num::NonZeroU32;
use core::sync::atomic::AtomicBool;

use lasthop_contract::{Direction, FlowId, MessageId};
use lasthop_engine::{FORESIGHT, Observer, Outcome};
use lasthop_measure::{
    Capture, CaptureLayout, Meter, MeterConfig, Population, RunStatus, RunTables, Summary,
    TableError,
};
use lasthop_units::Instant;
use thiserror::Error;

use crate::assembly::assemble;
use crate::energy::energy_config;
use crate::spec::{
    MessageDetail, PopulationSpec, RunSpec, ServerLayout, SpecError, TrafficKind, nanos,
};

/// A run that has ended in virtual time, and what it told.
#[derive(Debug)]
pub struct Simulated {
    meter: Meter,
    outcome: Outcome,
    end: Instant,
    events: u64,
    polls: u64,
}

/// What to look at beside messages and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observe {
    /// Keep every packet.
    pub capture: bool,
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
}

impl Simulated {
    /// Runs a spec to its end, or until `interrupt` is set.
    ///
    /// # Errors
    /// When the spec describes no run, or after an interrupt.
    pub fn run(spec: &RunSpec, observe: Observe, interrupt: &AtomicBool) -> Result<Self, RunError> {
        let PopulationSpec::Fixed { devices } = spec.population else {
            return Err(SpecError::value("population.arriving", "no path takes them").into());
        };
        let meter = meter(spec, observe)?;
        let mut simulation = assemble(spec, devices, meter)?;
        // A capture and a time line are told in the order of time; sums and records do not depend on it.
        let any_order = !observe.capture && observe.message.is_none();
        if any_order && nanos(spec.measure.drain_ns) >= FORESIGHT {
            simulation.order_by_parts();
        }
        let outcome = simulation.run(interrupt);
        if outcome == Outcome::Interrupted {
            return Err(RunError::Interrupted);
        }
        let end = match simulation.observer().horizon() {
            Instant::FAR_FUTURE => simulation.now(),
            horizon => horizon.max(simulation.now()),
        };
        simulation.tell_radio_time(end);
        Ok(Self {
            outcome,
            end: simulation.now(),
            events: simulation.events(),
            polls: simulation.polls(),
            meter: simulation.into_observer(),
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
        self.meter.summary(self.end)
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

/// What watches a run of this spec.
pub(crate) fn meter(spec: &RunSpec, observe: Observe) -> Result<Meter, SpecError> {
    let (population, layout) = match spec.population {
        PopulationSpec::Fixed { devices } => {
            let shared_server = spec.server == ServerLayout::Shared;
            let layout = CaptureLayout::DevicesFirst {
                devices,
                shared_server,
            };
            (Population::Fixed(devices), layout)
        }
        PopulationSpec::Arriving { .. } => {
            let until = Instant::ZERO + nanos(spec.traffic.duration_ns);
            let keeps_records = spec.measure.messages == MessageDetail::Each;
            let population = Population::Arriving {
                until,
                keeps_records,
            };
            (population, CaptureLayout::Pairs)
        }
    };
    let config = MeterConfig {
        population,
        cells: None,
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
    let capture = observe.capture.then(|| Capture::new(layout));
    let message = observe.message.map(|(device, number)| MessageId {
        flow: FlowId(device),
        number,
    });
    Ok(Meter::new(config, capture, message))
}
