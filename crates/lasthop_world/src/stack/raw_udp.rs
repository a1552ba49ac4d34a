use core::net::SocketAddr;

use lasthop_contract::Host;
use lasthop_traffic::raw_udp::{PORT, RawUdpClient, RawUdpServer, RetransmissionPolicy};
use lasthop_transport::Udp;

use super::{Device, Said, Server, Stack};
use crate::spec::{AcknowledgementSpec, TrafficKind, nanos};

/// Payloads straight in datagrams.
pub(super) struct RawUdp {
    policy: Option<RetransmissionPolicy>,
}

const PURPOSE: &str = "raw_udp/ack_timeout";

impl RawUdp {
    pub(super) fn new(acknowledgement: Option<&AcknowledgementSpec>) -> Self {
        let policy = acknowledgement.map(|spec| RetransmissionPolicy {
            timeout: nanos(spec.timeout_ns),
            random_factor: spec.random_factor,
            max_retransmit: spec.max_retransmit,
        });
        Self { policy }
    }
}

impl Stack for RawUdp {
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host> {
        let client = RawUdpClient::new(
            SocketAddr::new(device.server, PORT),
            device.flow(),
            self.policy,
            said.kind == TrafficKind::Command,
            said.stream(&device.name(), PURPOSE),
        );
        let client = if said.devices_receive() {
            client
        } else {
            client.reporting_only()
        };
        said.device(device, Udp::new(device.address), client)
    }

    fn server(&self, server: Server, said: &Said) -> Box<dyn Host> {
        let protocol = RawUdpServer::new(self.policy, said.stream(&server.name(), PURPOSE));
        said.server(Udp::new(server.address), protocol, server.routes)
    }
}
