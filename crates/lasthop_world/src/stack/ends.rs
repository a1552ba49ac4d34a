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
    /// Its number among those of that name, from 0.
    pub number: u32,
    /// Its address.
    pub address: IpAddr,
    /// What it has little of, where it is such a device.
    pub device: Option<&'a DeviceEnd>,
}

/// The device's end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ClientEnd<'a> {
    /// The device.
    pub host: HostEnd<'a>,
    /// Where the server listens.
    pub server: SocketAddr,
    /// Who it is.
    pub device: DeviceId,
    /// Which messages it sends or gets, in the order of their channels.
    pub flows: &'a [ClientFlow],
    /// How long a session lasts.
    pub session: SessionSpec,
    /// Flows of other devices whose messages it hears.
    pub hears: &'a [FlowId],
    /// How it makes itself known to a server that has other guests; `None` where all is the run's.
    pub guest: Option<&'a Guest>,
    /// How it names what it asks for and writes; `None` where that has no names.
    pub resource_ids: Option<&'a ResourceIds>,
}

/// How the clients of a run make themselves known to a server that is none of it.
#[derive(Clone, Debug, Default)]
pub struct Guest {
    /// What the names of clients, and of what they leave at the server, begin with.
    pub prefix: String,
    /// Who they say they are, and what proves it.
    pub user: Option<(String, Option<String>)>,
    /// What devices a gateway knows them as, the first for the first device; none at any other server.
    pub registered: Vec<RegisteredDevice>,
    /// How they know servers that are secured.
    pub trust: SocketTrust,
    /// When the run begins, in seconds since 1970, as their tokens say.
    pub calendar: u64,
}

/// A device that a gateway has registered.
#[derive(Clone, PartialEq, Eq)]
pub struct RegisteredDevice {
    /// Its full name: `projects/P/locations/L/registries/R/devices/D`.
    pub path: String,
    /// Its private key, on P-256, in PKCS #8 (PEM).
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
    /// What a device is registered as, where the server is a gateway.
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
    /// Which of the device's flows it is.
    pub channel: u8,
    /// Where its messages go.
    pub kind: FlowKind,
}

/// The server's end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ServerEnd<'a> {
    /// The server.
    pub host: HostEnd<'a>,
    /// Where it listens.
    pub port: u16,
    /// Whether messages of devices are for the server itself, and end there.
    pub is_destination: bool,
    /// Whether devices ask the server for messages.
    pub answers: bool,
    /// What it shares with the other services of its host; `None` where it is for itself.
    pub core: Option<&'a BrokerCore>,
    /// From what it answers, where it is a service of a caching proxy.
    pub cache: Option<&'a Cache>,
}

/// What a layer stands on.
pub enum Below {
    /// IP: the place in the host, and how many peers it holds where that is limited.
    Ip(Local, Option<PeerLimit>),
    /// Another layer.
    Transport(Box<dyn Transport>),
}

impl ClientEnd<'_> {
    /// What a gateway knows the device as, and whose guest it is.
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

    /// The flows whose messages come to the device.
    #[must_use]
    pub fn received(&self) -> ChannelSet {
        let flows = self.flows.iter().filter(|flow| flow.kind.reaches_devices());
        flows.map(|flow| flow.channel).collect()
    }

    /// The flows whose messages are for other devices.
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

    /// The flows whose messages come back.
    #[must_use]
    pub fn echoed(&self) -> ChannelSet {
        let of_kind = |flow: &&ClientFlow| flow.kind == FlowKind::RoundTrip;
        let flows = self.flows.iter().filter(of_kind);
        flows.map(|flow| flow.channel).collect()
    }

    /// Whether the server speaks first to the device, which must make itself known for that.
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
