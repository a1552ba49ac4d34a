//! The data of a device gateway, for Python.

use std::path::PathBuf;
use std::sync::Mutex;

use lasthop_gateway::{Attaches, DevicePath, LONGEST_LIFE, UnixTime};
use lasthop_jwt::TokenKey;
use lasthop_live::gateway::{
    Administration, DataPlace, DurableStore, GatewayError, PostgresNames, PostgresSecurity,
    Revoking, Trim, new_key,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// Where the data of a gateway are.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct GatewayData {
    place: DataPlace,
}

#[pymethods]
impl GatewayData {
    /// A folder, made where there is none.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn new(folder: PathBuf) -> PyResult<Self> {
        let place = DataPlace::folder(&folder).map_err(|error| raised(&error))?;
        Ok(Self { place })
    }

    /// A database of a server of PostgreSQL, secured by a `sslmode` of libpq; authorities are PEM.
    #[staticmethod]
    #[pyo3(signature = (*, host, port, user, database, password, security, authorities))]
    fn on_postgres(
        host: &str,
        port: u16,
        user: &str,
        database: &str,
        password: Option<&str>,
        security: &str,
        authorities: &[u8],
    ) -> PyResult<Self> {
        let names = PostgresNames {
            host,
            port,
            user,
            database,
            password,
            security: security_of(security, authorities)?,
        };
        let place = DataPlace::postgres(&names).map_err(|error| raised(&error))?;
        Ok(Self { place })
    }
}

fn security_of<'a>(name: &str, authorities: &'a [u8]) -> PyResult<PostgresSecurity<'a>> {
    Ok(match name {
        "disable" => PostgresSecurity::Disable,
        "prefer" => PostgresSecurity::Prefer,
        "require" => PostgresSecurity::Require,
        "verify-ca" => PostgresSecurity::VerifyCa(authorities),
        "verify-full" => PostgresSecurity::VerifyFull(authorities),
        _ => return Err(PyValueError::new_err("it is secured in another way")),
    })
}

impl GatewayData {
    /// What a server has of it.
    pub(crate) fn store(&self) -> PyResult<DurableStore> {
        DurableStore::open(&self.place).map_err(|error| raised(&error))
    }
}

/// What is done to the data of a gateway beside its server. Whatever cannot be done is a `ValueError` where it should not have
/// been asked, an `OSError` where the machine does not let it.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct GatewayAdministration {
    administration: Mutex<Administration>,
}

/// The place of a message, the device, seconds since 1970, its kind, its folder and what it says.
type Row = (u64, String, u64, &'static str, String, Vec<u8>);

/// What a device is listed with.
type Listed = (
    String,
    Vec<&'static str>,
    u64,
    Option<&'static str>,
    Vec<String>,
    bool,
);

#[pymethods]
impl GatewayAdministration {
    #[new]
    fn new(data: &GatewayData) -> PyResult<Self> {
        let administration = Administration::open(&data.place).map_err(|error| raised(&error))?;
        Ok(Self {
            administration: Mutex::new(administration),
        })
    }

    /// The same for `trim_log`, on a disk that may be full.
    #[staticmethod]
    fn to_trim(data: &GatewayData) -> PyResult<Self> {
        let administration = Administration::open_to_trim(&data.place);
        let administration = administration.map_err(|error| raised(&error))?;
        Ok(Self {
            administration: Mutex::new(administration),
        })
    }

    /// Adds a device, or replaces its keys and what it may attach; whether it is new.
    #[pyo3(signature = (path, pems, attaches, *, keep))]
    fn put_device(
        &self,
        path: &str,
        pems: Vec<String>,
        attaches: Option<&str>,
        keep: bool,
    ) -> PyResult<bool> {
        let attaches = attaches.map(attaches_of).transpose()?;
        self.with(|it| it.put_device(path, &pems, attaches, revoking(keep)))
    }

    /// Adds devices with their keys, or replaces them, all or none; how many are new. `tell` is called with how many are done.
    #[pyo3(signature = (devices, *, keep, tell))]
    fn put_devices(
        &self,
        devices: Vec<(String, Vec<String>)>,
        keep: bool,
        tell: Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let mut interrupted = None;
        let mut tell = |done: usize| {
            tell.call1((done,)).map(drop).map_err(|error| {
                interrupted = Some(error);
                GatewayError::Refused("nothing was changed".into())
            })
        };
        let put = self.with(|it| it.put_devices(&devices, None, revoking(keep), &mut tell));
        match interrupted {
            Some(error) => Err(error),
            None => put,
        }
    }

    /// The fingerprint and the algorithm of each key of a device.
    fn keys(&self, path: &str) -> PyResult<Vec<(String, &'static str)>> {
        let keys = self.with(|it| it.keys(path))?.into_iter();
        let keys = keys.map(|key| (key.fingerprint.to_string(), key.algorithm));
        Ok(keys.collect())
    }

    /// Gives a device one key more; whether it did not have it.
    fn add_key(&self, path: &str, pem: &str) -> PyResult<bool> {
        self.with(|it| it.add_key(path, pem))
    }

    /// Takes one key of a device away, by its PEM or the beginning of its fingerprint; the fingerprint.
    #[pyo3(signature = (path, named, *, keep))]
    fn remove_key(&self, path: &str, named: &str, keep: bool) -> PyResult<String> {
        let gone = self.with(|it| it.remove_key(path, named, revoking(keep)))?;
        Ok(gone.to_string())
    }

    /// Has a device not served, or served again; whether that is new.
    fn set_blocked(&self, path: &str, is_blocked: bool) -> PyResult<bool> {
        self.with(|it| it.set_blocked(path, is_blocked))
    }

    /// Lets a device that speaks for others attach another one; whether it might not before.
    fn bind(&self, gateway: &str, device: &str) -> PyResult<bool> {
        self.with(|it| it.bind(gateway, device))
    }

    /// Takes that right away.
    fn unbind(&self, gateway: &str, device: &str) -> PyResult<()> {
        self.with(|it| it.unbind(gateway, device))
    }

    /// Copies all data, as they are at one moment, into a new file.
    fn back_up(&self, file: PathBuf) -> PyResult<()> {
        self.with(|it| it.back_up(&file))
    }

    /// Takes a device out.
    fn remove_device(&self, path: &str) -> PyResult<()> {
        self.with(|it| it.remove_device(path))
    }

    /// The name, the algorithms and the version of the configuration of each device, whom it may attach, what it is bound to and
    /// whether it is blocked.
    fn devices(&self) -> PyResult<Vec<Listed>> {
        let devices = self.with(Administration::devices)?;
        let rows = devices.into_iter().map(|it| {
            let attaches = it.attaches.map(Attaches::name);
            (
                it.path,
                it.algorithms,
                it.config_version,
                attaches,
                it.bound_to,
                it.is_blocked,
            )
        });
        Ok(rows.collect())
    }

    /// Says what a device is to be like; the version of that.
    fn set_config(&self, path: &str, payload: &[u8]) -> PyResult<u64> {
        self.with(|it| it.set_config(path, payload))
    }

    /// Tells a device to do something now.
    fn send_command(&self, path: &str, folder: &str, payload: &[u8]) -> PyResult<()> {
        self.with(|it| it.send_command(path, folder, payload))
    }

    /// The messages from a place on, at most so many.
    fn messages(&self, first: u64, most: u64) -> PyResult<Vec<Row>> {
        let messages = self.with(|it| it.messages(first, most))?;
        let rows = messages.into_iter().map(|it| {
            let kind = it.kind.name();
            (it.offset, it.device, it.at.0, kind, it.folder, it.payload)
        });
        Ok(rows.collect())
    }

    /// The place of the first message that a subscription has not acknowledged.
    fn next_of(&self, subscription: &str) -> PyResult<u64> {
        self.with(|it| it.next_of(subscription))
    }

    /// Removes what came before a second since 1970, all but so many of the newest, what was not read only where that is said;
    /// how many are gone, how many stay for a subscription, which that is, and whether room is kept back on the disk.
    fn trim_log(
        &self,
        before: Option<u64>,
        keep: Option<u64>,
        even_unread: bool,
    ) -> PyResult<(u64, u64, Option<String>, Option<bool>)> {
        let before = before.map(UnixTime);
        let trim = Trim {
            before,
            keep,
            even_unread,
        };
        let trimmed = self.with(|it| it.trim_log(&trim))?;
        Ok((
            trimmed.gone,
            trimmed.held,
            trimmed.holder,
            trimmed.has_reserve,
        ))
    }

    /// Notes that a subscription has done with all messages before this place.
    fn acknowledge(&self, subscription: &str, before: u64) -> PyResult<()> {
        self.with(|it| it.acknowledge(subscription, before))
    }
}

impl GatewayAdministration {
    fn with<T>(
        &self,
        work: impl FnOnce(&mut Administration) -> Result<T, GatewayError>,
    ) -> PyResult<T> {
        let locked = self.administration.lock();
        let mut administration = locked.map_err(|_| PyOSError::new_err("it failed before"))?;
        work(&mut administration).map_err(|error| raised(&error))
    }
}

const fn revoking(keeps: bool) -> Revoking {
    match keeps {
        true => Revoking::Keeps,
        false => Revoking::Ends,
    }
}

fn attaches_of(name: &str) -> PyResult<Attaches> {
    let found = Attaches::ALL.into_iter().find(|it| it.name() == name);
    let names = Attaches::ALL.map(Attaches::name).join(", ");
    found.ok_or_else(|| PyValueError::new_err(format!("--attaches: \"{name}\" is none of {names}")))
}

/// A token of a device, signed by its private key (PEM), from a second since 1970 on.
#[pyfunction]
#[pyo3(signature = (device, pem, *, issued_at, life_s))]
pub(crate) fn gateway_token(
    device: &str,
    pem: &str,
    issued_at: u64,
    life_s: u64,
) -> PyResult<String> {
    let wrong = |error: &dyn core::fmt::Display| PyValueError::new_err(error.to_string());
    let path = DevicePath::parse(device).map_err(|error| wrong(&error))?;
    let key = TokenKey::from_pem(pem).map_err(|error| wrong(&error))?;
    let life_s = life_s.min(LONGEST_LIFE.as_nanos() / 1_000_000_000);
    Ok(key.token(path.project(), issued_at, issued_at.saturating_add(life_s)))
}

/// A new private key of a device and its public half, PEM.
#[pyfunction]
pub(crate) fn gateway_new_key() -> PyResult<(String, String)> {
    new_key().ok_or_else(|| PyOSError::new_err("this machine has no random numbers"))
}

fn raised(error: &GatewayError) -> PyErr {
    let text = error.to_string();
    match error {
        GatewayError::Refused(_) => PyValueError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}
