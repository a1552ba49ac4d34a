use lasthop_contract::{Direction, Spans};
use lasthop_units::Instant;

use crate::conversation::ConversationId;
use crate::message_kind::MessageKinds;

/// What the bytes of a packet are there for; of one that came in fragments, those of all of them.
#[derive(Clone, Debug)]
pub struct Portion {
    /// When the packet was captured, the last fragment of several.
    pub at: Instant,
    /// The conversation that it is a part of.
    pub conversation: ConversationId,
    /// Up is from who opened the conversation.
    pub direction: Direction,
    /// Who saw it.
    pub sight: Sight,
    /// How many IP packets it came in.
    pub packets: u32,
    /// Its bytes, in order, from the IP header on.
    pub spans: Spans,
    /// The messages that begin in it and can be read, each with its kinds: one of CoAP has a type and a code. What is
    /// sent again by TCP begins once.
    pub messages: MessageKinds,
    /// What is remarkable about it.
    pub remark: Remark,
}

/// What is remarkable about a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remark {
    /// Nothing.
    #[default]
    None,
    /// Its checksum does not fit: it is opaque above IP.
    Damaged,
    /// All that it carries was sent before.
    Repeated,
    /// So it is, and the other side had said that it has it.
    RepeatedInVain,
}

/// Whether the capturing host sent or received a packet, where the capture tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// It left the host.
    Sent,
    /// It came to the host.
    Received,
    /// The capture does not tell.
    Unknown,
}

impl Portion {
    /// How many bytes it has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.spans.iter().map(|span| u64::from(span.length)).sum()
    }
}

impl Sight {
    /// The name in ledgers; `None` where the capture does not tell.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Sent => Some("sent"),
            Self::Received => Some("received"),
            Self::Unknown => None,
        }
    }
}
