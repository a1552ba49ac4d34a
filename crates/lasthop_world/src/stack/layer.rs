mod ip;
mod planned;
mod tcp;
mod udp;

use lasthop_contract::Transport;

use super::builder::Role;
use super::{Below, HostEnd, OptionEntry, Options};

/// A layer of stacks, as the catalogue has it.
#[derive(Clone, Copy, Debug)]
pub struct LayerEntry {
    /// As in the notation of stacks.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Its settings.
    pub options: &'static [OptionEntry],
    /// What is built of it.
    pub kind: LayerKind,
}

/// What is built of a layer.
#[derive(Clone, Copy, Debug)]
pub enum LayerKind {
    /// It is IP, which hosts have.
    Network,
    /// A transport over what is below.
    Transport(fn(Options<'_>) -> Box<dyn LayerBuilder>),
    /// Nothing yet.
    Planned,
}

/// A layer with its settings, which hosts share.
pub trait LayerBuilder {
    /// The layer of one host over what is below.
    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport>;
}

/// Every layer of the project, from the top down.
pub(super) const ALL: &[LayerEntry] = &[
    planned::WS,
    planned::TLS,
    planned::DTLS,
    planned::QUIC,
    tcp::ENTRY,
    udp::ENTRY,
    ip::ENTRY,
];
