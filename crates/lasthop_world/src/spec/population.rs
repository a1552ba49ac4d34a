use serde::{Deserialize, Serialize};

use super::{ArrivalSpec, MessageDetail, PathSpec, RunSpec, ServerLayout, SpecError, TrafficKind};

/// Who is there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PopulationSpec {
    /// The same devices from the start to the end.
    Fixed {
        /// How many.
        devices: u32,
    },
    /// Devices that come with one message and go when it is delivered.
    Arriving(ArrivingSpec),
}

/// Devices that come with one message, as a Poisson process, and go when it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivingSpec {
    /// How many come a second and cell, on average.
    pub per_second_per_cell: f64,
    /// How long a device stays after its message is delivered and, where its stack acknowledges, acknowledged.
    pub linger_ns: u64,
    /// After which a device goes whatever became of its message.
    pub give_up_ns: u64,
}

/// More devices than this are not simulated packet by packet.
const MAX_DEVICES: u32 = 100_000;

/// More devices than this, one after the other, have no number (24 bits).
const MAX_ARRIVALS: f64 = 16e6;

impl PopulationSpec {
    /// Holds it against the rest of the spec.
    pub(super) fn check(&self, spec: &RunSpec) -> Result<(), SpecError> {
        let traffic = &spec.traffic;
        let comes_with_message = traffic.arrivals == ArrivalSpec::Once;
        match *self {
            Self::Fixed { devices } => demand(&[
                (
                    devices <= MAX_DEVICES,
                    "population.fixed.devices",
                    "must be from 0 to 100000",
                ),
                (
                    !comes_with_message,
                    "traffic.arrivals",
                    "devices that stay need a schedule; only those that arrive come with one message",
                ),
                (
                    spec.measure.messages == MessageDetail::Each,
                    "measure.messages",
                    "of devices that stay each message is told",
                ),
            ]),
            Self::Arriving(ArrivingSpec {
                per_second_per_cell: rate,
                give_up_ns,
                ..
            }) => demand(&[
                (
                    (0.0..=1e6).contains(&rate),
                    "population.arriving.per_second_per_cell",
                    "must be from 0 to 1000000",
                ),
                (
                    rate * f64::from(spec.path.cells()) * (traffic.duration_ns as f64 / 1e9)
                        <= MAX_ARRIVALS,
                    "population.arriving.per_second_per_cell",
                    "gives more than 16000000 devices",
                ),
                (
                    give_up_ns > 0,
                    "population.arriving.give_up_ns",
                    "must be above 0",
                ),
                (
                    !matches!(spec.path, PathSpec::Link(_)),
                    "population.arriving",
                    "needs a path that devices can come to: nbiot",
                ),
                (
                    spec.server == ServerLayout::PerDevice,
                    "server",
                    "devices that come and go have a server each: per_device",
                ),
                (
                    comes_with_message && traffic.burst == 1,
                    "traffic.arrivals",
                    "devices that come and go have one message each: once, in bursts of 1",
                ),
                (
                    traffic.start_ns == 0 && traffic.spread_ns == 0,
                    "traffic.start_ns",
                    "the message of a device that comes is due at once: start and spread are 0",
                ),
                (
                    traffic.kind != TrafficKind::Command,
                    "traffic.kind",
                    "devices that come and go have something to say: report or round_trip",
                ),
            ]),
        }
    }
}

/// Each of these must be so.
fn demand(demands: &[(bool, &'static str, &'static str)]) -> Result<(), SpecError> {
    match demands.iter().find(|(is_so, ..)| !is_so) {
        Some((_, field, problem)) => Err(SpecError::value(*field, problem)),
        None => Ok(()),
    }
}
