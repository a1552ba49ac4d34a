//! The provenance of bytes of MQTT.

use lasthop_contract::{Cause, Chunk, Layer, MessageId, Provenance};

/// Returns a chunk of bytes that belong to no single message.
pub(crate) const fn chunk(bytes: &[u8], cause: Cause) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, cause),
    }
}

/// Returns a chunk of bytes of a message, if the message is known.
pub(crate) const fn message_chunk(
    bytes: &[u8],
    cause: Cause,
    message: Option<MessageId>,
) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance {
            layer: Layer::Application,
            cause,
            message,
        },
    }
}

/// Returns the two chunks of a PUBLISH. All bytes of a retransmission count as a further copy.
pub(crate) const fn publication<'a>(
    head: &'a [u8],
    payload: &'a [u8],
    message: Option<MessageId>,
    is_repetition: bool,
) -> [Chunk<'a>; 2] {
    if is_repetition {
        [
            message_chunk(head, Cause::Retransmission, message),
            message_chunk(payload, Cause::Retransmission, message),
        ]
    } else {
        [
            message_chunk(head, Cause::Header, message),
            message_chunk(payload, Cause::Payload, message),
        ]
    }
}
