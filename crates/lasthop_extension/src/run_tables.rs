use lasthop_world::Simulated;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The tables of a run, each an Arrow IPC stream.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct RunTables {
    tables: lasthop_measure::RunTables,
}

impl RunTables {
    pub(crate) fn new(simulated: &Simulated, run_id: &str) -> Self {
        Self {
            tables: simulated.tables(run_id),
        }
    }
}

#[pymethods]
impl RunTables {
    /// One row: how the run went.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.summary)
    }

    /// A row a message.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.messages)
    }

    /// Bytes by direction, fate, layer and cause.
    #[getter]
    fn ledger<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.ledger)
    }

    /// Packets by direction and fate.
    #[getter]
    fn packets<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.packets)
    }

    /// The latency histogram.
    #[getter]
    fn latency<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.latency)
    }

    /// A row for each flow of each part of a group.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.groups)
    }

    /// What devices pay, by what it is for.
    #[getter]
    fn bills<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.bills)
    }

    /// What each device pays.
    #[getter]
    fn sims<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.tables.sims)
    }
}
