use std::io::{self, PipeWriter, Write};
use std::os::fd::{OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Mutex;

use lasthop_extension::{CaptureError, SpecError};
use lasthop_live::{
    BeforeServer, ControlEnd, EmulationSpec, EmulationSummary, Emulator, EmulatorError,
    of_this_process,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// Carries packets between two ends as a path lets them through, until `stop_fd` can be read or its other end is gone,
/// and tells what there was to tell, as JSON. To `ready_fd` a byte is written when it begins.
#[pyfunction]
#[pyo3(signature = (spec_json, near_fd, far_fd, stop_fd, ready_fd=None))]
pub(crate) fn emulate(
    py: Python<'_>,
    spec_json: &str,
    near_fd: RawFd,
    far_fd: RawFd,
    stop_fd: RawFd,
    ready_fd: Option<RawFd>,
) -> PyResult<String> {
    let spec =
        EmulationSpec::parse(spec_json).map_err(|error| SpecError::new_err(error.to_string()))?;
    let [near, far, stop] = [near_fd, far_fd, stop_fd].map(of_this_process);
    let (near, far, stop) = (near?, far?, stop?);
    let ready = ready_fd.map(of_this_process).transpose()?;
    let refused = go_first(py)?;
    let summary =
        py.detach(|| Emulator::new(&spec, near, far)?.run(stop, || say_ready(ready), None));
    conclude(py, summary, refused)
}

/// Carries what comes to two listeners, of TCP and of UDP, through a path to a server, until `stop_fd` can be read or its
/// other end is gone. `ends` are two devices that the path lies between, where the listeners are behind the far one; without
/// them it lies between a TCP and UDP of ours and another one.
#[pyfunction]
#[pyo3(signature = (spec_json, listeners, server, *, mtu_bytes, stop_fd, ready_fd, control, ends=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the descriptors of a link"
)]
pub(crate) fn emulate_before_server(
    py: Python<'_>,
    spec_json: &str,
    listeners: [RawFd; 2],
    server: &str,
    mtu_bytes: u16,
    stop_fd: RawFd,
    ready_fd: RawFd,
    control: &EmulatorControl,
    ends: Option<[RawFd; 2]>,
) -> PyResult<String> {
    let spec =
        EmulationSpec::parse(spec_json).map_err(|error| SpecError::new_err(error.to_string()))?;
    let server = server
        .parse()
        .map_err(|_| PyValueError::new_err(format!("{server} is no address and port")))?;
    let [tcp, udp] = listeners.map(of_this_process);
    let before = BeforeServer {
        listeners: [tcp?, udp?],
        server,
        mtu_bytes,
    };
    let ends = match ends.map(|ends| ends.map(of_this_process)) {
        Some([near, far]) => Some([near?, far?]),
        None => None,
    };
    let (stop, ready) = (of_this_process(stop_fd)?, of_this_process(ready_fd)?);
    let orders = control.take_end();
    let refused = go_first(py)?;
    let summary = py.detach(|| {
        let emulator = match ends {
            Some(ends) => Emulator::before_server(&spec, ends, before),
            None => Emulator::proxy(&spec, before),
        };
        emulator?.run(stop, || say_ready(Some(ready)), orders)
    });
    conclude(py, summary, refused)
}

/// Gives orders to an emulator at work.
#[pyclass(frozen, module = "lasthop._native")]
pub(crate) struct EmulatorControl {
    control: lasthop_live::EmulatorControl,
    end: Mutex<Option<ControlEnd>>,
}

#[pymethods]
impl EmulatorControl {
    #[new]
    fn new() -> Self {
        let (control, end) = lasthop_live::control();
        Self {
            control,
            end: Mutex::new(Some(end)),
        }
    }

    /// Gives an order as JSON, and waits for the answer; none when the emulator has ended.
    fn ask(&self, py: Python<'_>, order: &str) -> PyResult<Option<String>> {
        py.detach(|| self.control.ask(order))
            .map_err(from_emulator_error)
    }
}

impl EmulatorControl {
    /// The end of the emulator, which the first one takes.
    fn take_end(&self) -> Option<ControlEnd> {
        self.end.lock().ok()?.take()
    }
}

fn say_ready(ready: Option<OwnedFd>) -> io::Result<()> {
    match ready {
        Some(ready) => PipeWriter::from(ready).write_all(b"\n"),
        None => Ok(()),
    }
}

/// Tells what an emulator did, once its thread is scheduled as usual.
fn conclude(
    py: Python<'_>,
    summary: Result<EmulationSummary, EmulatorError>,
    refused: Option<String>,
) -> PyResult<String> {
    if refused.is_none() {
        schedule(py, "SCHED_OTHER", 0)?;
    }
    let summary = summary.map_err(from_emulator_error)?;
    let mut told =
        serde_json::to_value(&summary).map_err(|error| PyValueError::new_err(error.to_string()))?;
    told["real_time"] = refused.is_none().into();
    told["real_time_refused"] = refused.into();
    Ok(told.to_string())
}

/// Puts captures of one interface each, by their names, into one file in the order of time.
#[pyfunction]
pub(crate) fn merge_captures(
    py: Python<'_>,
    interfaces: Vec<(String, PathBuf)>,
    into: PathBuf,
) -> PyResult<()> {
    py.detach(|| lasthop_live::merge_captures(&interfaces, &into))
        .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string())))
}

/// Has this thread run before all others that want the processor; why not, where that is not allowed.
fn go_first(py: Python<'_>) -> PyResult<Option<String>> {
    /// Threads of the kernel have more.
    const PRIORITY: u8 = 10;
    match schedule(py, "SCHED_FIFO", PRIORITY) {
        Ok(()) => Ok(None),
        Err(error) if error.is_instance_of::<PyOSError>(py) => {
            let why = error.value(py).getattr("strerror")?;
            Ok(Some(format!(
                "SCHED_FIFO: {why}; it takes root, CAP_SYS_NICE or ulimit -r {PRIORITY}"
            )))
        }
        Err(error) => Err(error),
    }
}

/// Changes how this thread is scheduled; what it starts is scheduled as usual.
fn schedule(py: Python<'_>, policy: &str, priority: u8) -> PyResult<()> {
    let os = py.import("os")?;
    let policy: i32 = os.getattr(policy)?.extract()?;
    let reset_on_fork: i32 = os.getattr("SCHED_RESET_ON_FORK")?.extract()?;
    let parameters = os.call_method1("sched_param", (priority,))?;
    let this_thread = 0;
    let policy = policy | reset_on_fork;
    os.call_method1("sched_setscheduler", (this_thread, policy, parameters))?;
    Ok(())
}

fn from_emulator_error(error: EmulatorError) -> PyErr {
    match error {
        EmulatorError::Spec(error) => SpecError::new_err(error.to_string()),
        EmulatorError::Capture { path, source } => {
            CaptureError::new_err((source.raw_os_error(), source.to_string(), path))
        }
        EmulatorError::Io(source) => {
            PyOSError::new_err((source.raw_os_error(), source.to_string()))
        }
        EmulatorError::Order(what) => PyValueError::new_err(what),
        stalled @ EmulatorError::Stalled(_) => PyOSError::new_err(stalled.to_string()),
    }
}
