use std::collections::VecDeque;

use lasthop_contract::{Cause, Layer, Provenance};
use rustls::ContentType;
use rustls::crypto::cipher::OutboundPlainMessage;

const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;

// Of the messages of a handshake (RFC 8446 section 4).
const END_OF_EARLY_DATA: u8 = 5;
const CERTIFICATE: u8 = 11;

const RECORD_HEADER_LENGTH: usize = 5;
const MESSAGE_HEADER_LENGTH: usize = 4;
/// What TLS 1.2 adds in front of what AES-GCM seals (RFC 5288 section 3), and its tag.
const EXPLICIT_NONCE_LENGTH: usize = 8;
const TAG_LENGTH: usize = 16;

const RECORD: Provenance = Provenance::new(Layer::Tls, Cause::Header);
const SET_UP: Provenance = Provenance::new(Layer::Tls, Cause::SessionSetUp);
const CERTIFICATES: Provenance = Provenance::new(Layer::Tls, Cause::Certificates);
const TEAR_DOWN: Provenance = Provenance::new(Layer::Tls, Cause::SessionTearDown);

/// What a record was before it was sealed.
#[derive(Debug)]
pub(crate) struct SealedRecord {
    kind: u8,
    length: usize,
    /// The bytes, of a handshake or an alert; application data is known already.
    plain: Box<[u8]>,
}

/// Says of every byte that a connection sends what it is there for.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Records are sealed from here on whatever they are (TLS 1.2).
    seals_all: bool,
    /// What is left of a message of the handshake that goes on in the next record, and whether it is of certificates.
    message_rest: usize,
    is_certificate: bool,
    /// The alert that was sent last.
    alert: Option<u8>,
    has_ended_early_data: bool,
}

/// Bytes of one provenance, by their number.
pub(crate) type Spans = Vec<(Provenance, usize)>;

impl SealedRecord {
    pub(crate) fn of(message: &OutboundPlainMessage<'_>) -> Self {
        let plain = match message.typ {
            ContentType::ApplicationData => Vec::new(),
            _ => message.payload.to_vec(),
        };
        Self {
            kind: message.typ.into(),
            length: message.payload.len(),
            plain: plain.into(),
        }
    }
}

impl Labels {
    /// The alert that was sent last, as the registry of TLS numbers it.
    pub(crate) fn alert(&self) -> Option<u8> {
        self.alert
    }

    /// Whether the end of early data was sent, as a client does whose early data is taken (RFC 8446 section 4.5).
    pub(crate) fn has_ended_early_data(&self) -> bool {
        self.has_ended_early_data
    }

    /// Labels whole records. `sealed` tells what those are that were sealed, and `data` of the application data in them
    /// where it comes from; both are used up as far as they are needed.
    pub(crate) fn label(
        &mut self,
        records: &[u8],
        is_tls12: bool,
        sealed: &mut VecDeque<SealedRecord>,
        data: &mut VecDeque<(Provenance, usize)>,
    ) -> Spans {
        let mut spans = Spans::new();
        let mut rest = records;
        while let Some((&[kind, _, _, high, low], after)) =
            rest.split_first_chunk::<RECORD_HEADER_LENGTH>()
        {
            let length = usize::from(u16::from_be_bytes([high, low])).min(after.len());
            let (body, next) = after.split_at(length);
            rest = next;
            add(&mut spans, RECORD, RECORD_HEADER_LENGTH);
            let is_sealed = kind == APPLICATION_DATA || self.seals_all;
            match is_sealed.then(|| sealed.pop_front()).flatten() {
                Some(record) => self.label_sealed(&record, length, is_tls12, data, &mut spans),
                None => self.label_plain(kind, body, &mut spans),
            }
            // TLS 1.3 sends one that means nothing (RFC 8446 appendix D.4).
            self.seals_all |= kind == CHANGE_CIPHER_SPEC && is_tls12;
        }
        spans
    }

    fn label_sealed(
        &mut self,
        record: &SealedRecord,
        length: usize,
        is_tls12: bool,
        data: &mut VecDeque<(Provenance, usize)>,
        spans: &mut Spans,
    ) {
        let added = length.saturating_sub(record.length);
        let before = match is_tls12 && added == EXPLICIT_NONCE_LENGTH + TAG_LENGTH {
            true => EXPLICIT_NONCE_LENGTH,
            false => 0,
        };
        add(spans, RECORD, before);
        if record.kind == APPLICATION_DATA {
            take(data, record.length, spans);
        } else {
            self.label_plain(record.kind, &record.plain, spans);
        }
        add(spans, RECORD, added - before);
    }

    fn label_plain(&mut self, kind: u8, body: &[u8], spans: &mut Spans) {
        match kind {
            HANDSHAKE => self.label_handshake(body, spans),
            ALERT => {
                self.alert = body.get(1).copied();
                add(spans, TEAR_DOWN, body.len());
            }
            _ => add(spans, SET_UP, body.len()),
        }
    }

    fn label_handshake(&mut self, mut body: &[u8], spans: &mut Spans) {
        while !body.is_empty() {
            if self.message_rest == 0 {
                // The library never cuts a message within its header.
                let Some(&[kind, high, middle, low]) = body.first_chunk() else {
                    return add(spans, SET_UP, body.len());
                };
                let length = u32::from_be_bytes([0, high, middle, low]) as usize;
                self.message_rest = MESSAGE_HEADER_LENGTH + length;
                self.is_certificate = kind == CERTIFICATE;
                self.has_ended_early_data |= kind == END_OF_EARLY_DATA;
            }
            let (of_message, after) = body.split_at(self.message_rest.min(body.len()));
            let label = if self.is_certificate {
                CERTIFICATES
            } else {
                SET_UP
            };
            add(spans, label, of_message.len());
            self.message_rest -= of_message.len();
            body = after;
        }
    }
}

fn take(data: &mut VecDeque<(Provenance, usize)>, mut length: usize, spans: &mut Spans) {
    while length > 0
        && let Some((label, available)) = data.front_mut()
    {
        let taken = length.min(*available);
        add(spans, *label, taken);
        length -= taken;
        *available -= taken;
        if *available == 0 {
            data.pop_front();
        }
    }
    add(spans, RECORD, length);
}

fn add(spans: &mut Spans, label: Provenance, length: usize) {
    match spans.last_mut() {
        Some((last, count)) if *last == label => *count += length,
        _ if length == 0 => {}
        _ => spans.push((label, length)),
    }
}
