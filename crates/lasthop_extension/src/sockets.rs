//! Runs on the wall clock, beside real software, and against servers that are somewhere else.

mod beside;
mod load;

use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use lasthop_dtls::PreSharedKeys;
use lasthop_live::{InterruptibleClock, WallTime};
use lasthop_tls::{Chain, roots_of_pem};
use lasthop_world::{
    EngineSpec, Guest, Observe, RegisteredDevice, Registry, RunSpec, Simulated, SocketTrust,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::from_run_error;
use crate::outside::{GuestOfPython, Outside, TrustOfPython};

impl Outside {
    /// Runs a spec on the wall clock, with what is outside where its engine has that.
    pub(crate) fn run(
        self,
        registry: &Registry,
        spec: &RunSpec,
        observe: Observe,
        interrupt: &AtomicBool,
    ) -> PyResult<Simulated> {
        match spec.engine {
            EngineSpec::Live => beside::beside(&self.devices, registry, spec, observe, interrupt),
            EngineSpec::Load => {
                let guest = self.guest.map(guest_of).transpose()?.unwrap_or_default();
                load::load(&guest, registry, spec, observe, interrupt)
            }
            EngineSpec::Virtual | EngineSpec::WallClock => {
                let clock = InterruptibleClock::new(interrupt)?;
                Simulated::on(clock, registry, spec, observe, interrupt).map_err(from_run_error)
            }
        }
    }
}

fn guest_of(guest: GuestOfPython) -> PyResult<Guest> {
    let registered = guest.registered.into_iter();
    let trust = guest.trust.as_ref().map(trust_of).transpose()?;
    Ok(Guest {
        prefix: guest.prefix,
        trust: trust.unwrap_or_default(),
        user: guest.user.map(|user| (user, guest.password)),
        registered: registered
            .map(|device| RegisteredDevice {
                path: device.path,
                key: device.key,
            })
            .collect(),
        calendar: WallTime::calendar_now().as_nanos() / 1_000_000_000,
    })
}

/// How secured servers are known that are somewhere else.
fn trust_of(trust: &TrustOfPython) -> PyResult<SocketTrust> {
    let wrong = |why: &dyn ToString| PyValueError::new_err(why.to_string());
    let roots = trust.roots.as_deref().map(roots_of_pem).transpose();
    let presented = trust.presented.as_ref();
    let presented = presented.map(|pair| Chain::of_pem(&pair.certificate, &pair.key));
    let keys = trust.keys.as_deref().map(PreSharedKeys::read).transpose();
    Ok(SocketTrust {
        roots: roots.map_err(|why| wrong(&why))?.map(Arc::new),
        presented: presented.transpose().map_err(|why| wrong(&why))?,
        keys: keys.map_err(|why| wrong(&why))?,
        servers: trust.servers.clone(),
    })
}
