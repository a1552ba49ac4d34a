use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use pyo3::prelude::*;

/// A flag that another thread sets to end a run early.
#[pyclass(frozen, from_py_object)]
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends every run that was given this flag.
    fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}

impl Cancel {
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}
