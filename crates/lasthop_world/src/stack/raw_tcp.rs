use core::net::SocketAddr;

use lasthop_contract::Host;
use lasthop_traffic::raw_tcp::{PORT, RawTcpClient, RawTcpServer};

use super::tcp::TcpEnds;
use super::{Device, Said, Server, Stack};
use crate::spec::{TcpSpec, TrafficKind};

/// Payloads with their length on one TCP connection.
pub(super) struct RawTcp {
    tcp: TcpEnds,
}

impl RawTcp {
    pub(super) fn new(tcp: TcpSpec) -> Self {
        Self {
            tcp: TcpEnds::new(tcp),
        }
    }
}

impl Stack for RawTcp {
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host> {
        let server = SocketAddr::new(device.server, PORT);
        let greets = said.kind == TrafficKind::Command;
        let client = RawTcpClient::new(server, device.flow(), greets);
        said.device(device, self.tcp.device(device, said), client)
    }

    fn server(&self, server: Server, said: &Said) -> Box<dyn Host> {
        let tcp = self.tcp.server(&server, said);
        said.server(tcp, RawTcpServer::new(), server.routes)
    }
}
