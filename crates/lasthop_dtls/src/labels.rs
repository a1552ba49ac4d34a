use std::collections::VecDeque;

use lasthop_contract::{Cause, Layer, Provenance};
use lasthop_tls::content_type::{ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE};
use lasthop_tls::{Spans, add_span, take_spans};

use crate::hello::{RECORD_HEADER_LENGTH, TLS12_CID, cookie_in, names_session};

const ACK: u8 = 26;

/// Of the messages of a handshake (RFC 5246 section 7.4).
const CERTIFICATE: u8 = 11;

/// A sealed record of DTLS 1.3, with two bytes of its number and its length (RFC 9147 section 4).
const UNIFIED: u8 = 0b0010_1100;
const UNIFIED_LENGTH: usize = 1 + 2 + 2;

/// Where a record says of which epoch it is (RFC 6347 section 4.1).
const EPOCH: usize = 3;
/// Where what is sealed is told what it is sealed as (RFC 5246 section 6.2.3.3).
const SEALED_AS: usize = 8;

const RECORD: Provenance = Provenance::new(Layer::Dtls, Cause::Header);
const SET_UP: Provenance = Provenance::new(Layer::Dtls, Cause::SessionSetUp);
const RESUMPTION: Provenance = Provenance::new(Layer::Dtls, Cause::SessionResumption);
const CERTIFICATES: Provenance = Provenance::new(Layer::Dtls, Cause::Certificates);
const AGAIN: Provenance = Provenance::new(Layer::Dtls, Cause::Retransmission);
const VALIDATION: Provenance = Provenance::new(Layer::Dtls, Cause::AddressValidation);
const ACKNOWLEDGEMENT: Provenance = Provenance::new(Layer::Dtls, Cause::Acknowledgement);
const TEAR_DOWN: Provenance = Provenance::new(Layer::Dtls, Cause::SessionTearDown);

/// What a record was before it was sealed.
#[derive(Debug)]
pub(crate) struct SealedRecord {
    kind: u8,
    length: usize,
    /// The bytes, of a handshake; of anything else the length says enough.
    plain: Box<[u8]>,
}

/// Says of every byte that a connection sends what it is there for.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// What of the handshake was sent: up to this message, and this place in it.
    sent: (u16, u32),
    has_changed_cipher: bool,
    is_resumed: bool,
}

impl SealedRecord {
    pub(crate) fn of(plain: &[u8], sealed_as: &[u8]) -> Self {
        let mut kind = sealed_as.get(SEALED_AS).copied().unwrap_or_default();
        let mut plain = plain;
        // The kind stands behind the content.
        if (kind == TLS12_CID || sealed_as.len() == UNIFIED_LENGTH)
            && let Some((last, content)) = plain.split_last()
        {
            (kind, plain) = (*last, content);
        }
        Self {
            kind,
            length: plain.len(),
            plain: if kind == HANDSHAKE {
                plain.into()
            } else {
                Box::default()
            },
        }
    }
}

impl Labels {
    /// Says whether both ends go on with an earlier session, as far as is known.
    pub(crate) fn set_resumed(&mut self, is_resumed: bool) {
        self.is_resumed = is_resumed;
    }

    /// A datagram, where no books are kept.
    pub(crate) fn of_anything(datagram: &[u8]) -> Spans {
        vec![(RECORD, datagram.len())]
    }

    /// Labels a datagram, whose records have a connection ID of this length where they have one. `sealed` tells what its records are that were sealed, and `data` of the application data in them
    /// where it comes from; both are used up as far as they are needed.
    pub(crate) fn label(
        &mut self,
        datagram: &[u8],
        id_length: usize,
        sealed: &mut VecDeque<SealedRecord>,
        data: &mut VecDeque<(Provenance, usize)>,
    ) -> Spans {
        let mut spans = Spans::new();
        let mut rest = datagram;
        while let Some(kind) = rest.first() {
            // The last two bits are those of the epoch.
            let is_unified = kind & !3 == UNIFIED;
            let header_length = match *kind {
                TLS12_CID => RECORD_HEADER_LENGTH + id_length,
                _ if is_unified => UNIFIED_LENGTH,
                _ => RECORD_HEADER_LENGTH,
            };
            let Some((header, after)) = rest.split_at_checked(header_length) else {
                break;
            };
            let length = u16::from_be_bytes([header[header_length - 2], header[header_length - 1]]);
            let (body, next) = after.split_at(after.len().min(length.into()));
            rest = next;
            let is_sealed = is_unified || header[EPOCH..EPOCH + 2] != [0, 0];
            match is_sealed.then(|| sealed.pop_front()).flatten() {
                Some(record) => {
                    let length = header_length + body.len();
                    self.label_sealed(&record, length, data, &mut spans);
                }
                None => {
                    let label = self.of_record(header[0], body);
                    add_span(&mut spans, header_of(label), header_length);
                    let cookie = match label {
                        SET_UP | RESUMPTION => cookie_in(body).unwrap_or_default(),
                        _ => 0..0,
                    };
                    add_span(&mut spans, label, cookie.start);
                    add_span(&mut spans, VALIDATION, cookie.len());
                    add_span(&mut spans, label, body.len() - cookie.end);
                }
            }
        }
        spans
    }

    fn label_sealed(
        &mut self,
        record: &SealedRecord,
        length: usize,
        data: &mut VecDeque<(Provenance, usize)>,
        spans: &mut Spans,
    ) {
        let label = self.of_record(record.kind, &record.plain);
        // Number, kind and tag stand around what is sealed.
        let added = length.saturating_sub(record.length);
        add_span(spans, header_of(label), added);
        match record.kind {
            APPLICATION_DATA => take_spans(data, record.length, RECORD, spans),
            _ => add_span(spans, label, record.length),
        }
    }

    /// What the content of a record is there for.
    fn of_record(&mut self, kind: u8, plain: &[u8]) -> Provenance {
        match kind {
            HANDSHAKE => self.of_message(plain),
            CHANGE_CIPHER_SPEC if core::mem::replace(&mut self.has_changed_cipher, true) => AGAIN,
            ALERT => TEAR_DOWN,
            ACK => ACKNOWLEDGEMENT,
            _ => self.set_up(),
        }
    }

    /// Of a fragment of a message (RFC 6347 section 4.2.2); the library puts one into a record.
    fn of_message(&mut self, fragment: &[u8]) -> Provenance {
        let Some(&[kind, _, _, _, high, low, a, b, c, d, e, f]) = fragment.first_chunk() else {
            return SET_UP;
        };
        let number = u16::from_be_bytes([high, low]);
        let offset = u32::from_be_bytes([0, a, b, c]);
        let end = offset + u32::from_be_bytes([0, d, e, f]);
        // A message without content is behind the one before all the same.
        let place = (number, end + 1);
        if place <= self.sent {
            return AGAIN;
        }
        self.sent = place;
        match kind {
            CERTIFICATE => CERTIFICATES,
            // What a client offers is known before what the server makes of it.
            _ if names_session(fragment) => RESUMPTION,
            _ => self.set_up(),
        }
    }

    fn set_up(&self) -> Provenance {
        match self.is_resumed {
            true => RESUMPTION,
            false => SET_UP,
        }
    }
}

/// Of the header of a record with such a content.
fn header_of(content: Provenance) -> Provenance {
    match content {
        AGAIN => AGAIN,
        _ => RECORD,
    }
}
