use core::mem;
use core::net::SocketAddr;
use core::num::NonZeroU32;
use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;

use lasthop_coap::{CoapRequest, Code, Example, MessageType};
use lasthop_contract::Established;
use lasthop_live::clients::{Asking, ClientError, CoapWay, MqttSession, ask, publish, subscribe};
use lasthop_live::gateway::LogForm;
use lasthop_live::serve::{AccessError, LIMITS, Limits, Offer, Served};
use lasthop_live::{QuicOffer, secured_server};
use lasthop_mqtt::{Qos, Version};
use lasthop_units::Duration;
use pyo3::exceptions::{PyConnectionError, PyOSError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use lasthop_extension::RunCancelled;

use crate::sockets::credentials::{DtlsClient, DtlsServer, Roots, Tls, Trust};
use crate::sockets::gateway::GatewayData;

/// Ends a server or a client from outside: by a byte at its descriptor, as signals write it.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Stopper {
    ours: UnixStream,
    theirs: UnixStream,
}

#[pymethods]
impl Stopper {
    #[new]
    fn new() -> PyResult<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        theirs.set_nonblocking(true)?;
        Ok(Self { ours, theirs })
    }

    /// The descriptor to write to, for `signal.set_wakeup_fd`.
    #[getter]
    fn descriptor(&self) -> i32 {
        self.theirs.as_raw_fd()
    }
}

/// Who may use a server: users, and rules.
#[pyclass(frozen)]
#[derive(Debug, Default)]
pub(crate) struct Access {
    access: Mutex<lasthop_live::serve::Access>,
}

#[pymethods]
impl Access {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a user by its password.
    fn add_user(&self, name: &str, password: &str) {
        if let Ok(mut access) = self.access.lock() {
            access.add_user(name, password);
        }
    }

    /// Adds the users of a password file.
    fn add_password_file(&self, text: &str) -> PyResult<()> {
        self.add(|access| access.add_password_file(text))
    }

    /// Adds the rules of an ACL file.
    fn add_acl_file(&self, text: &str) -> PyResult<()> {
        self.add(|access| access.add_acl_file(text))
    }

    /// Serves those who show nothing, too.
    fn allow_anonymous(&self) {
        if let Ok(mut access) = self.access.lock() {
            access.allow_anonymous();
        }
    }
}

impl Access {
    fn add(
        &self,
        add: impl FnOnce(&mut lasthop_live::serve::Access) -> Result<(), AccessError>,
    ) -> PyResult<()> {
        let added = self.access.lock().map(|mut access| add(&mut access));
        added
            .unwrap_or(Ok(()))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A server that listens already.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Server {
    server: Mutex<Option<lasthop_live::serve::Server>>,
    addresses: Vec<(String, String)>,
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (services, *, limits, example=None, access, tls=None, clients=None, quic_retry=false, dtls=None, gateway=None, log=None, seed))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is named where it is called"
    )]
    fn new(
        services: Vec<(String, Vec<String>)>,
        limits: BTreeMap<String, u64>,
        example: Option<&str>,
        access: &Access,
        tls: Option<&Tls>,
        clients: Option<&Roots>,
        quic_retry: bool,
        dtls: Option<&DtlsServer>,
        gateway: Option<&GatewayData>,
        log: Option<&str>,
        seed: u64,
    ) -> PyResult<Self> {
        let services = services.iter().map(|(served, addresses)| {
            let addresses = addresses.iter().map(|text| address_of(text));
            Ok((served_of(served)?, addresses.collect::<PyResult<_>>()?))
        });
        let services: Vec<(Served, Vec<SocketAddr>)> = services.collect::<PyResult<_>>()?;
        let served: Vec<Served> = services.iter().map(|(served, _)| *served).collect();
        let mut set = Limits::default();
        for (name, value) in &limits {
            set.set(&served, name, *value)
                .map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        let access = access
            .access
            .lock()
            .map(|mut access| mem::take(&mut *access));
        let clients = || clients.map(|clients| clients.roots.clone());
        let offer = Offer {
            limits: set,
            example: example.map(example_of).transpose()?,
            access: access.unwrap_or_default(),
            secured: tls.map(|tls| secured_server(tls.chain.clone(), clients())),
            quic: tls.map(|tls| QuicOffer::new(tls.chain.clone(), clients(), quic_retry)),
            dtls: dtls.map(|dtls| dtls.profile.clone()),
            gateway: gateway.map(GatewayData::store).transpose()?,
            gateway_log: log.map(log_form_of).transpose()?,
            gateway_calendar: None,
        };
        let server =
            lasthop_live::serve::Server::bind(&services, offer, seed).map_err(|error| {
                let (source, address) = (error.source, error.address.to_string());
                PyOSError::new_err((source.raw_os_error(), source.to_string(), address))
            })?;
        let addresses = server.addresses();
        let addresses =
            addresses.map(|(served, address)| (served.name().to_owned(), address.to_string()));
        Ok(Self {
            addresses: addresses.collect(),
            server: Mutex::new(Some(server)),
        })
    }

    /// What it serves where.
    #[getter]
    fn addresses(&self) -> Vec<(String, String)> {
        self.addresses.clone()
    }

    /// Serves until the stopper says that it is enough; once.
    fn run(&self, py: Python<'_>, stopper: &Stopper) -> PyResult<()> {
        let server = self.server.lock().ok().and_then(|mut server| server.take());
        let server = server.ok_or_else(|| PyValueError::new_err("it has been run"))?;
        py.detach(|| {
            server
                .run(&stopper.ours)
                .map_err(|error| from_io_error(&error))
        })
    }
}

fn log_form_of(name: &str) -> PyResult<LogForm> {
    match name {
        "text" => Ok(LogForm::Text),
        "json" => Ok(LogForm::Json),
        _ => Err(PyValueError::new_err(format!(
            "\"{name}\" is neither text nor json"
        ))),
    }
}

/// The limits of servers, as a JSON list.
#[pyfunction]
pub(crate) fn serve_limits() -> String {
    let rows = LIMITS.iter().map(|limit| {
        serde_json::json!({
            "name": limit.name,
            "servers": limit.of.iter().map(|served| served.name()).collect::<Vec<_>>(),
            "default": limit.default,
            "unit": limit.unit,
            "meaning": limit.meaning,
        })
    });
    serde_json::Value::from_iter(rows).to_string()
}

/// Publishes one message in each of so many sessions, and tells how the connection of each came about.
#[pyfunction]
#[pyo3(signature = (server, topic, payload, *, qos, version, client_id, user, retain, trust=None, web_host=None, by_quic=false, sessions=1, timeout_s, seed, stopper))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is named where it is called"
)]
pub(crate) fn mqtt_publish(
    py: Python<'_>,
    server: &str,
    topic: &str,
    payload: Vec<u8>,
    qos: u8,
    version: &str,
    client_id: &str,
    user: Option<UserAndPassword>,
    retain: bool,
    trust: Option<&Trust>,
    web_host: Option<&str>,
    by_quic: bool,
    sessions: u32,
    timeout_s: Option<f64>,
    seed: u64,
    stopper: &Stopper,
) -> PyResult<Vec<&'static str>> {
    let sessions = NonZeroU32::new(sessions).unwrap_or(NonZeroU32::MIN);
    let asking = asking(server, timeout_s, seed, stopper)?;
    let session = MqttSession {
        retain,
        secured: trust.map(|trust| &trust.client),
        quic: trust.filter(|_| by_quic).map(|trust| &trust.quic),
        web_host,
        ..session(topic, qos, version, client_id, user.as_ref())?
    };
    let established = py.detach(|| publish(&asking, &session, payload, sessions));
    let established = established.map_err(from_client_error)?;
    Ok(established.into_iter().map(name_of).collect())
}

const fn name_of(established: Established) -> &'static str {
    match established {
        Established::Full => "full",
        Established::Resumed => "resumed",
        Established::Early => "early",
    }
}

/// Gives topic and body of each message of a filter to `take`, until that answers false.
#[pyfunction]
#[pyo3(signature = (server, topic, take, *, qos, version, client_id, user, trust=None, web_host=None, by_quic=false, timeout_s, seed, stopper))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is named where it is called"
)]
pub(crate) fn mqtt_subscribe(
    py: Python<'_>,
    server: &str,
    topic: &str,
    take: Py<PyAny>,
    qos: u8,
    version: &str,
    client_id: &str,
    user: Option<UserAndPassword>,
    trust: Option<&Trust>,
    web_host: Option<&str>,
    by_quic: bool,
    timeout_s: Option<f64>,
    seed: u64,
    stopper: &Stopper,
) -> PyResult<()> {
    let asking = asking(server, timeout_s, seed, stopper)?;
    let session = MqttSession {
        secured: trust.map(|trust| &trust.client),
        quic: trust.filter(|_| by_quic).map(|trust| &trust.quic),
        web_host,
        ..session(topic, qos, version, client_id, user.as_ref())?
    };
    let wants_more = move |topic: &str, payload: &[u8]| {
        Python::attach(|py| wants_more(py, take.call1(py, (topic, PyBytes::new(py, payload)))))
    };
    py.detach(|| subscribe(&asking, &session, wants_more))
        .map_err(from_client_error)?;
    fault_of_callback(py)
}

/// Sends one request; gives code, body and format of each answer to `take`, until that answers false.
#[pyfunction]
#[pyo3(signature = (server, method, path, take, *, query, payload, content_format, accept, observe, confirmable,
                    by_tcp, trust=None, dtls=None, timeout_s, seed, stopper))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is named where it is called"
)]
pub(crate) fn coap_request(
    py: Python<'_>,
    server: &str,
    method: &str,
    path: &str,
    take: Py<PyAny>,
    query: Vec<String>,
    payload: Vec<u8>,
    content_format: Option<u16>,
    accept: Option<u16>,
    observe: bool,
    confirmable: bool,
    by_tcp: bool,
    trust: Option<&Trust>,
    dtls: Option<&DtlsClient>,
    timeout_s: Option<f64>,
    seed: u64,
    stopper: &Stopper,
) -> PyResult<()> {
    let asking = asking(server, timeout_s, seed, stopper)?;
    let code = match method {
        "get" => Code::GET,
        "post" => Code::POST,
        "put" => Code::PUT,
        "delete" => Code::DELETE,
        other => return Err(PyValueError::new_err(format!("{other} is no method"))),
    };
    let way = if by_tcp {
        CoapWay::Streams(trust.map(|trust| &trust.client))
    } else {
        CoapWay::Datagrams(dtls.map(|dtls| &dtls.profile))
    };
    let kind = if confirmable {
        MessageType::Confirmable
    } else {
        MessageType::NonConfirmable
    };
    let request = CoapRequest {
        query,
        payload,
        content_format,
        accept,
        observe,
        ..CoapRequest::new(kind, code, path)
    };
    py.detach(|| {
        ask(&asking, way, request, move |answer| {
            Python::attach(|py| {
                let code = format!("{:?}", answer.code);
                let payload = PyBytes::new(py, answer.payload);
                wants_more(py, take.call1(py, (code, payload, answer.content_format)))
            })
        })
    })
    .map_err(from_client_error)?;
    fault_of_callback(py)
}

/// What a callback answers; one that fails wants no more, and its error waits for the caller.
fn wants_more(py: Python<'_>, answer: PyResult<Py<PyAny>>) -> bool {
    answer
        .and_then(|answer| answer.is_truthy(py))
        .unwrap_or_else(|error| {
            error.restore(py);
            false
        })
}

fn fault_of_callback(py: Python<'_>) -> PyResult<()> {
    PyErr::take(py).map_or(Ok(()), Err)
}

fn asking<'a>(
    server: &str,
    timeout_s: Option<f64>,
    seed: u64,
    stopper: &'a Stopper,
) -> PyResult<Asking<'a>> {
    Ok(Asking {
        server: address_of(server)?,
        patience: timeout_s.map(|seconds| Duration::from_secs(1).scaled(seconds)),
        stop: stopper.ours.as_fd(),
        seed,
    })
}

type UserAndPassword = (String, Option<String>);

fn session<'a>(
    topic: &'a str,
    qos: u8,
    version: &str,
    client_id: &'a str,
    user: Option<&'a UserAndPassword>,
) -> PyResult<MqttSession<'a>> {
    Ok(MqttSession {
        version: match version {
            "3.1.1" => Version::V3_1_1,
            "5" => Version::V5,
            other => return Err(PyValueError::new_err(format!("there is no MQTT {other}"))),
        },
        qos: Qos::from_number(qos).ok_or_else(|| PyValueError::new_err("QoS is 0, 1 or 2"))?,
        client_id,
        user: user.map(|(name, password)| (&**name, password.as_deref())),
        retain: false,
        topic,
        secured: None,
        quic: None,
        web_host: None,
    })
}

fn served_of(name: &str) -> PyResult<Served> {
    let mut all = Served::ALL.into_iter();
    all.find(|known| known.name() == name)
        .ok_or_else(|| PyValueError::new_err(format!("{name} cannot be served")))
}

fn example_of(name: &str) -> PyResult<Example> {
    match name {
        "plugtest" => Ok(Example::Plugtest),
        other => Err(PyValueError::new_err(format!(
            "no example is called {other}"
        ))),
    }
}

fn address_of(text: &str) -> PyResult<SocketAddr> {
    text.parse()
        .map_err(|_| PyValueError::new_err(format!("{text} is no IP address and port")))
}

fn from_client_error(error: ClientError) -> PyErr {
    match error {
        ClientError::Io(error) => from_io_error(&error),
        ClientError::Refused(text) => PyConnectionError::new_err(text),
        ClientError::NoAnswer => PyTimeoutError::new_err("no answer in time"),
        ClientError::Stopped => RunCancelled::new_err("stopped"),
    }
}

fn from_io_error(error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), error.to_string()))
}
