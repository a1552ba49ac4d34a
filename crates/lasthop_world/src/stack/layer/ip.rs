use super::{Carriage, LayerEntry, LayerKind};
use crate::stack::{OptionEntry, OptionKind};

/// IPv4 (RFC 791) or IPv6 (RFC 8200).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "ip",
    summary: "IP without options, extension headers and fragments",
    carries: &[Carriage::Packets],
    over: &[],
    options: &[OptionEntry::new("version", OptionKind::Word(&["4", "6"]), "of IP").default("4")],
    kind: LayerKind::Network,
};
