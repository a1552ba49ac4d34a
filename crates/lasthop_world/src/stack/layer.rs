mod dtls;
mod ip;
mod presented;
mod quic;
mod rtps_tcp;
mod tcp;
mod tls;
mod tls_handshake;
mod udp;
mod ws;

use lasthop_contract::Transport;
use lasthop_device::{MessageBoundary, Secures};
use lasthop_units::Duration;

pub use self::presented::ServerFiles;
use super::builder::Role;
use super::{Below, HostEnd, OptionEntry, Options, SocketServer};
use crate::spec::{StackSpec, UserCredentials};

/// A layer in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct LayerEntry {
    /// The name of the layer in stack notation.
    pub name: &'static str,
    /// A short description of the layer.
    pub summary: &'static str,
    /// The carriages that the layer offers to the layer above.
    pub carries: &'static [Carriage],
    /// The carriages for the layer below, the preferred one first; none for IP. That layer must offer one of them.
    pub over: &'static [Carriage],
    /// The options of the layer.
    pub options: &'static [OptionEntry],
    /// How the layer is built.
    pub kind: LayerKind,
}

/// The service that a layer offers to the layer above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// IP packets.
    Packets,
    /// Datagrams between two ends.
    Datagrams,
    /// Datagrams from and to any address, including multicast groups.
    OpenDatagrams,
    /// One byte stream in each direction.
    Stream,
    /// One byte stream in each direction, split into messages.
    Messages,
    /// Several byte streams.
    Streams,
    /// Messages between any participants, over a connection for each pair.
    Frames,
}

/// How a layer is built.
#[derive(Clone, Copy, Debug)]
pub enum LayerKind {
    /// IP, which every host already has.
    Network,
    /// A transport on the layer below, built by this function.
    Transport(BuildLayer),
    /// A layer that is not implemented yet.
    Planned,
}

/// A function that builds a layer from its stack and options.
pub type BuildLayer = fn(&StackSpec, Options<'_>) -> Box<dyn LayerBuilder>;

/// A builder of a layer, with its settings and the state that the hosts of a stack share.
pub trait LayerBuilder {
    /// Builds the layer of one host on top of the layer below.
    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport>;

    /// Sets user-supplied credentials, used instead of generated ones.
    fn show(&mut self, _given: &UserCredentials) {}

    /// Prepares clients for an external server, with the system's random numbers and time.
    ///
    /// # Errors
    /// When they cannot, in words.
    fn meet(&mut self, _server: &SocketServer<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Returns the server's credential files in a run with this seed, for external software.
    fn server_files(&self, _seed: u64) -> Option<ServerFiles> {
        None
    }

    /// Returns how the layer's records are delimited in the stream below, if there is one.
    fn boundary(&self) -> Option<MessageBoundary> {
        None
    }

    /// Returns how the ends authenticate each other, or `None` if the layer does not secure the connection.
    fn secures(&self) -> Option<Secures> {
        None
    }

    /// Returns the fallback layers, if a client switches to them when this layer fails.
    fn falls_back(&self) -> Option<FallsBack> {
        None
    }
}

/// The fallback layers of a stack and the switching policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallsBack {
    /// The layers from the top down, without IP, for example `tls/tcp`. They have default options.
    pub layers: &'static str,
    /// How long the layers of the stack are tried alone, before the fallback.
    pub after: Duration,
    /// Whether the layers of the stack are still tried in parallel with the fallback until one is established.
    pub races: bool,
    /// How long new connections use the fallback immediately, after it was needed once.
    pub remembered: Duration,
}

/// Every layer of the project, in the order of the catalogue.
pub(super) const ALL: &[LayerEntry] = &[
    ws::ENTRY,
    rtps_tcp::ENTRY,
    tls::ENTRY,
    dtls::ENTRY,
    quic::ENTRY,
    tcp::ENTRY,
    udp::ENTRY,
    ip::ENTRY,
];
