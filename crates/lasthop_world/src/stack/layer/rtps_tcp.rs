use lasthop_contract::Transport;
use lasthop_dds::RtpsTcp;

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd};

/// RTPS messages on a stream, in the frames of Fast DDS: DDSI-RTPS has none.
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "rtps_tcp",
    summary: "RTPS messages in frames on a stream, as Fast DDS has them",
    carries: &[Carriage::Frames],
    over: &[Carriage::Stream],
    options: &[],
    kind: LayerKind::Transport(|_, _| Box::new(Frames)),
};

struct Frames;

impl LayerBuilder for Frames {
    fn build(&self, host: &HostEnd<'_>, _role: Role, below: Below) -> Box<dyn Transport> {
        Box::new(RtpsTcp::new(below.into_transport(), host.address))
    }
}
