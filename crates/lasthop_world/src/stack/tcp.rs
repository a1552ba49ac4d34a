use std::sync::Arc;

use lasthop_transport::tcp::{CongestionControl, Tcp, TcpProfile};

use super::{Device, Said, Server};
use crate::spec::{CongestionSpec, TcpProfileSpec, TcpSpec};

/// How TCP behaves at both ends. Hosts share the profiles.
pub(super) struct TcpEnds {
    device: Arc<TcpProfile>,
    server: Arc<TcpProfile>,
}

const PURPOSE: &str = "tcp";

impl TcpEnds {
    pub(super) fn new(spec: TcpSpec) -> Self {
        let (device, server) = match spec.profile {
            TcpProfileSpec::Linux => (TcpProfile::linux(), TcpProfile::linux()),
            TcpProfileSpec::Larmo2019 => (TcpProfile::larmo_2019(), TcpProfile::larmo_2019()),
            TcpProfileSpec::LwipEsp8266 => (TcpProfile::lwip_esp8266(), TcpProfile::linux()),
        };
        let with = |profile, nodelay| {
            Arc::new(TcpProfile {
                congestion: match spec.congestion {
                    CongestionSpec::Cubic => CongestionControl::Cubic,
                    CongestionSpec::Reno => CongestionControl::Reno,
                },
                timestamps: spec.timestamps,
                nodelay,
                fast_open_client: spec.fast_open,
                fast_open_server: spec.fast_open,
                ..profile
            })
        };
        Self {
            device: with(device, spec.nodelay_client),
            server: with(server, spec.nodelay_server),
        }
    }

    pub(super) fn device(&self, device: Device, said: &Said) -> Tcp {
        let stream = said.stream(&device.name(), PURPOSE);
        Tcp::new(device.address, Arc::clone(&self.device), stream)
    }

    pub(super) fn server(&self, server: &Server, said: &Said) -> Tcp {
        let stream = said.stream(&server.name(), PURPOSE);
        Tcp::new(server.address, Arc::clone(&self.server), stream)
    }
}
