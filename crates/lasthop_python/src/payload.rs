use lasthop_extension::SpecError;
use lasthop_traffic::{Encoding, PayloadTemplate};
use pyo3::prelude::*;

/// What a message of these fields, a JSON object, takes in bytes: as `json`, `cbor` or `protobuf`, deflated or not.
#[pyfunction]
pub(crate) fn encoded_bytes(fields: &str, encoding: &str, deflate: bool) -> PyResult<u64> {
    let encoding = match encoding {
        "json" => Encoding::Json,
        "cbor" => Encoding::Cbor,
        "protobuf" => Encoding::Protobuf,
        _ => {
            return Err(SpecError::new_err(format!(
                "no encoding is called {encoding}"
            )));
        }
    };
    let template = PayloadTemplate::encoded(fields, 1, encoding, deflate)
        .map_err(|e| SpecError::new_err(e.to_string()))?;
    Ok(template.size().as_bytes())
}
