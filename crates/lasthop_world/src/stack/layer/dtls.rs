use super::{Carriage, LayerEntry};
use crate::stack::{OptionEntry, OptionKind};

/// DTLS (RFC 9147).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    carries: &[Carriage::Datagrams],
    over: &[Carriage::Datagrams],
    options: &[OptionEntry::new(
        "cid",
        OptionKind::Size(0, 20),
        "length of the connection ID",
    )
    .default("0B")],
    ..LayerEntry::planned("dtls", "secured datagrams")
};
