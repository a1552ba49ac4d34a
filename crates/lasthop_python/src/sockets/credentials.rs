//! What ends on sockets show each other. None of it is ever told.

use lasthop_dtls::{PreSharedKey, PreSharedKeys, Version};
use lasthop_live::{
    certified_client, certified_server, keyed_client, keyed_server, quic_client, secured_client,
};
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
    #[pyo3(signature = (roots, server, presented=None))]
    fn new(roots: &Roots, server: &str, presented: Option<&Tls>) -> PyResult<Self> {
        let presented = || presented.map(|presented| presented.chain.clone());
        let client = secured_client(server, roots.roots.clone(), presented());
        let client = client.map_err(PyValueError::new_err)?;
        let quic = quic_client(server, roots.roots.clone(), presented());
        let quic = quic.map_err(PyValueError::new_err)?;
        Ok(Self { client, quic })
    }
}

/// How a server is secured by DTLS. What it stands on is never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct DtlsServer {
    pub(crate) profile: lasthop_dtls::ServerProfile,
}

#[pymethods]
impl DtlsServer {
    /// By the keys of a file, which it shares with its clients.
    #[staticmethod]
    fn of_keys(text: &str) -> PyResult<Self> {
        let keys = PreSharedKeys::read(text);
        let keys = keys.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            profile: keyed_server(keys),
        })
    }

    /// By a certificate; with roots it serves those alone who show one that leads to them.
    #[staticmethod]
    fn of_certificate(version: &str, presented: &Tls, clients: Option<&Roots>) -> PyResult<Self> {
        let clients = clients.map(|clients| clients.roots.clone());
        let profile = certified_server(version_of(version)?, presented.chain.clone(), clients);
        Ok(Self {
            profile: profile.map_err(PyValueError::new_err)?,
        })
    }
}

/// How a client is secured by DTLS. What it stands on is never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct DtlsClient {
    pub(crate) profile: lasthop_dtls::ClientProfile,
}

#[pymethods]
impl DtlsClient {
    /// By the first key of a file, which its server knows.
    #[staticmethod]
    fn of_key(text: &str) -> PyResult<Self> {
        let key = PreSharedKey::read(text);
        let key = key.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            profile: keyed_client(key),
        })
    }

    /// By certificates: it believes who has a chain to one of these roots and is called so.
    #[staticmethod]
    fn of_certificates(
        version: &str,
        roots: &Roots,
        server: &str,
        presented: Option<&Tls>,
    ) -> PyResult<Self> {
        let presented = presented.map(|presented| presented.chain.clone());
        let profile =
            certified_client(version_of(version)?, server, roots.roots.clone(), presented);
        Ok(Self {
            profile: profile.map_err(PyValueError::new_err)?,
        })
    }
}

fn version_of(text: &str) -> PyResult<Version> {
    match text {
        "1.2" => Ok(Version::V1_2),
        "1.3" => Ok(Version::V1_3),
        _ => Err(PyValueError::new_err(format!("no version {text} of DTLS"))),
    }
}
