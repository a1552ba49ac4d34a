//! What ends on sockets show each other. None of it is ever told.

use lasthop_dtls::{PreSharedKey, PreSharedKeys};
use lasthop_live::{keyed_client, quic_client, secured_client};
use lasthop_quic::QuicClient;
use lasthop_tls::{Chain, ClientProfile, RootCertStore, roots_of_pem};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What an end shows to be believed: a chain of certificates and its key, as PEM. It is never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Tls {
    pub(crate) chain: Chain,
}

#[pymethods]
impl Tls {
    #[new]
    fn new(certificates: &[u8], key: &[u8]) -> PyResult<Self> {
        let chain = Chain::of_pem(certificates, key);
        let chain = chain.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { chain })
    }
}

/// Whom an end believes: who has a chain to one of these certificates, as PEM.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Roots {
    pub(crate) roots: RootCertStore,
}

#[pymethods]
impl Roots {
    #[new]
    fn new(certificates: &[u8]) -> PyResult<Self> {
        let roots = roots_of_pem(certificates);
        let roots = roots.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { roots })
    }
}

/// Whom a client believes: who has a chain to one of these roots, and is called so. To one that asks it shows its own chain.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Trust {
    pub(crate) client: ClientProfile,
    pub(crate) quic: QuicClient,
}

#[pymethods]
impl Trust {
    #[new]
    #[pyo3(signature = (roots, server, shown=None))]
    fn new(roots: &Roots, server: &str, shown: Option<&Tls>) -> PyResult<Self> {
        let shown = || shown.map(|shown| shown.chain.clone());
        let client = secured_client(server, roots.roots.clone(), shown());
        let client = client.map_err(PyValueError::new_err)?;
        let quic = quic_client(server, roots.roots.clone(), shown());
        let quic = quic.map_err(PyValueError::new_err)?;
        Ok(Self { client, quic })
    }
}

/// The keys that a server shares with its clients. They are never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) keys: PreSharedKeys,
}

#[pymethods]
impl Keys {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let keys = PreSharedKeys::read(text);
        let keys = keys.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { keys })
    }
}

/// The key that a client shares with its server: the first one of a file of keys. It is never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) client: lasthop_dtls::ClientProfile,
}

#[pymethods]
impl Key {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let key = PreSharedKey::read(text);
        let key = key.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            client: keyed_client(key),
        })
    }
}
