//! The provenance of the bytes of an RTPS message.

use core::ops::Range;

use lasthop_contract::{Cause, Layer, MessageId, Provenance};

use crate::sample::BEFORE_PAYLOAD;
use crate::submessage::{EntityId, HEADER_LENGTH, SampleName, Submessage, is_builtin, submessages};

/// Who asserts that participants are alive (DDSI-RTPS 2.5 §9.6.3.1).
const PARTICIPANT_MESSAGE_WRITER: EntityId = [0, 2, 0, 0xc2];

/// A message that a datagram carries, in whole or in part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    pub(crate) id: MessageId,
    /// The payload size in bytes.
    pub(crate) length: usize,
    /// Whether the bytes are retransmitted.
    pub(crate) is_again: bool,
}

/// Splits an RTPS message into parts with their provenance, in order and without gaps. `carried` is called for every
/// user sample.
pub(crate) fn parts(
    message: &[u8],
    mut carried: impl FnMut(EntityId, SampleName) -> Option<Carried>,
) -> Vec<(Range<usize>, Provenance)> {
    let mut parts = Vec::new();
    let mut end = HEADER_LENGTH.min(message.len());
    let mut first = None;
    for submessage in submessages(message) {
        let purpose = submessage
            .sample()
            .zip(submessage.writer().filter(|writer| !is_builtin(*writer)))
            .and_then(|(name, writer)| Some((name, carried(writer, name)?)));
        let framing = match purpose {
            Some((_, sample)) if sample.is_again => {
                Provenance::of_message(Cause::Retransmission, sample.id)
            }
            Some((_, sample)) => Provenance::of_message(Cause::Header, sample.id),
            None => Provenance::new(Layer::Application, cause(&submessage)),
        };
        if submessage.writer().is_some() {
            first = first.or(Some(framing));
        }
        let place = submessage.place();
        let payload = match purpose {
            Some((name, sample)) => payload(&submessage, name, sample.length),
            None => place.end..place.end,
        };
        parts.push((place.start..payload.start, framing));
        if let Some((_, sample)) = purpose {
            let cause = if sample.is_again {
                Cause::Retransmission
            } else {
                Cause::Payload
            };
            parts.push((payload.clone(), Provenance::of_message(cause, sample.id)));
        }
        parts.push((payload.end..place.end, framing));
        end = place.end;
    }
    let opaque = Provenance::new(Layer::Application, Cause::Opaque);
    parts.push((end..message.len(), opaque));
    // The header serves what comes first in the message.
    let header = first.unwrap_or(Provenance::new(Layer::Application, Cause::Header));
    parts.insert(0, (0..HEADER_LENGTH.min(message.len()), header));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

/// What a part is there for that carries no sample of a user.
fn cause(submessage: &Submessage<'_>) -> Cause {
    match submessage.writer() {
        // Time stamps and destinations.
        None => Cause::Header,
        Some(PARTICIPANT_MESSAGE_WRITER) => Cause::KeepAlive,
        Some(writer) if is_builtin(writer) => Cause::SessionSetUp,
        Some(_) if submessage.is_data() => Cause::Header,
        Some(_) => Cause::Acknowledgement,
    }
}

/// Where the user's own bytes lie in a message.
fn payload(submessage: &Submessage<'_>, name: SampleName, length: usize) -> Range<usize> {
    let start = submessage.sample_start();
    let end = submessage.place().end;
    let place = |at: usize| (start + at.saturating_sub(name.offset)).min(end);
    place(BEFORE_PAYLOAD)..place(BEFORE_PAYLOAD + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::num::NonZeroU32;
    use lasthop_contract::{FlowId, RandomStream};

    const ID: MessageId = MessageId {
        flow: FlowId(7),
        number: NonZeroU32::MIN,
    };

    fn submessage(kind: u8, flags: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len()).unwrap().to_le_bytes();
        [&[kind, flags, length[0], length[1]], body].concat()
    }

    /// A sample of 5 B with a key hash, and the heartbeat behind it, as the specification lays them out.
    fn message() -> Vec<u8> {
        let writer = [0, 0, 1, 2];
        let reader = [0, 0, 1, 7];
        let number = [0, 0, 0, 0, 1, 0, 0, 0];
        let key_hash = [&[0x70, 0, 16, 0][..], &[9; 16], &[1, 0, 0, 0]].concat();
        let sample = [
            0, 1, 0, 0, 7, 0, 0, 0, 5, 0, 0, 0, b'h', b'e', b'l', b'l', b'o',
        ];
        let data = [
            &[0, 0, 16, 0],
            &reader[..],
            &writer,
            &number,
            &key_hash,
            &sample,
        ]
        .concat();
        let heartbeat = [&reader[..], &writer, &number, &number, &[1, 0, 0, 0]].concat();
        [
            [&b"RTPS\x02\x04\x01\x14"[..], &[3; 12]].concat(),
            submessage(0x0e, 1, &[4; 12]),
            submessage(0x09, 1, &[5; 8]),
            submessage(0x15, 1 | 2 | 4, &data),
            submessage(0x07, 1, &heartbeat),
        ]
        .concat()
    }

    fn carried(is_again: bool) -> impl Fn(EntityId, SampleName) -> Option<Carried> {
        move |_, _| {
            Some(Carried {
                id: ID,
                length: 5,
                is_again,
            })
        }
    }

    fn bytes_for(cause: Cause, is_again: bool) -> usize {
        let all = parts(&message(), carried(is_again));
        let all = all.iter().filter(|(_, it)| it.cause == cause);
        all.map(|(place, _)| place.len()).sum()
    }

    #[test]
    fn the_payload_is_what_the_user_wrote() {
        let message = message();
        let all = parts(&message, carried(false));
        let mut payload = all.iter().filter(|(_, it)| it.cause == Cause::Payload);
        let (place, provenance) = payload.next().unwrap();
        assert_eq!(&message[place.clone()], b"hello");
        assert_eq!(provenance.message, Some(ID));
        assert!(payload.next().is_none());
    }

    #[test]
    fn what_leaves_again_is_no_payload_and_a_heartbeat_is_none_of_it() {
        // A submessage has a header of 4 B; its body has 28 B.
        assert_eq!(bytes_for(Cause::Acknowledgement, false), 32);
        assert_eq!(bytes_for(Cause::Acknowledgement, true), 32);
        assert_eq!(bytes_for(Cause::Payload, true), 0);
        let notes = 16 + 12;
        assert_eq!(
            bytes_for(Cause::Retransmission, true),
            message().len() - 32 - notes
        );
    }

    #[test]
    fn every_byte_has_one_cause_whatever_the_message_is() {
        let mut stream = RandomStream::named(1, "hostile");
        for round in 0..20_000 {
            let mut message = message();
            if round > 0 {
                for _ in 0..=stream.below(4) {
                    let place = stream.below(message.len() as u64) as usize;
                    message[place] = stream.next_u64() as u8;
                }
                message.truncate(stream.below(message.len() as u64 + 1) as usize);
            }
            let all = parts(&message, carried(false));
            let mut end = 0;
            for (place, _) in all {
                assert_eq!(place.start, end);
                end = place.end;
            }
            assert_eq!(end, message.len());
        }
    }
}
