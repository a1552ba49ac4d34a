use std::sync::Arc;

use lasthop_traffic::{Arrivals, PayloadError, PayloadTemplate, TrafficPlan};
use lasthop_units::DataSize;

use crate::spec::{ArrivalSpec, PayloadSpec, RunSpec, SpecError, nanos};

/// What makes the messages of a run.
pub(crate) enum Messages {
    /// Each flow by a schedule of its own.
    Scheduled(Arc<TrafficPlan>),
    /// Each device comes with one.
    Reports(PayloadTemplate),
}

impl Messages {
    /// What the spec says of them.
    pub(crate) fn of(spec: &RunSpec) -> Result<Self, SpecError> {
        let traffic = &spec.traffic;
        let payload = payload(&traffic.payload)
            .map_err(|error| SpecError::value("traffic.payload", error))?;
        let arrivals = match traffic.arrivals {
            ArrivalSpec::Once => return Ok(Self::Reports(payload)),
            ArrivalSpec::Periodic { every_ns } => Arrivals::Periodic {
                every: nanos(every_ns),
            },
            ArrivalSpec::Poisson { mean_ns } => Arrivals::Poisson {
                mean: nanos(mean_ns),
            },
        };
        Ok(Self::Scheduled(Arc::new(TrafficPlan {
            payload,
            arrivals,
            burst: traffic.burst,
            start: nanos(traffic.start_ns),
            spread: nanos(traffic.spread_ns),
            duration: nanos(traffic.duration_ns),
            seed: spec.seed,
        })))
    }
}

fn payload(spec: &PayloadSpec) -> Result<PayloadTemplate, PayloadError> {
    match spec {
        PayloadSpec::Text { bytes } => PayloadTemplate::text(DataSize::from_bytes(*bytes)),
        PayloadSpec::Json { fields, bytes } => {
            PayloadTemplate::json(fields, bytes.map(DataSize::from_bytes))
        }
    }
}
