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
    /// As in the notation of stacks.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What it carries for what stands on it.
    pub carries: &'static [Carriage],
    /// One of which the layer below must carry, the usual one first; none for IP.
    pub over: &'static [Carriage],
    /// Its settings.
    pub options: &'static [OptionEntry],
    /// What is built of it.
    pub kind: LayerKind,
}

/// What a layer carries for the one above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// IP packets.
    Packets,
    /// Datagrams between two ends.
    Datagrams,
    /// Datagrams from and to any address, those of groups too.
    OpenDatagrams,
    /// One stream of bytes each way.
    Stream,
    /// One stream of bytes each way, in messages.
    Messages,
    /// Several streams of bytes.
    Streams,
    /// Messages between any participants, by a connection of each pair.
    Frames,
}

/// What is built of a layer.
#[derive(Clone, Copy, Debug)]
pub enum LayerKind {
    /// It is IP, which hosts have.
    Network,
    /// A transport over what is below.
    Transport(BuildLayer),
    /// Nothing yet.
    Planned,
}

/// What builds a layer from its options, and from the stack that it is in.
pub type BuildLayer = fn(&StackSpec, Options<'_>) -> Box<dyn LayerBuilder>;

/// A layer with its settings, and what else the hosts of a stack share.
pub trait LayerBuilder {
    /// The layer of one host over what is below.
    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport>;

    /// Takes credentials that a user has given, in place of those made from the seed.
    fn show(&mut self, _given: &UserCredentials) {}

    /// Has clients meet a server that is none of the run: by random numbers of the system, and in its time.
    ///
    /// # Errors
    /// When they cannot, in words.
    fn meet(&mut self, _server: &SocketServer<'_>) -> Result<(), String> {
        Ok(())
    }

    /// What the server shows in a run of this seed, for a program of others that takes its place.
    fn server_files(&self, _seed: u64) -> Option<ServerFiles> {
        None
    }

    /// Where its records begin in the stream that it stands on, where it stands on one.
    fn boundary(&self) -> Option<MessageBoundary> {
        None
    }

    /// By what its ends know each other, where it secures what it carries.
    fn secures(&self) -> Option<Secures> {
        None
    }

    /// When a client takes another way, by other layers, where this one leads nowhere.
    fn falls_back(&self) -> Option<FallsBack> {
        None
    }
}

/// Which layers take the place of those of a stack, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallsBack {
    /// From the top down to IP, which is left out: `tls/tcp`. Their options are those that a study leaves out.
    pub layers: &'static str,
    /// How long the layers of the stack are tried alone.
    pub after: Duration,
    /// Whether they are tried further, until one of both ways is there.
    pub races: bool,
    /// For how long the other way is taken at once, after it was taken.
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
