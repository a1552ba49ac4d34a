//! Layers that have a name and options, and no machine yet.

use super::{Carriage, LayerEntry, LayerKind};
use crate::stack::{OptionEntry, OptionKind};

/// RTPS messages on a stream: frames of each vendor's own, for the specification has none.
pub(super) const RTPS_TCP: LayerEntry = planned(
    "rtps_tcp",
    "RTPS messages in frames on a stream",
    &[Carriage::Frames],
    &[Carriage::Stream],
    &[],
);

/// WebSocket (RFC 6455).
pub(super) const WS: LayerEntry = planned(
    "ws",
    "messages over HTTP's connection",
    &[Carriage::Messages],
    &[Carriage::Stream],
    &[],
);

/// DTLS (RFC 9147).
pub(super) const DTLS: LayerEntry = planned(
    "dtls",
    "secured datagrams",
    &[Carriage::Datagrams],
    &[Carriage::Datagrams],
    &[OptionEntry::new(
        "cid",
        OptionKind::Size(0, 20),
        "length of the connection ID",
    )
    .default("0B")],
);

/// QUIC (RFC 9000).
pub(super) const QUIC: LayerEntry = planned(
    "quic",
    "secured streams over datagrams",
    &[Carriage::Streams],
    &[Carriage::OpenDatagrams],
    &[OptionEntry::new("early_data", OptionKind::Switch, "0-RTT data").default("off")],
);

const fn planned(
    name: &'static str,
    summary: &'static str,
    carries: &'static [Carriage],
    over: &'static [Carriage],
    options: &'static [OptionEntry],
) -> LayerEntry {
    LayerEntry {
        name,
        summary,
        carries,
        over,
        options,
        kind: LayerKind::Planned,
    }
}
