use super::{Carriage, LayerEntry};
use crate::stack::{OptionEntry, OptionKind};

/// QUIC (RFC 9000).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    carries: &[Carriage::Streams],
    over: &[Carriage::OpenDatagrams],
    options: &[OptionEntry::new("early_data", OptionKind::Switch, "0-RTT data").default("off")],
    ..LayerEntry::planned("quic", "secured streams over datagrams")
};
