use lasthop_contract::Cause;

use crate::message_kind::MessageKind;
use crate::portion::{Portion, Remark};

/// The packets of a capture in columns, for statistics over them: a number each, in the order in which they were told.
#[derive(Clone, Debug, Default)]
pub struct PortionLog {
    /// When each was captured, in ns since 1970.
    pub at_ns: Vec<u64>,
    /// Its conversation, by its place among them.
    pub conversation: Vec<u32>,
    /// 0 from who opened the conversation, 1 to it.
    pub direction: Vec<u8>,
    /// Its IP bytes.
    pub bytes: Vec<u32>,
    /// Bytes of payload.
    pub payload: Vec<u32>,
    /// Bytes that hide what they are for.
    pub opaque: Vec<u32>,
    /// Bytes that set a session up.
    pub set_up: Vec<u32>,
    /// The first message that begins in it, by its place in [`MessageKind::ALL`]; 255 where none does.
    pub kind: Vec<u8>,
    /// The second.
    pub second_kind: Vec<u8>,
    /// Whether all that it carries was sent before.
    pub is_repeated: Vec<u8>,
}

const NONE: u8 = u8::MAX;

impl PortionLog {
    pub(crate) fn add(&mut self, portion: &Portion) {
        let of = |causes: &[Cause]| {
            let spans = portion.spans.iter();
            let counted = spans.filter(|span| causes.contains(&span.provenance.cause));
            counted.map(|span| u32::from(span.length)).sum::<u32>()
        };
        let kind = |place: usize| {
            let kind = portion.messages.get(place);
            kind.map_or(NONE, |kind: &MessageKind| *kind as u8)
        };
        self.at_ns.push(portion.at.as_nanos());
        self.conversation.push(portion.conversation.0);
        self.direction.push(portion.direction as u8);
        self.bytes.push(portion.bytes() as u32);
        self.payload.push(of(&[Cause::Payload]));
        self.opaque.push(of(&[Cause::Opaque]));
        self.set_up.push(of(&[
            Cause::SessionSetUp,
            Cause::SessionResumption,
            Cause::SessionResumptionEarly,
            Cause::Certificates,
            Cause::AddressValidation,
        ]));
        self.kind.push(kind(0));
        self.second_kind.push(kind(1));
        let is_repeated = matches!(portion.remark, Remark::Repeated | Remark::RepeatedInVain);
        self.is_repeated.push(is_repeated.into());
    }
}
