use lasthop_contract::Transport;
use lasthop_transport::Udp;

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd};

/// UDP (RFC 768).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "udp",
    summary: "datagrams",
    carries: &[Carriage::Datagrams, Carriage::OpenDatagrams],
    over: &[Carriage::Packets],
    options: &[],
    kind: LayerKind::Transport(|_, _| Box::new(Datagrams)),
};

struct Datagrams;

impl LayerBuilder for Datagrams {
    fn build(&self, _host: &HostEnd<'_>, _role: Role, below: Below) -> Box<dyn Transport> {
        let (place, limit) = below.into_ip();
        Box::new(match limit {
            None => Udp::at(place),
            Some(limit) => Udp::bounded(place, limit),
        })
    }
}
