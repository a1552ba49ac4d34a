use lasthop_contract::{Cause, Layer};

use super::coap_content::CoapContent;
use super::recent::{Recent, digest};
use crate::marks::mark;
use crate::message_kind::MessageKind;
use crate::portion::{Portion, Remark};

const HEADER: usize = 4;
const CONFIRMABLE: u8 = 0;
const ACKNOWLEDGEMENT: u8 = 2;
const RESET: u8 = 3;
const EMPTY: u8 = 0;

/// Classifies a CoAP message in a datagram (RFC 7252 section 3). Returns `false` for other datagrams.
pub(super) fn classify(
    seen: &mut Recent,
    portion: &mut Portion,
    kept: &[u8],
    length: usize,
) -> bool {
    let Some(&[first, code, high, low]) = kept.first_chunk::<HEADER>() else {
        return false;
    };
    let token = usize::from(first & 15);
    let start = HEADER + token;
    if first >> 6 != 1 || token > 8 || start > length || kept.len() < start {
        return false;
    }
    let kind = first >> 4 & 3;
    let Ok(content) = content(kind, code, &kept[start..], length - start) else {
        return false;
    };
    let is_reply = matches!(kind, ACKNOWLEDGEMENT | RESET);
    let number = u16::from_be_bytes([high, low]);
    let name = [number.into(), is_reply.into(), 0, 0];
    let name = (portion.conversation, portion.direction, name);
    let is_again = seen.note(portion.at, name, digest(kept));
    portion.messages.push(MessageKind::of_coap_type(kind));
    portion.messages.extend(MessageKind::of_coap_code(code));
    let head = start + content.options;
    let (framing, payload) = match (is_again, is_reply) {
        // The answer at once to who asks to observe; notifications are messages of their own.
        (false, true) if content.observes => (Cause::SessionSetUp, content.payload),
        (false, _) => (content.framing, content.payload),
        // What came again was answered again.
        (true, true) => (Cause::Acknowledgement, Cause::Acknowledgement),
        (true, false) => (Cause::Retransmission, Cause::Retransmission),
    };
    if is_again && !is_reply {
        portion.remark = Remark::Repeated;
    }
    mark(&mut portion.spans, Layer::Application, framing, head);
    mark(
        &mut portion.spans,
        Layer::Application,
        payload,
        length - head,
    );
    true
}

/// What a message is for, by its type too.
fn content(
    kind: u8,
    code: u8,
    bytes: &[u8],
    length: usize,
) -> Result<CoapContent, super::NoContent> {
    let all = |cause| {
        Ok(CoapContent {
            framing: cause,
            payload: cause,
            options: 0,
            observes: false,
        })
    };
    match (code, kind) {
        (EMPTY, _) if length > 0 => Err(super::NoContent::Malformed),
        (EMPTY, CONFIRMABLE) => all(Cause::KeepAlive),
        (EMPTY, _) => all(Cause::Acknowledgement),
        _ if !matches!(code >> 5, 0 | 2 | 4 | 5) => Err(super::NoContent::Malformed),
        _ => CoapContent::read(code, bytes, length),
    }
}
