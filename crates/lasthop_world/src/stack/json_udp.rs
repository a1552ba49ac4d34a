use core::net::SocketAddr;

use lasthop_contract::Host;
use lasthop_traffic::json_udp::{JsonUdpBroker, JsonUdpClient, JsonUdpClientConfig, PORT};
use lasthop_transport::Udp;
use lasthop_units::Duration;

use super::{Device, Said, Server, Stack};
use crate::spec::nanos;

/// JSON publish and subscribe over datagrams.
pub(super) struct JsonUdp {
    subscribe_timeout: Duration,
}

impl JsonUdp {
    pub(super) fn new(subscribe_timeout_ns: u64) -> Self {
        Self {
            subscribe_timeout: nanos(subscribe_timeout_ns),
        }
    }
}

impl Stack for JsonUdp {
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host> {
        let client = JsonUdpClient::new(JsonUdpClientConfig {
            broker: SocketAddr::new(device.server, PORT),
            flow: device.flow(),
            subscribes: said.devices_receive(),
            subscribe_timeout: self.subscribe_timeout,
        });
        said.device(device, Udp::new(device.address), client)
    }

    fn server(&self, server: Server, said: &Said) -> Box<dyn Host> {
        let broker = JsonUdpBroker::new(!said.devices_receive());
        said.broker(Udp::new(server.address), broker, server.routes)
    }
}
