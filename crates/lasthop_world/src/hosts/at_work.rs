use lasthop_contract::{Application, Host};
use lasthop_device::{BusyHost, ConnectionCount};
use lasthop_transport::StackHost;

use crate::spec::{ServerSpec, ServiceTimeSpec};

/// What makes the work of a server take its time, where it takes some.
pub(super) struct AtWork {
    times: Option<ServiceTimeSpec>,
    connections: ConnectionCount,
}

impl AtWork {
    pub(super) fn of(server: &ServerSpec) -> Self {
        Self {
            times: server.service_time,
            connections: ConnectionCount::default(),
        }
    }

    /// An application of the server.
    pub(super) fn service(&self, application: Box<dyn Application>) -> Box<dyn Application> {
        match self.times {
            None => application,
            Some(_) => self.connections.of(application),
        }
    }

    /// The server.
    pub(super) fn host(self, host: StackHost) -> Box<dyn Host> {
        match self.times {
            None => Box::new(host),
            Some(times) => Box::new(BusyHost::new(
                Box::new(host),
                times.into(),
                self.connections,
            )),
        }
    }
}
