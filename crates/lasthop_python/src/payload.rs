use lasthop_extension::SpecError;
use lasthop_traffic::{Encoding, PayloadTemplate};
use pyo3::prelude::*;

/// What a message of these fields, a JSON object, takes in bytes: as `json`, `cbor` or `protobuf`, deflated or not.
#[pyfunction]
pub(crate) fn encoded_bytes(fields: &str, encoding: &str, deflate: bool) -> PyResult<u64> {
    let encoding: Encoding =
        serde_json::from_value(encoding.into()).map_err(|e| SpecError::new_err(e.to_string()))?;
    let template = PayloadTemplate::encoded(fields, 1, encoding, deflate)
        .map_err(|e| SpecError::new_err(e.to_string()))?;
    Ok(template.size().as_bytes())
}
