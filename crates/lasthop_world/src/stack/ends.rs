use core::fmt::{self, Display};
use core::net::{IpAddr, SocketAddr};

use lasthop_broker::BrokerCore;
use lasthop_cache::{Cache, ResourceIds};
use lasthop_contract::{ChannelSet, DeviceId, Direction, FlowId, RandomStream, Transport};
use lasthop_traffic::FlowKind;
use lasthop_transport::{Local, PeerLimit};

use super::{DeviceEnd, SocketTrust};
use crate::spec::SessionSpec;

/// The host for which a stack is built.
#[derive(Clone, Copy, Debug)]
pub struct HostEnd<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The name of the host's group or server, which starts the names of its random streams.
    pub name: &'a str,
    /// The number of the host within its group or server, from 0.
    pub number: u32,
    /// The address of the host.
    pub address: IpAddr,
    /// The state of the constrained device; `None` for an unconstrained host.
    pub device: Option<&'a DeviceEnd>,
}

/// The client end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ClientEnd<'a> {
    /// The host of the device.
    pub host: HostEnd<'a>,
    /// The address of the server.
    pub server: SocketAddr,
    /// The ID of the device.
    pub device: DeviceId,
    /// The flows that the device sends or receives, in the order of their channels.
    pub flows: &'a [ClientFlow],
    /// The lifetime of protocol sessions.
    pub session: SessionSpec,
    /// The flows of other devices that the device receives.
    pub hears: &'a [FlowId],
    /// How the client identifies itself to an external server; `None` in a simulated run.
    pub guest: Option<&'a Guest>,
    /// The names of the device's resources; `None` without names.
    pub resource_ids: Option<&'a ResourceIds>,
}

/// How the clients of a run identify themselves to an external server.
#[derive(Clone, Debug, Default)]
pub struct Guest {
    /// The prefix of client names and topics.
    pub prefix: String,
    /// The user name and password.
    pub user: Option<(String, Option<String>)>,
    /// The registrations at a device gateway, in the order of devices; empty for other servers.
    pub registered: Vec<RegisteredDevice>,
    /// The trust settings for secured servers.
    pub trust: SocketTrust,
    /// The start of the run in seconds since 1970, for JSON Web Tokens.
    pub calendar: u64,
}

/// The registration of a device at a device gateway.
#[derive(Clone, PartialEq, Eq)]
pub struct RegisteredDevice {
    /// The full name of the device: `projects/P/locations/L/registries/R/devices/D`.
    pub path: String,
    /// The private key of the device on P-256, in PKCS #8 (PEM).
    pub key: String,
}

/// Nothing of a key is written anywhere.
impl fmt::Debug for RegisteredDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredDevice")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Guest {
    /// Returns the registration of a device, if the server is a device gateway.
    #[must_use]
    pub fn registered_as(&self, device: DeviceId) -> Option<&RegisteredDevice> {
        self.registered.get(device.0 as usize)
    }
}

impl RegisteredDevice {
    /// Returns the name of the project, which is the audience of the device's tokens.
    #[must_use]
    pub fn project(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// Returns the topic to which the device publishes its events.
    #[must_use]
    pub fn event_topic(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        format!("/devices/{name}/events")
    }
}

/// A flow of a client: its channel and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientFlow {
    /// The channel of the flow: its index among the device's flows.
    pub channel: u8,
    /// The direction and the destination of the flow's messages.
    pub kind: FlowKind,
}

/// The server end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ServerEnd<'a> {
    /// The host of the server.
    pub host: HostEnd<'a>,
    /// The port on which the server listens.
    pub port: u16,
    /// Whether messages of devices end at the server itself.
    pub is_destination: bool,
    /// Whether devices send requests to the server.
    pub answers: bool,
    /// The broker core that the services of a host share; `None` for a separate core.
    pub core: Option<&'a BrokerCore>,
    /// The cache of a caching proxy, if the server is a service of one.
    pub cache: Option<&'a Cache>,
}

/// The layer below the one that is built.
pub enum Below {
    /// IP, with the addresses and ports of the transport, and its peer limit if there is one.
    Ip(Local, Option<PeerLimit>),
    /// Another transport.
    Transport(Box<dyn Transport>),
}

impl ClientEnd<'_> {
    /// Returns the device's registration at a device gateway, with the settings for the external server.
    #[must_use]
    pub fn registered(&self) -> Option<(&Guest, &RegisteredDevice)> {
        let guest = self.guest?;
        Some((guest, guest.registered_as(self.device)?))
    }

    /// Returns the flow with the lowest channel.
    #[must_use]
    pub fn main_flow(&self) -> FlowId {
        let channel = self.flows.first().map_or(0, |flow| flow.channel);
        FlowId::of(self.device, channel)
    }

    /// Returns the flows whose messages the device receives.
    #[must_use]
    pub fn received(&self) -> ChannelSet {
        let flows = self.flows.iter().filter(|flow| flow.kind.reaches_devices());
        flows.map(|flow| flow.channel).collect()
    }

    /// Returns the flows whose messages are for other devices.
    #[must_use]
    pub fn published(&self) -> ChannelSet {
        let flows = self.flows.iter();
        let flows = flows.filter(|flow| flow.kind.is_relayed());
        flows.map(|flow| flow.channel).collect()
    }

    /// Returns the flows in which one end sends requests and the other answers.
    #[must_use]
    pub fn asks(&self) -> ChannelSet {
        let flows = self.flows.iter().filter(|flow| flow.kind.asks());
        flows.map(|flow| flow.channel).collect()
    }

    /// Returns the flows whose messages are returned to their sender.
    #[must_use]
    pub fn echoed(&self) -> ChannelSet {
        let of_kind = |flow: &&ClientFlow| flow.kind == FlowKind::RoundTrip;
        let flows = self.flows.iter().filter(of_kind);
        flows.map(|flow| flow.channel).collect()
    }

    /// Whether the server sends to the device before the device sends, so that the device must register.
    #[must_use]
    pub fn is_commanded(&self) -> bool {
        let mut flows = self.flows.iter();
        flows.any(|flow| flow.kind.origin() == Direction::Down)
    }

    /// Whether the device has a flow of this kind.
    #[must_use]
    pub fn has(&self, kind: FlowKind) -> bool {
        self.flows.iter().any(|flow| flow.kind == kind)
    }
}

impl HostEnd<'_> {
    /// Returns a random stream of the host for a purpose.
    #[must_use]
    pub fn stream(&self, purpose: impl Display) -> RandomStream {
        let (name, number) = (self.name, self.number);
        RandomStream::named(self.seed, format_args!("{name}/{number}/{purpose}"))
    }
}
