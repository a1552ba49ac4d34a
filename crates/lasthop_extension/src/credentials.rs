use lasthop_dtls::PreSharedKeys;
use lasthop_tls::{CredentialFile, CredentialFiles, Given, KeyKind};
use lasthop_world::UserCredentials;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What the ends of a run show each other in place of what is made from its seed. It is never told.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) presented: UserCredentials,
}

/// A certificate chain and its private key, both in PEM. It has no `Debug`: keys are never printed.
#[derive(FromPyObject)]
pub(crate) struct PemPair {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

/// The certificates of both ends of the runs of a study.
#[derive(FromPyObject)]
struct Certificates {
    server: PemPair,
    /// Host name in the certificate of the server.
    name: String,
    client: Option<PemPair>,
    /// Certificates of the authorities that both ends trust, in PEM.
    roots: Vec<u8>,
    /// Time at which runs start, in seconds since 1970.
    starts: u64,
}

#[pymethods]
impl Credentials {
    /// Reads files and holds them against each other. What is wrong is told with the key of the file in a study.
    #[new]
    #[pyo3(signature = (certificates=None, keys=None))]
    fn new(certificates: Option<Certificates>, keys: Option<&str>) -> PyResult<Self> {
        let keys = keys.map(PreSharedKeys::read).transpose();
        let keys = keys.map_err(|why| PyValueError::new_err(("keys", why.to_string())))?;
        let certificates = certificates.as_ref().map(given).transpose()?;
        Ok(Self {
            presented: UserCredentials { certificates, keys },
        })
    }

    /// A digest of all that is public of them.
    #[getter]
    fn identity(&self) -> String {
        self.presented.identity()
    }

    /// What the server's key is a key of, as stacks have it, where there are certificates.
    #[getter]
    fn key(&self) -> Option<&'static str> {
        let given = self.presented.certificates.as_ref()?;
        Some(match given.key {
            KeyKind::EcdsaP256 => "ecdsa_p256",
            KeyKind::Rsa2048 => "rsa_2048",
            KeyKind::Ed25519 => "ed25519",
        })
    }

    /// How many certificates the server shows, where there are some.
    #[getter]
    fn chain(&self) -> Option<usize> {
        let given = self.presented.certificates.as_ref()?;
        Some(given.server.certificates().len())
    }

    /// Whether there is a key by this name.
    fn knows(&self, name: &str) -> bool {
        let keys = self.presented.keys.as_ref();
        keys.is_some_and(|keys| keys.key_of(name).is_some())
    }
}

fn given(of: &Certificates) -> PyResult<Given> {
    let files = CredentialFiles {
        server: (&of.server.certificate, &of.server.key),
        name: &of.name,
        client: of.client.as_ref().map(|it| (&*it.certificate, &*it.key)),
        roots: &of.roots,
        starts: of.starts,
    };
    Given::read(&files).map_err(|(file, why)| {
        let key = match file {
            CredentialFile::ServerCertificate => "server.certificate",
            CredentialFile::ServerKey => "server.key",
            CredentialFile::ClientCertificate => "client.certificate",
            CredentialFile::ClientKey => "client.key",
            CredentialFile::Roots => "roots",
        };
        PyValueError::new_err((key, why.to_string()))
    })
}
