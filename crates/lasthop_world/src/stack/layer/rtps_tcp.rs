use super::{Carriage, LayerEntry};

/// RTPS messages on a stream: frames of each vendor's own, for the specification has none.
pub(super) const ENTRY: LayerEntry = LayerEntry {
    carries: &[Carriage::Frames],
    over: &[Carriage::Stream],
    ..LayerEntry::planned("rtps_tcp", "RTPS messages in frames on a stream")
};
