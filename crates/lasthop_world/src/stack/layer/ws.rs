use super::{Carriage, LayerEntry};

/// WebSocket (RFC 6455).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    carries: &[Carriage::Messages],
    over: &[Carriage::Stream],
    ..LayerEntry::planned("ws", "messages over HTTP's connection")
};
