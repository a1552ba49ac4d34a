use lasthop_measure::{ArrowField, ArrowType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The schema message of Arrow IPC for these columns: the name, the type and the unit of each.
#[pyfunction]
pub(crate) fn arrow_schema<'py>(
    py: Python<'py>,
    columns: Vec<(String, String, Option<String>)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let fields: Vec<ArrowField> = columns
        .into_iter()
        .map(|(name, kind, unit)| {
            let kind = match &*kind {
                "bool" => ArrowType::Boolean,
                "int32" => ArrowType::Int32,
                "int64" => ArrowType::Int64,
                "float64" => ArrowType::Float64,
                "string" => ArrowType::Text,
                other => {
                    return Err(PyValueError::new_err(format!("{name}: no type {other}")));
                }
            };
            Ok(ArrowField { name, kind, unit })
        })
        .collect::<PyResult<_>>()?;
    Ok(PyBytes::new(py, &lasthop_measure::arrow_schema(&fields)))
}
