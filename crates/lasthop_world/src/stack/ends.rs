use core::fmt::Display;
use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{FlowId, RandomStream, Transport};
use lasthop_traffic::FlowKind;
use lasthop_transport::{Local, PeerLimit};

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
}

/// The device's end of a stack.
#[derive(Clone, Copy, Debug)]
pub struct ClientEnd<'a> {
    /// The device.
    pub host: HostEnd<'a>,
    /// Where the server listens.
    pub server: SocketAddr,
    /// Which messages it sends or gets.
    pub flow: FlowId,
    /// Where they go.
    pub kind: FlowKind,
    /// How long a session lasts.
    pub session: SessionSpec,
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
}

/// What a layer stands on.
pub enum Below {
    /// IP: the place in the host, and how many peers it holds where that is limited.
    Ip(Local, Option<PeerLimit>),
    /// Another layer.
    Transport(Box<dyn Transport>),
}

impl HostEnd<'_> {
    /// A stream of random numbers of the host, for a purpose.
    #[must_use]
    pub fn stream(&self, purpose: impl Display) -> RandomStream {
        let (name, number) = (self.name, self.number);
        RandomStream::named(self.seed, format_args!("{name}/{number}/{purpose}"))
    }
}
