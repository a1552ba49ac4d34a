use lasthop_contract::{Cause, Layer, Provenance, Span, Spans};

/// Appends bytes with a provenance to a list of spans. Neighbours with equal provenance are merged up to the maximum
/// span length.
pub(crate) fn mark(spans: &mut Spans, layer: Layer, cause: Cause, mut length: usize) {
    let provenance = Provenance::new(layer, cause);
    if let Some(last) = spans.last_mut()
        && last.provenance == provenance
    {
        let room = usize::from(u16::MAX - last.length).min(length);
        last.length += room as u16;
        length -= room;
    }
    while length > 0 {
        let part = length.min(usize::from(u16::MAX));
        spans.push(Span {
            provenance,
            length: part as u16,
        });
        length -= part;
    }
}
