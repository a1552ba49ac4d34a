use lasthop_contract::{Cause, Layer};

use crate::marks::mark;
use crate::portion::Portion;
use crate::stream::causes_of;

/// The head of a record: type, version, epoch, number, length (RFC 6347 §4.1).
const HEADER: usize = 13;

/// Tells of DTLS records; `false` where a datagram begins with none.
pub(super) fn classify(portion: &mut Portion, kept: &[u8], length: usize) -> bool {
    let mut at = 0;
    while let Some(head) = kept.get(at..).and_then(|rest| rest.first_chunk::<HEADER>()) {
        let Some((framing, body)) = causes_of(head[0]).filter(|_| head[1] == 0xfe) else {
            break;
        };
        let end = at + HEADER + usize::from(u16::from_be_bytes([head[11], head[12]]));
        if end > length {
            break;
        }
        mark(&mut portion.spans, Layer::Dtls, framing, HEADER);
        mark(&mut portion.spans, Layer::Dtls, body, end - at - HEADER);
        at = end;
    }
    if at > 0 {
        mark(&mut portion.spans, Layer::Dtls, Cause::Opaque, length - at);
    }
    at > 0
}
