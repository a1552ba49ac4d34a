use lasthop_contract::{Cause, Layer};

use crate::marks::mark;
use crate::portion::{Portion, Remark};
use crate::stream::causes_of;

use super::{Recent, digest};

/// The head of a record: type, version, epoch, number, length (RFC 6347 section 4.1).
const HEADER: usize = 13;

const HANDSHAKE: u8 = 22;
/// Where a record says of which epoch it is; the first one is in the clear.
const EPOCH: usize = 3;
/// The head of a message: type, length, number, place and length of the fragment (RFC 6347 section 4.2.2).
const MESSAGE_HEADER: usize = 12;
/// A server says it again to each hello, and remembers none.
const HELLO_VERIFY_REQUEST: u8 = 3;

/// Classifies DTLS records. Returns `false` if a datagram does not begin with one. `flights` holds the unencrypted
/// handshake messages seen before.
pub(super) fn classify(
    flights: &mut Recent,
    portion: &mut Portion,
    kept: &[u8],
    length: usize,
) -> bool {
    let mut at = 0;
    let mut is_all_again = true;
    while let Some(head) = kept.get(at..).and_then(|rest| rest.first_chunk::<HEADER>()) {
        let Some((framing, body)) = causes_of(head[0]).filter(|_| head[1] == 0xfe) else {
            break;
        };
        let end = at + HEADER + usize::from(u16::from_be_bytes([head[11], head[12]]));
        if end > length {
            break;
        }
        let content = kept.get(at + HEADER..end);
        let is_clear = head[0] == HANDSHAKE && head[EPOCH..EPOCH + 2] == [0, 0];
        let is_again = is_clear && content.is_some_and(|it| is_again(flights, portion, it));
        is_all_again &= is_again;
        let (framing, body) = match is_again {
            true => (Cause::Retransmission, Cause::Retransmission),
            false => (framing, body),
        };
        mark(&mut portion.spans, Layer::Dtls, framing, HEADER);
        mark(&mut portion.spans, Layer::Dtls, body, end - at - HEADER);
        at = end;
    }
    if is_all_again && at > 0 && at == length {
        portion.remark = Remark::Repeated;
    }
    if at > 0 {
        mark(&mut portion.spans, Layer::Dtls, Cause::Opaque, length - at);
    }
    at > 0
}

/// Whether a fragment of a message was sent before: the same bytes by the same number.
fn is_again(flights: &mut Recent, portion: &Portion, fragment: &[u8]) -> bool {
    let Some(&[kind, _, _, _, high, low, a, b, c, ..]) = fragment.first_chunk::<MESSAGE_HEADER>()
    else {
        return false;
    };
    let number = u64::from(u16::from_be_bytes([high, low]));
    let offset = u64::from(u32::from_be_bytes([0, a, b, c]));
    let name = [u64::from(kind), number, offset, fragment.len() as u64];
    let name = (portion.conversation, portion.direction, name);
    flights.note(portion.at, name, digest(fragment)) && kind != HELLO_VERIFY_REQUEST
}
