use lasthop_nbiot::config::{NetworkConfig, NetworkTime};
use pyo3::prelude::*;

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

/// Holds the settings of a network against the tables of 3GPP: `None`, or the field that does not fit and why.
#[pyfunction]
pub(crate) fn nbiot_fault(network_json: &str) -> PyResult<Option<(String, String)>> {
    let network: NetworkConfig =
        serde_json::from_str(network_json).map_err(|e| SpecError::new_err(e.to_string()))?;
    Ok(network.check().err().map(|e| (e.field, e.problem)))
}
