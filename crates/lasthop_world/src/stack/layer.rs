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

/// A layer of stacks, as the catalogue has it.
#[derive(Clone, Copy, Debug)]
pub struct LayerEntry {
    /// The name in stack notation.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The carriages that it offers to the layer above.
    pub carries: &'static [Carriage],
    /// The carriages of which the layer below must offer one, the usual one first; none for IP.
    pub over: &'static [Carriage],
    /// Its options.
    pub options: &'static [OptionEntry],
    /// How it is built.
    pub kind: LayerKind,
}

/// The service that a layer offers to the one above.
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
    /// Several streams of bytes.
    Streams,
    /// Messages between any participants, by a connection of each pair.
    Frames,
}

/// How a layer is built.
#[derive(Clone, Copy, Debug)]
pub enum LayerKind {
    /// IP, which hosts already have.
    Network,
    /// A transport on top of the layer below.
    Transport(BuildLayer),
    /// Not implemented yet.
    Planned,
}

/// Builds a layer from its options and its stack.
pub type BuildLayer = fn(&StackSpec, Options<'_>) -> Box<dyn LayerBuilder>;

/// A layer with its settings, and the state that the hosts of a stack share.
pub trait LayerBuilder {
    /// Builds the layer of one host on top of what is below.
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

    /// Returns how its records are delimited in the stream below, if there is one.
    fn boundary(&self) -> Option<MessageBoundary> {
        None
    }

    /// Returns how its ends authenticate each other, if it secures the connection.
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
    /// How long the layers of the stack are tried alone.
    pub after: Duration,
    /// Whether they are still tried until one way is established.
    pub races: bool,
    /// How long the fallback is used immediately after it was needed.
    pub remembered: Duration,
}

impl LayerEntry {
    /// A layer that has a name and no machine yet.
    const fn planned(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            summary,
            carries: &[],
            over: &[],
            options: &[],
            kind: LayerKind::Planned,
        }
    }
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
