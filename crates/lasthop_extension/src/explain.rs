use core::num::NonZeroU32;

use lasthop_measure::TimelineEntry;
use lasthop_world::{ExplainedRadio, MessageName, Observe, RunSpec, Simulated};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::cancel::Cancel;
use crate::errors::{SpecError, from_run_error};
use crate::runs::registry;

/// The time line of a message, as JSON: what happened to it, and what the radio of its device did where it has one.
#[pyfunction]
#[pyo3(signature = (spec_json, device, message, flow=None))]
pub(crate) fn explain(
    py: Python<'_>,
    spec_json: &str,
    device: u32,
    message: u32,
    flow: Option<String>,
) -> PyResult<String> {
    py.detach(|| {
        let spec = RunSpec::parse(spec_json).map_err(|e| SpecError::new_err(e.to_string()))?;
        let message = NonZeroU32::new(message).map(|number| MessageName {
            device,
            flow,
            number,
        });
        let observe = Observe {
            message,
            ..Observe::default()
        };
        let never = Cancel::default();
        let simulated = Simulated::run_with(registry(), &spec, observe, never.flag())
            .map_err(from_run_error)?;
        let timeline = simulated.meter().timeline();
        let entries = timeline.map_or(&[][..], |timeline| timeline.entries());
        let radio = simulated
            .explained_radio(&spec)
            .map_err(|e| SpecError::new_err(e.to_string()))?;
        let explained = json!({
            "events": entries.iter().map(event).collect::<Vec<_>>(),
            "radio": radio.as_ref().map(of_radio),
        });
        Ok(explained.to_string())
    })
}

fn event(entry: &TimelineEntry) -> Value {
    json!({
        "time_ns": entry.at.as_nanos(),
        "where": entry.place,
        "what": entry.what,
        "trigger": entry.trigger,
    })
}

fn of_radio(radio: &ExplainedRadio) -> Value {
    let events = radio.events.iter().map(|event| {
        json!({
            "from_ns": event.from.as_nanos(),
            "until_ns": event.until.as_nanos(),
            "channel": event.lane.name(),
            "what": event.what,
            "received": event.is_received,
        })
    });
    let spans = radio.spans.iter().map(|span| {
        json!({
            "from_ns": span.from.as_nanos(),
            "until_ns": span.until.as_nanos(),
            "state": span.state.name(),
            "cause": span.cause.name(),
            "joules": radio.energy(span).map(|energy| energy.as_joules()),
        })
    });
    json!({
        "events": events.collect::<Vec<_>>(),
        "spans": spans.collect::<Vec<_>>(),
    })
}
