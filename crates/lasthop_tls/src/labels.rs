use std::collections::VecDeque;

use lasthop_contract::{Cause, Layer, Provenance};
use rustls::ContentType;
use rustls::crypto::cipher::OutboundPlainMessage;

use crate::handshake::WrittenHandshake;
use crate::record_labels::content_type::{ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE};
use crate::record_labels::{Spans, add_span, take_spans};
use crate::session::Known;

const RECORD_HEADER_LENGTH: usize = 5;
/// What TLS 1.2 adds in front of what AES-GCM seals (RFC 5288 section 3), and its tag.
const EXPLICIT_NONCE_LENGTH: usize = 8;
const TAG_LENGTH: usize = 16;

const RECORD: Provenance = Provenance::new(Layer::Tls, Cause::Header);
const SET_UP: Provenance = Provenance::new(Layer::Tls, Cause::SessionSetUp);
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
    handshake: WrittenHandshake,
    /// What was sealed and is not written yet: the library seals the answer to a KeyUpdate when that comes, and writes it
    /// before what is sealed next (RFC 8446 section 4.6.3).
    waiting: Option<Box<SealedRecord>>,
    /// The alert that was sent last.
    alert: Option<u8>,
}

/// A record, and what it was before it was sealed, where it was.
struct Record<'a> {
    kind: u8,
    body: &'a [u8],
    sealed: Option<SealedRecord>,
}

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

impl Record<'_> {
    /// What it says, of a handshake or an alert.
    fn plain(&self) -> &[u8] {
        self.sealed.as_ref().map_or(self.body, |it| &it.plain)
    }

    fn length(&self) -> usize {
        let whole = self.body.len();
        self.sealed
            .as_ref()
            .map_or(whole, |it| it.length.min(whole))
    }
}

impl Labels {
    /// The alert that was sent last, as the registry of TLS numbers it.
    pub(crate) fn alert(&self) -> Option<u8> {
        self.alert
    }

    /// Whether the end of early data was sent, as a client does whose early data is taken (RFC 8446 section 4.5).
    pub(crate) fn has_ended_early_data(&self) -> bool {
        self.handshake.has_ended_early_data()
    }

    /// So many bytes, where no books are kept.
    pub(crate) fn of_anything(length: usize) -> Spans {
        let mut spans = Spans::new();
        add_span(&mut spans, RECORD, length);
        spans
    }

    /// Takes what was sealed since, where no books are kept: of an established session an alert alone is wanted.
    pub(crate) fn follow(&mut self, sealed: &mut VecDeque<SealedRecord>) {
        let waiting = self.waiting.take().map(|it| *it);
        for record in waiting.into_iter().chain(sealed.drain(..)) {
            if record.kind == ALERT {
                self.alert = record.plain.get(1).copied();
            }
        }
    }

    /// Labels whole records, and in them whole messages. `sealed` tells what was sealed since, and is taken; `data` tells of the
    /// application data where it comes from, and is used up as far as it is needed. Spans are as long as the bytes, whatever
    /// these are.
    pub(crate) fn label(
        &mut self,
        bytes: &[u8],
        known: Known,
        sealed: &mut VecDeque<SealedRecord>,
        data: &mut VecDeque<(Provenance, usize)>,
    ) -> Spans {
        if let Some(waiting) = self.waiting.take() {
            sealed.push_front(*waiting);
        }
        let records = self.records(bytes, known, sealed);
        self.waiting = sealed.pop_front().map(Box::new);
        let mut handshake = self.of_handshake(&records, known);
        let mut spans = Spans::new();
        for record in records {
            add_span(&mut spans, RECORD, RECORD_HEADER_LENGTH);
            let added = record.body.len().saturating_sub(record.length());
            let before = match known.is_tls12 && added == EXPLICIT_NONCE_LENGTH + TAG_LENGTH {
                true => EXPLICIT_NONCE_LENGTH,
                false => 0,
            };
            add_span(&mut spans, RECORD, before);
            match record.kind {
                APPLICATION_DATA => take_spans(data, record.length(), RECORD, &mut spans),
                HANDSHAKE => take_spans(&mut handshake, record.length(), RECORD, &mut spans),
                ALERT => {
                    self.alert = record.plain().get(1).copied();
                    add_span(&mut spans, TEAR_DOWN, record.length());
                }
                _ => add_span(&mut spans, SET_UP, record.length()),
            }
            add_span(&mut spans, RECORD, added - before);
        }
        spans
    }

    /// Cuts records apart.
    fn records<'a>(
        &mut self,
        mut bytes: &'a [u8],
        known: Known,
        sealed: &mut VecDeque<SealedRecord>,
    ) -> Vec<Record<'a>> {
        let mut records = Vec::new();
        while let Some((&[kind, _, _, high, low], after)) =
            bytes.split_first_chunk::<RECORD_HEADER_LENGTH>()
        {
            let length = usize::from(u16::from_be_bytes([high, low])).min(after.len());
            let (body, next) = after.split_at(length);
            bytes = next;
            let is_sealed = kind == APPLICATION_DATA || self.seals_all;
            let sealed = is_sealed.then(|| sealed.pop_front()).flatten();
            records.push(Record {
                kind: sealed.as_ref().map_or(kind, |it| it.kind),
                body,
                sealed,
            });
            // TLS 1.3 sends one that means nothing (RFC 8446 appendix D.4).
            self.seals_all |= kind == CHANGE_CIPHER_SPEC && known.is_tls12;
        }
        records
    }

    /// What the bytes of the handshake in records are there for. The library writes whole messages at once.
    fn of_handshake(
        &mut self,
        records: &[Record<'_>],
        known: Known,
    ) -> VecDeque<(Provenance, usize)> {
        let records = records.iter().filter(|it| it.kind == HANDSHAKE);
        let flight: Vec<u8> = records.flat_map(Record::plain).copied().collect();
        let parts = self.handshake.read(&flight);
        let label = |(part, length)| {
            let cause = self.handshake.cause_of(part, known.is_resumed);
            (Provenance::new(Layer::Tls, cause), length)
        };
        parts.into_iter().map(label).collect()
    }
}
