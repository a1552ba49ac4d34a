use lasthop_tls::{CredentialFile, CredentialFiles, Given, KeyKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What the ends of a run show each other in place of what is made from its seed, as PEM. It is never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) given: Given,
}

/// A chain of certificates and its key.
type Shown = (Vec<u8>, Vec<u8>);

#[pymethods]
impl Credentials {
    /// Reads files and holds them against each other. What is wrong is told with the key of the file in a study.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "Python hands bytes over")]
    fn new(
        server: Shown,
        name: &str,
        client: Option<Shown>,
        roots: Vec<u8>,
        starts: u64,
    ) -> PyResult<Self> {
        let files = CredentialFiles {
            server: (&server.0, &server.1),
            name,
            client: client.as_ref().map(|it| (&it.0[..], &it.1[..])),
            roots: &roots,
            starts,
        };
        let given = Given::read(&files);
        let given = given.map_err(|(file, why)| {
            let key = match file {
                CredentialFile::ServerCertificate => "server.certificate",
                CredentialFile::ServerKey => "server.key",
                CredentialFile::ClientCertificate => "client.certificate",
                CredentialFile::ClientKey => "client.key",
                CredentialFile::Roots => "roots",
            };
            PyValueError::new_err((key, why.to_string()))
        })?;
        Ok(Self { given })
    }

    /// A digest of all that is public of them.
    #[getter]
    fn identity(&self) -> &str {
        self.given.identity()
    }

    /// What the server's key is a key of, as stacks have it.
    #[getter]
    fn key(&self) -> &'static str {
        match self.given.key {
            KeyKind::EcdsaP256 => "ecdsa_p256",
            KeyKind::Rsa2048 => "rsa_2048",
            KeyKind::Ed25519 => "ed25519",
        }
    }

    /// How many certificates the server shows.
    #[getter]
    fn chain(&self) -> usize {
        self.given.server.certificates().len()
    }
}
