use lasthop_nbiot::config::{Attach, ConfigError, NetworkConfig, NetworkTime};
use pyo3::prelude::*;
use serde_json::Value;

use lasthop_extension::SpecError;

/// The whole settings of a network by name, as JSON: `larmo_2019`, or `single_device` behind a coupling loss of 154 dB.
#[pyfunction]
pub(crate) fn nbiot_preset(name: &str) -> PyResult<String> {
    let preset = match name {
        "larmo_2019" => NetworkConfig::larmo_2019(),
        "single_device" => NetworkConfig::measured_single_device(154.0),
        _ => return Err(SpecError::new_err(format!("no network is called {name}"))),
    };
    serde_json::to_string(&preset).map_err(|e| SpecError::new_err(e.to_string()))
}

/// How long base station, core and module take by name, as JSON.
#[pyfunction]
pub(crate) fn nbiot_network_time(name: &str) -> PyResult<String> {
    let time = match name {
        "ideal" => NetworkTime::IDEAL,
        "operator_norway_2019" => NetworkTime::OPERATOR_NORWAY_2019,
        "operator_south_africa_2019" => NetworkTime::OPERATOR_SOUTH_AFRICA_2019,
        _ => {
            return Err(SpecError::new_err(format!(
                "no network time is called {name}"
            )));
        }
    };
    serde_json::to_string(&time).map_err(|e| SpecError::new_err(e.to_string()))
}

/// The timers and limits of a usual registration, as JSON.
#[pyfunction]
pub(crate) fn nbiot_attach() -> PyResult<String> {
    serde_json::to_string(&Attach::usual()).map_err(|e| SpecError::new_err(e.to_string()))
}

/// A setting that no network may have. Python makes the sentence.
#[derive(Debug, PartialEq, Eq, IntoPyObject)]
pub(crate) struct NbiotFault {
    /// `not_allowed` if a 3GPP table excludes the value, `too_large` if its field cannot hold it.
    code: &'static str,
    /// The field, for example `levels[1].nprach.period_ms`.
    field: String,
    /// The problem; of `too_large` the value.
    problem: String,
    remedy: Option<String>,
}

/// Checks the settings of a network against the 3GPP tables and returns the first fault.
#[pyfunction]
pub(crate) fn nbiot_fault(network_json: &str) -> PyResult<Option<NbiotFault>> {
    match serde_json::from_str::<NetworkConfig>(network_json) {
        Ok(network) => Ok(network.check().err().map(not_allowed)),
        Err(error) => match too_large(network_json) {
            Some(fault) => Ok(Some(fault)),
            None => Err(SpecError::new_err(error.to_string())),
        },
    }
}

fn not_allowed(error: ConfigError) -> NbiotFault {
    let (problem, remedy) = match error.problem.split_once("; ") {
        Some((problem, remedy)) => (problem.to_owned(), Some(remedy.to_owned())),
        None => (error.problem, None),
    };
    NbiotFault {
        code: "not_allowed",
        field: error.field,
        problem,
        remedy,
    }
}

/// Returns the number that its field cannot hold: with all numbers up to it replaced by 1, the settings can be read.
fn too_large(network_json: &str) -> Option<NbiotFault> {
    let mut settings: Value = serde_json::from_str(network_json).ok()?;
    let mut numbers = Vec::new();
    find_numbers(&settings, "", "", &mut numbers);
    numbers.into_iter().find_map(|(pointer, field)| {
        let number = settings.pointer_mut(&pointer)?;
        let problem = number.to_string();
        *number = 1.into();
        let can_be_read = serde_json::from_value::<NetworkConfig>(settings.clone()).is_ok();
        can_be_read.then_some(NbiotFault {
            code: "too_large",
            field,
            problem,
            remedy: None,
        })
    })
}

/// Adds the JSON pointer and the field of every whole number. Numbers of a list have the field of the list.
fn find_numbers(value: &Value, pointer: &str, field: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                let field = match field {
                    "" => key.clone(),
                    _ => format!("{field}.{key}"),
                };
                find_numbers(inner, &format!("{pointer}/{key}"), &field, found);
            }
        }
        Value::Array(items) => {
            for (place, inner) in items.iter().enumerate() {
                let field = match inner.is_number() {
                    true => field.to_owned(),
                    false => format!("{field}[{place}]"),
                };
                find_numbers(inner, &format!("{pointer}/{place}"), &field, found);
            }
        }
        Value::Number(number) if number.is_u64() => {
            found.push((pointer.to_owned(), field.to_owned()));
        }
        _ => {}
    }
}
