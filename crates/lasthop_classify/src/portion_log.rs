use lasthop_contract::Cause;

use crate::message_kind::MessageKind;
use crate::portion::{Portion, Remark};

/// The packets of a capture as columns for statistics, one value for each packet, in the order of classification.
#[derive(Clone, Debug, Default)]
pub struct PortionLog {
    /// The time of capture in nanoseconds since 1970.
    pub at_ns: Vec<u64>,
    /// The index of the conversation.
    pub conversation: Vec<u32>,
    /// The direction: 0 from the opener of the conversation, 1 to it.
    pub direction: Vec<u8>,
    /// The IP bytes of the packet.
    pub bytes: Vec<u32>,
    /// The bytes of payload.
    pub payload: Vec<u32>,
    /// The bytes of unknown purpose.
    pub opaque: Vec<u32>,
    /// The bytes of session set-up.
    pub set_up: Vec<u32>,
    /// The first kind of a message that begins in the packet, as an index of [`MessageKind::ALL`]; 255 for none.
    pub kind: Vec<u8>,
    /// The second kind of a message in the packet, for example the code of a CoAP message; 255 for none.
    pub second_kind: Vec<u8>,
    /// Whether the packet only retransmits data.
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
