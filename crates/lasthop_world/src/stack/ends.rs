use core::fmt::{self, Display};
use core::net::{IpAddr, SocketAddr};

use lasthop_broker::BrokerCore;
use lasthop_cache::{Cache, ResourceIds};
use lasthop_contract::{ChannelSet, DeviceId, Direction, FlowId, RandomStream, Transport};
use lasthop_traffic::FlowKind;
use lasthop_transport::{Local, PeerLimit};

use super::{DeviceEnd, SocketTrust};
use crate::spec::SessionSpec;

/// A host that a stack is built for.
#[derive(Clone, Copy, Debug)]
pub struct HostEnd<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The name of its group or server, with which its random streams begin.
    pub name: &'a str,
    /// Its number among the hosts of that name, from 0.
    pub number: u32,
    /// Its address.
    pub address: IpAddr,
    /// The resource limits, if it is a constrained device.
    pub device: Option<&'a DeviceEnd>,
}

/// The device's end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ClientEnd<'a> {
    /// The device.
    pub host: HostEnd<'a>,
    /// The address of the server.
    pub server: SocketAddr,
    /// The device.
    pub device: DeviceId,
    /// The flows that it sends or receives, in the order of their channels.
    pub flows: &'a [ClientFlow],
    /// The lifetime of sessions.
    pub session: SessionSpec,
    /// The flows of other devices that it receives.
    pub hears: &'a [FlowId],
    /// How it identifies itself to an external server; `None` inside a run.
    pub guest: Option<&'a Guest>,
    /// The names of its resources; `None` without names.
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
    /// The start of the run in seconds since 1970, for tokens.
    pub calendar: u64,
}

/// A device that a gateway has registered.
#[derive(Clone, PartialEq, Eq)]
pub struct RegisteredDevice {
    /// The full name: `projects/P/locations/L/registries/R/devices/D`.
    pub path: String,
    /// The private key on P-256, in PKCS #8 (PEM).
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
    /// The project, for which tokens are.
    #[must_use]
    pub fn project(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// The topic of its events.
    #[must_use]
    pub fn event_topic(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        format!("/devices/{name}/events")
    }
}

/// Messages of one kind that a client sends or gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientFlow {
    /// The index of the flow among those of its device.
    pub channel: u8,
    /// The end point of its messages.
    pub kind: FlowKind,
}

/// The server's end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ServerEnd<'a> {
    /// The server.
    pub host: HostEnd<'a>,
    /// The port.
    pub port: u16,
    /// Whether messages of devices end at the server itself.
    pub is_destination: bool,
    /// Whether devices ask the server for messages.
    pub answers: bool,
    /// The broker core that the services of a host share; `None` for a separate one.
    pub core: Option<&'a BrokerCore>,
    /// The cache, if it is a service of a caching proxy.
    pub cache: Option<&'a Cache>,
}

/// The layer below.
pub enum Below {
    /// IP: the place in the host, and its peer limit if it has one.
    Ip(Local, Option<PeerLimit>),
    /// Another layer.
    Transport(Box<dyn Transport>),
}

impl ClientEnd<'_> {
    /// Returns the gateway registration of the device, and the guest settings.
    #[must_use]
    pub fn registered(&self) -> Option<(&Guest, &RegisteredDevice)> {
        let guest = self.guest?;
        Some((guest, guest.registered_as(self.device)?))
    }

    /// The flow with the lowest channel.
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

    /// The flows in which one end asks and the other answers.
    #[must_use]
    pub fn asks(&self) -> ChannelSet {
        let flows = self.flows.iter().filter(|flow| flow.kind.asks());
        flows.map(|flow| flow.channel).collect()
    }

    /// Returns the flows whose messages come back.
    #[must_use]
    pub fn echoed(&self) -> ChannelSet {
        let of_kind = |flow: &&ClientFlow| flow.kind == FlowKind::RoundTrip;
        let flows = self.flows.iter().filter(of_kind);
        flows.map(|flow| flow.channel).collect()
    }

    /// Whether the server sends to the device first, so that the device must register.
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
    /// A stream of random numbers of the host, for a purpose.
    #[must_use]
    pub fn stream(&self, purpose: impl Display) -> RandomStream {
        let (name, number) = (self.name, self.number);
        RandomStream::named(self.seed, format_args!("{name}/{number}/{purpose}"))
    }
}
