use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lasthop_contract::{logging_events, noting_keys};
use lasthop_measure::{Capture, MessageFiles, Store};
use lasthop_world::{EngineSpec, Observe, Registry, RunSpec, Simulated};
#[cfg(not(feature = "sockets"))]
use pyo3::exceptions::PyRuntimeError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cancel::Cancel;
use crate::credentials::Credentials;
use crate::errors::{CaptureError, RunCancelled, SpecError, capture_error, from_run_error};
use crate::explain::explain;
use crate::outside::{GuestOfPython, Outside};
use crate::run_tables::RunTables;
use crate::servers::{outside_servers, server_files};

// A run makes and drops much that is small.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Of messages that have ended; they take about 8 MB.
const MOST_MESSAGES_IN_MEMORY: usize = 1 << 16;

/// What the stacks of this module's runs are made of: each native module has its own copy of this crate.
static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// Puts into a native module what `lasthop` asks of one: runs, time lines and the catalogue of this registry.
///
/// # Errors
/// Those of Python, when the module takes nothing more.
pub fn offer(module: &Bound<'_, PyModule>, registry: Registry) -> PyResult<()> {
    REGISTRY.get_or_init(|| registry);
    module.add_class::<Cancel>()?;
    module.add_class::<Credentials>()?;
    module.add_class::<RunTables>()?;
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(outside_servers, module)?)?;
    module.add_function(wrap_pyfunction!(server_files, module)?)?;
    module.add_function(wrap_pyfunction!(stack_catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    let py = module.py();
    module.add("SpecError", py.get_type::<SpecError>())?;
    module.add("CaptureError", py.get_type::<CaptureError>())?;
    module.add("RunCancelled", py.get_type::<RunCancelled>())
}

/// Runs a spec on the clock that it names. `captures` names the file of each host whose packets are kept, and as `keys` that
/// of the secrets of their sessions, and as `HOST.sqlog` those of what happens in a host's connections of QUIC; `messages` that
/// of their table where they are too many for memory; the table is empty then. `devices` are the descriptors behind which
/// the servers are that are real software, by the numbers of these in the run; `guest` is how clients make themselves known
/// to servers under load: what their names begin with, a user and a password; `credentials` are what a spec names that has some.
#[pyfunction]
#[pyo3(signature = (spec_json, *, run_id, captures=None, messages=None, devices=None, guest=None, credentials=None, cancel=None))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of Python")]
fn simulate(
    py: Python<'_>,
    spec_json: &str,
    run_id: &str,
    captures: Option<BTreeMap<String, PathBuf>>,
    messages: Option<PathBuf>,
    devices: Option<BTreeMap<u32, i32>>,
    guest: Option<GuestOfPython>,
    credentials: Option<&Bound<'_, Credentials>>,
    cancel: Option<Cancel>,
) -> PyResult<RunTables> {
    let cancel = cancel.unwrap_or_default();
    #[cfg_attr(
        not(feature = "sockets"),
        expect(unused_variables, reason = "only sockets lead outside")
    )]
    let outside = Outside {
        devices: devices.unwrap_or_default(),
        guest,
    };
    let given = credentials.map(|it| it.get().presented.clone());
    let mut captures = captures;
    let keys = captures.as_mut().and_then(|files| files.remove(KEYS));
    let events: BTreeMap<_, _> = captures
        .iter_mut()
        .flat_map(|files| files.extract_if(.., |name, _| name.ends_with(EVENTS)))
        .collect();
    let run = move || {
        let mut spec = RunSpec::parse(spec_json).map_err(|e| SpecError::new_err(e.to_string()))?;
        spec.given = given;
        let observe = Observe {
            capture: captures
                .map(|files| capture_to(&spec, &files))
                .transpose()?,
            message: None,
            messages: messages.map(|table| messages_to(run_id, table)),
        };
        let simulated = match spec.engine {
            EngineSpec::Virtual => Simulated::run_with(registry(), &spec, observe, cancel.flag())
                .map_err(from_run_error),
            #[cfg(feature = "sockets")]
            _ => outside.run(registry(), &spec, observe, cancel.flag()),
            #[cfg(not(feature = "sockets"))]
            _ => Err(PyRuntimeError::new_err(
                "this build of lasthop has no sockets",
            )),
        };
        Ok(RunTables::new(&simulated?, run_id))
    };
    py.detach(|| match keys {
        None => run(),
        Some(path) => {
            let open = move |host: &str| {
                let path = events.get(&format!("{host}{EVENTS}"))?;
                Some(event_log(path))
            };
            let ((tables, keys), written) = logging_events(open, || noting_keys(run));
            write_keys(&path, &keys)
                .and(written)
                .map_err(|error| capture_error(&error))?;
            tables
        }
    })
}

/// What the secrets of sessions are called among the captures; hosts have a number.
const KEYS: &str = "keys";

/// What the name of a host ends with among the captures where its file is for the events of its sessions.
const EVENTS: &str = ".sqlog";

/// A file that nobody else can read.
fn write_keys(path: &Path, keys: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    file.write_all(keys.as_bytes())
}

/// Where the events of a host's sessions go.
#[expect(
    clippy::disallowed_types,
    reason = "this crate is the boundary: what is captured goes to files"
)]
fn event_log(path: &Path) -> io::Result<Box<dyn Write>> {
    Ok(Box::new(BufWriter::new(fs::File::create(path)?)))
}

/// The applications and layers of stacks with their options, as JSON.
#[pyfunction]
fn stack_catalogue() -> String {
    registry().catalogue().to_string()
}

/// The version of lasthop that the module is made with.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// A capture into the file of each host.
#[expect(
    clippy::disallowed_types,
    reason = "this crate is the boundary: a capture goes to files"
)]
fn capture_to(spec: &RunSpec, files: &BTreeMap<String, PathBuf>) -> PyResult<Capture> {
    let mut open = Vec::with_capacity(files.len());
    for (host, path) in files {
        let captured = spec
            .host_named(host)
            .ok_or_else(|| PyValueError::new_err(format!("\"{host}\" is no host of the run")))?;
        let file = fs::File::create(path).map_err(|error| capture_error(&error))?;
        let out: Box<dyn Write> = Box::new(BufWriter::new(file));
        open.push((captured, host.as_str().into(), out));
    }
    Ok(Capture::new(open))
}

/// Files for the messages of a run: their table, and one that vanishes with the process.
#[expect(
    clippy::disallowed_types,
    reason = "this crate is the boundary: messages go to files"
)]
fn messages_to(run_id: &str, table: PathBuf) -> MessageFiles {
    let spill = table.with_extension("spill.tmp");
    MessageFiles {
        run_id: run_id.into(),
        most_in_memory: MOST_MESSAGES_IN_MEMORY,
        spill: Box::new(move || {
            let mut options = fs::OpenOptions::new();
            let file = options
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(&spill)?;
            fs::remove_file(&spill)?;
            Ok(Box::new(file) as Box<dyn Store>)
        }),
        table: Box::new(move || {
            let file = fs::File::create(table)?;
            Ok(Box::new(BufWriter::new(file)) as Box<dyn Write>)
        }),
    }
}

pub(crate) fn registry() -> &'static Registry {
    REGISTRY.get_or_init(Registry::standard)
}
