use std::collections::VecDeque;

use lasthop_contract::Provenance;

/// The provenance of consecutive bytes: spans, each with its number of bytes.
pub type Spans = Vec<(Provenance, usize)>;

/// The content types of records, shared by TLS and DTLS (RFC 8446 section 5.1).
pub mod content_type {
    /// The content type of a change_cipher_spec record.
    pub const CHANGE_CIPHER_SPEC: u8 = 20;
    /// The content type of an alert record.
    pub const ALERT: u8 = 21;
    /// The content type of a handshake record.
    pub const HANDSHAKE: u8 = 22;
    /// The content type of an application data record.
    pub const APPLICATION_DATA: u8 = 23;
}

/// Appends bytes with one provenance. They extend the last span if its provenance is the same.
#[inline]
pub fn add_span(spans: &mut Spans, label: Provenance, length: usize) {
    match spans.last_mut() {
        Some((last, count)) if *last == label => *count += length,
        _ if length == 0 => {}
        _ => spans.push((label, length)),
    }
}

/// Moves the spans of the first `length` bytes from `data` to `spans`. `rest` labels bytes that `data` does not cover.
#[inline]
pub fn take_spans(
    data: &mut VecDeque<(Provenance, usize)>,
    mut length: usize,
    rest: Provenance,
    spans: &mut Spans,
) {
    while length > 0
        && let Some((label, available)) = data.front_mut()
    {
        let taken = length.min(*available);
        add_span(spans, *label, taken);
        length -= taken;
        *available -= taken;
        if *available == 0 {
            data.pop_front();
        }
    }
    add_span(spans, rest, length);
}

#[cfg(test)]
mod tests {
    use lasthop_contract::{Cause, Layer};

    use super::*;

    const HEADER: Provenance = Provenance::new(Layer::Tls, Cause::Header);
    const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

    #[test]
    fn bytes_without_a_label_of_their_own_get_the_rest() {
        let mut data = VecDeque::from([(PAYLOAD, 3), (PAYLOAD, 4)]);
        let mut spans = Spans::new();
        take_spans(&mut data, 5, HEADER, &mut spans);
        assert_eq!(
            (&spans[..], &data),
            (&[(PAYLOAD, 5)][..], &[(PAYLOAD, 2)].into())
        );
        take_spans(&mut data, 6, HEADER, &mut spans);
        assert_eq!(spans, [(PAYLOAD, 7), (HEADER, 4)]);
        add_span(&mut spans, PAYLOAD, 0);
        assert_eq!(spans.len(), 2, "no bytes, no span");
    }
}
