use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_coap::{
    BlockSize, Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapServer, CoapServerConfig,
    MAX_PEERS, MessageType, PORT, Push,
};
use lasthop_contract::Host;
use lasthop_transport::{PeerLimit, Udp};

use super::tcp::TcpEnds;
use super::{Device, Said, Server, Stack};
use crate::spec::{CoapSpec, CoapTypeSpec, PushSpec, TcpSpec, nanos};

/// CoAP over UDP.
pub(super) struct OverUdp {
    ends: Ends,
}

/// CoAP over TCP.
pub(super) struct OverTcp {
    tcp: TcpEnds,
    ends: Ends,
}

/// What both carriers share.
struct Ends {
    kind: MessageType,
    push: Push,
    carrier: Carrier,
    parameters: Arc<CoapParameters>,
}

const PURPOSE: &str = "coap";

impl OverUdp {
    pub(super) fn new(kind: &CoapTypeSpec, echo: bool, coap: &CoapSpec) -> Self {
        let parameters = CoapParameters {
            asks_for_proof: echo,
            ..parameters(coap)
        };
        let (kind, parameters) = match kind {
            CoapTypeSpec::Non {
                timeout_ns,
                random_factor,
            } => (
                MessageType::NonConfirmable,
                CoapParameters {
                    ack_timeout: nanos(*timeout_ns),
                    ack_random_factor: *random_factor,
                    ..parameters
                },
            ),
            CoapTypeSpec::Con {
                nstart,
                acknowledgement,
            } => (
                MessageType::Confirmable,
                CoapParameters {
                    nstart: *nstart,
                    ack_timeout: nanos(acknowledgement.timeout_ns),
                    ack_random_factor: acknowledgement.random_factor,
                    max_retransmit: acknowledgement.max_retransmit,
                    ..parameters
                },
            ),
        };
        Self {
            ends: Ends::new(kind, coap, Carrier::Datagrams, parameters),
        }
    }
}

impl OverTcp {
    pub(super) fn new(tcp: TcpSpec, coap: &CoapSpec) -> Self {
        let kind = MessageType::Confirmable;
        Self {
            tcp: TcpEnds::new(tcp),
            ends: Ends::new(kind, coap, Carrier::Streams, parameters(coap)),
        }
    }
}

impl Stack for OverUdp {
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host> {
        said.device(
            device,
            Udp::new(device.address),
            self.ends.client(device, said),
        )
    }

    fn server(&self, server: Server, said: &Said) -> Box<dyn Host> {
        let protocol = self.ends.server(&server, said);
        let limit = PeerLimit {
            peers: MAX_PEERS,
            rest: self.ends.parameters.exchange_lifetime(),
        };
        said.server(Udp::bounded(server.address, limit), protocol, server.routes)
    }
}

impl Stack for OverTcp {
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host> {
        said.device(
            device,
            self.tcp.device(device, said),
            self.ends.client(device, said),
        )
    }

    fn server(&self, server: Server, said: &Said) -> Box<dyn Host> {
        let (tcp, protocol) = (
            self.tcp.server(&server, said),
            self.ends.server(&server, said),
        );
        said.server(tcp, protocol, server.routes)
    }
}

impl Ends {
    fn new(
        kind: MessageType,
        coap: &CoapSpec,
        carrier: Carrier,
        parameters: CoapParameters,
    ) -> Self {
        Self {
            kind,
            push: match coap.push {
                PushSpec::Post => Push::Post,
                PushSpec::Put => Push::Put,
                PushSpec::Observe => Push::Observe,
            },
            carrier,
            parameters: Arc::new(parameters),
        }
    }

    fn client(&self, device: Device, said: &Said) -> CoapClient {
        let config = CoapClientConfig {
            server: SocketAddr::new(device.server, PORT),
            flow: device.flow(),
            kind: self.kind,
            push: self.push,
            receives: said.devices_receive(),
            carrier: self.carrier,
            parameters: Arc::clone(&self.parameters),
        };
        CoapClient::new(config, said.stream(&device.name(), PURPOSE))
    }

    fn server(&self, server: &Server, said: &Said) -> CoapServer {
        let config = CoapServerConfig {
            kind: self.kind,
            push: self.push,
            carrier: self.carrier,
            parameters: Arc::clone(&self.parameters),
        };
        CoapServer::new(config, said.stream(&server.name(), PURPOSE))
    }
}

fn parameters(coap: &CoapSpec) -> CoapParameters {
    CoapParameters {
        block_size: BlockSize::of(coap.block_bytes.into()).unwrap_or(BlockSize::LARGEST),
        ..CoapParameters::default()
    }
}
