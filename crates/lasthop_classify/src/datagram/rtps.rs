use lasthop_contract::{Cause, Layer};

use super::recent::Recent;
use crate::marks::mark;
use crate::portion::{Portion, Remark};

/// The length of an RTPS header: protocol, version, vendor and GUID prefix (DDSI-RTPS 2.5 §9.4.4).
pub(crate) const HEADER: usize = 20;
const SUBMESSAGE_HEADER: usize = 4;

/// What says how a sample is encoded.
const ENCAPSULATION: usize = 4;

/// Kinds of submessages (§9.4.5.1.1).
const PAD: u8 = 0x01;
const ACK_NACK: u8 = 0x06;
const HEARTBEAT: u8 = 0x07;
const GAP: u8 = 0x08;
const NACK_FRAG: u8 = 0x12;
const HEARTBEAT_FRAG: u8 = 0x13;
const DATA: u8 = 0x15;
const DATA_FRAG: u8 = 0x16;

/// The maker of Fast DDS.
const EPROSIMA: [u8; 2] = [1, 15];
/// Its note behind each message, for statistics: where that goes to, when it left, how much has left so far. Kinds from 0x80 on are a vendor's
/// own (§9.4.5.1.1).
const STATISTICS: u8 = 0x80;

/// Who asserts that participants are alive (§9.6.3.1).
const PARTICIPANT_MESSAGE_WRITER: [u8; 4] = [0, 2, 0, 0xc2];

/// Classifies an RTPS message. Returns `false` without an RTPS header.
pub(super) fn classify(
    seen: &mut Recent,
    portion: &mut Portion,
    kept: &[u8],
    length: usize,
) -> bool {
    let Some(header) = kept.first_chunk::<HEADER>() else {
        return false;
    };
    let (vendor, prefix) = ([header[6], header[7]], &header[8..]);
    let mut first = None;
    let mut spans = lasthop_contract::Spans::new();
    let mut at = HEADER;
    while at < length {
        let Some(submessage) = Submessage::read(kept, at, length) else {
            mark(&mut spans, Layer::Application, Cause::Opaque, length - at);
            break;
        };
        let mut causes = submessage.causes(vendor);
        if let Some(name) = submessage.sample(prefix) {
            let name = (portion.conversation, portion.direction, name);
            if seen.note(portion.at, name, 0) && causes.1 == Cause::Payload {
                causes = (Cause::Retransmission, Cause::Retransmission);
                portion.remark = Remark::Repeated;
            }
        }
        first = first.or(submessage.has_purpose().then_some(causes.0));
        let framing = submessage.framing();
        mark(&mut spans, Layer::Application, causes.0, framing);
        let body = submessage.length - framing;
        mark(&mut spans, Layer::Application, causes.1, body);
        at += submessage.length;
    }
    // The header serves what comes first in the message.
    let cause = first.unwrap_or(Cause::Header);
    mark(&mut portion.spans, Layer::Application, cause, HEADER);
    for span in spans {
        let provenance = span.provenance;
        mark(
            &mut portion.spans,
            provenance.layer,
            provenance.cause,
            span.length.into(),
        );
    }
    true
}

/// A submessage of an RTPS message.
pub(crate) struct Submessage<'a> {
    kind: u8,
    flags: u8,
    /// The length with its header.
    pub(crate) length: usize,
    /// What was kept behind its header.
    kept: &'a [u8],
}

impl<'a> Submessage<'a> {
    pub(crate) fn read(kept: &'a [u8], at: usize, end: usize) -> Option<Self> {
        let head: &[u8; SUBMESSAGE_HEADER] = kept.get(at..)?.first_chunk()?;
        let [kind, flags, a, b] = *head;
        let octets = usize::from(match flags & 1 {
            1 => u16::from_le_bytes([a, b]),
            _ => u16::from_be_bytes([a, b]),
        });
        let length = match octets {
            // The last one may go up to the end (§9.4.5.1.3).
            0 if kind != PAD && kind != 0x09 => end - at,
            octets => SUBMESSAGE_HEADER + octets,
        };
        (at + length <= end).then(|| Self {
            kind,
            flags,
            length,
            kept: &kept[at + SUBMESSAGE_HEADER..kept.len().min(at + length)],
        })
    }

    /// Whether it is more than a note for those behind it.
    fn has_purpose(&self) -> bool {
        self.writer().is_some()
    }

    /// Returns the purposes of framing and body, in a message of this vendor.
    pub(crate) fn causes(&self, vendor: [u8; 2]) -> (Cause, Cause) {
        let all = |cause| (cause, cause);
        let Some(writer) = self.writer() else {
            return match self.kind {
                PAD => all(Cause::Padding),
                // Time stamps, destinations, addresses.
                0x09..=0x0f => all(Cause::Header),
                STATISTICS if vendor == EPROSIMA => all(Cause::Header),
                _ => all(Cause::Opaque),
            };
        };
        // Entities that every participant has speak of the participants themselves.
        let is_builtin = writer[3] & 0xc0 == 0xc0;
        match self.kind {
            _ if writer == PARTICIPANT_MESSAGE_WRITER => all(Cause::KeepAlive),
            _ if is_builtin => all(Cause::SessionSetUp),
            DATA | DATA_FRAG => (Cause::Header, Cause::Payload),
            _ => all(Cause::Acknowledgement),
        }
    }

    /// The entity that writes what it is about.
    fn writer(&self) -> Option<[u8; 4]> {
        let at = match self.kind {
            DATA | DATA_FRAG => 8,
            ACK_NACK | HEARTBEAT | GAP | NACK_FRAG | HEARTBEAT_FRAG => 4,
            _ => return None,
        };
        self.kept.get(at..)?.first_chunk().copied()
    }

    /// Returns the identifier of a sample, or of a fragment.
    pub(crate) fn sample(&self, prefix: &[u8]) -> Option<[u64; 4]> {
        if !matches!(self.kind, DATA | DATA_FRAG) {
            return None;
        }
        let number: [u8; 8] = *self.kept.get(12..)?.first_chunk()?;
        let fragment = match self.kind {
            DATA_FRAG => u64::from(u32::from_be_bytes(*self.kept.get(20..)?.first_chunk()?)),
            _ => 0,
        };
        let writer = u32::from_be_bytes(self.writer()?);
        let [a, b] = [prefix.first_chunk::<8>()?, prefix.last_chunk::<8>()?];
        Some([
            u64::from_be_bytes(*a),
            u64::from_be_bytes(*b) << 32 | u64::from(writer),
            u64::from_be_bytes(number),
            fragment,
        ])
    }

    /// Returns the number of bytes before the serialized payload.
    pub(crate) fn framing(&self) -> usize {
        const HAS_INLINE_QOS: u8 = 2;
        const HAS_DATA: u8 = 4 | 8;
        let fixed = match self.kind {
            // Flags, the offset of what follows it, reader, writer, number; fragments have their own fields behind.
            DATA if self.flags & HAS_DATA == 0 => return self.length,
            DATA | DATA_FRAG => self.offset_of_payload().unwrap_or(self.kept.len()),
            _ => return self.length,
        };
        let parameters = match self.flags & HAS_INLINE_QOS {
            0 => 0,
            _ => self.parameters(fixed).unwrap_or(0),
        };
        let encapsulation = if self.begins_sample() {
            ENCAPSULATION
        } else {
            0
        };
        (SUBMESSAGE_HEADER + fixed + parameters + encapsulation).min(self.length)
    }

    /// Whether it carries the first bytes of a sample, which say how it is encoded (§10.2).
    fn begins_sample(&self) -> bool {
        let fragment = [self.half(20), self.half(22)];
        self.kind == DATA || matches!(fragment, [Some(1), Some(0)] | [Some(0), Some(1)])
    }

    /// Where inline quality or payload begin: the field counts from behind itself.
    fn offset_of_payload(&self) -> Option<usize> {
        Some(4 + usize::from(self.half(2)?))
    }

    /// How long a list of parameters is (§9.4.2.11).
    fn parameters(&self, start: usize) -> Option<usize> {
        const SENTINEL: u16 = 1;
        let mut at = start;
        loop {
            let (kind, length) = (self.half(at)?, self.half(at + 2)?);
            at += 4;
            if kind == SENTINEL {
                return Some(at - start);
            }
            at += usize::from(length);
        }
    }

    fn half(&self, at: usize) -> Option<u16> {
        let bytes = *self.kept.get(at..)?.first_chunk()?;
        Some(match self.flags & 1 {
            1 => u16::from_le_bytes(bytes),
            _ => u16::from_be_bytes(bytes),
        })
    }
}
