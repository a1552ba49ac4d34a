//! A congestion control of one's own: lasthop's TCP by another law, as a layer for whatever stands on a stream.

use std::sync::Arc;

use lasthop_contract::Transport;
use lasthop_transport::tcp::{CongestionControl, CongestionLaw, Tcp, TcpProfile};
use lasthop_units::Instant;
use lasthop_world::{
    Below, Carriage, HostEnd, LayerBuilder, LayerEntry, LayerKind, Registry, Role,
};

/// The layer: its name in the notation of stacks, and what builds it.
const LAYER: LayerEntry = LayerEntry {
    name: "toy_protocol_tcp",
    summary: "a stream of bytes that yields to no loss",
    carries: &[Carriage::Stream],
    over: &[Carriage::Packets],
    options: &[],
    kind: LayerKind::Transport(|_, _| Box::new(Bold)),
};

/// Adds the layer.
pub fn added_to(registry: Registry) -> Registry {
    registry.with_layer(LAYER)
}

/// Each acknowledgement lets the window grow by one, and a loss takes nothing of it.
#[derive(Debug)]
struct Unyielding;

impl CongestionLaw for Unyielding {
    fn growth_interval(&mut self, _now: Instant, _window: u32, _acked: u32) -> u32 {
        1
    }

    fn threshold_after_loss(&mut self, window: u32) -> u32 {
        window
    }
}

/// TCP as lasthop has it, with that law.
struct Bold;

impl LayerBuilder for Bold {
    fn build(&self, host: &HostEnd<'_>, _role: Role, below: Below) -> Box<dyn Transport> {
        let profile = TcpProfile {
            congestion: CongestionControl::own(|| Unyielding),
            ..TcpProfile::linux()
        };
        let (place, _) = below.into_ip();
        Box::new(Tcp::at(place, Arc::new(profile), host.stream("tcp")))
    }
}
