use std::io;

use lasthop_world::RunError;
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};

create_exception!(
    _native,
    SpecError,
    PyValueError,
    "A run spec that describes no run."
);
create_exception!(
    _native,
    CaptureError,
    PyOSError,
    "A capture or the messages of a run could not be written."
);
create_exception!(_native, RunCancelled, PyException, "A run was ended early.");

pub(crate) fn from_run_error(error: RunError) -> PyErr {
    match error {
        RunError::Spec(error) => SpecError::new_err(error.to_string()),
        RunError::Interrupted => RunCancelled::new_err("the run was ended early"),
        RunError::Capture(error) | RunError::Messages(error) => capture_error(&error),
    }
}

pub(crate) fn capture_error(error: &io::Error) -> PyErr {
    CaptureError::new_err((error.raw_os_error(), error.to_string()))
}
