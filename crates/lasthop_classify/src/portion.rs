use lasthop_contract::{Direction, Spans};
use lasthop_units::Instant;

use crate::conversation::ConversationId;
use crate::message_kind::MessageKinds;

/// The classified bytes of a packet. A fragmented packet has one portion for all fragments.
#[derive(Clone, Debug)]
pub struct Portion {
    /// When the packet was captured; for a fragmented packet, its last fragment.
    pub at: Instant,
    /// The conversation of the packet.
    pub conversation: ConversationId,
    /// The direction. Up is away from the opener of the conversation.
    pub direction: Direction,
    /// Whether the capturing host sent or received the packet.
    pub sight: Sight,
    /// The number of IP packets, more than one for fragments.
    pub packets: u32,
    /// The provenance of the bytes in order, from the IP header on.
    pub spans: Spans,
    /// The kinds of the readable messages that begin in the packet. A CoAP message has a type and a code. A message
    /// retransmitted by TCP begins only once.
    pub messages: MessageKinds,
    /// A remark on the packet.
    pub remark: Remark,
}

/// A remark on a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remark {
    /// No remark.
    #[default]
    None,
    /// The checksum is wrong. The packet is opaque above IP.
    Damaged,
    /// The packet only retransmits data.
    Repeated,
    /// The packet only retransmits data that was already acknowledged.
    RepeatedInVain,
}

/// Whether the capturing host sent or received a packet, if the capture tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// The host sent the packet.
    Sent,
    /// The host received the packet.
    Received,
    /// The capture does not tell.
    Unknown,
}

impl Portion {
    /// Returns the number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.spans.iter().map(|span| u64::from(span.length)).sum()
    }
}

impl Sight {
    /// Returns the name in ledgers, or `None` if the capture does not tell it.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Sent => Some("sent"),
            Self::Received => Some("received"),
            Self::Unknown => None,
        }
    }
}
