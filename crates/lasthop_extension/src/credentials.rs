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

/// A chain of certificates and its key, PEM.
type Presented = (Vec<u8>, Vec<u8>);

/// What servers show, their name, what clients show, the roots of both, and when runs start.
type Certificates = (Presented, String, Option<Presented>, Vec<u8>, u64);

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

fn given((server, name, client, roots, starts): &Certificates) -> PyResult<Given> {
    let files = CredentialFiles {
        server: (&server.0, &server.1),
        name,
        client: client.as_ref().map(|it| (&it.0[..], &it.1[..])),
        roots,
        starts: *starts,
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
