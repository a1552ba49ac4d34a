use lasthop_contract::{
    ApplicationOutput, Cause, Chunk, FailureReason, Layer, MessageEvent, MessageId, Provenance,
    ShortQueue, Transport, Trigger,
};
use lasthop_units::Instant;

/// What the parts of an endpoint work with while it is told something.
pub(crate) struct Context<'a> {
    pub(crate) now: Instant,
    pub(crate) transport: &'a mut dyn Transport,
    pub(crate) outputs: &'a mut ShortQueue<ApplicationOutput>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        now: Instant,
        transport: &'a mut dyn Transport,
        outputs: &'a mut ShortQueue<ApplicationOutput>,
    ) -> Self {
        Self {
            now,
            transport,
            outputs,
        }
    }

    #[inline]
    pub(crate) fn announce(&mut self, event: MessageEvent) {
        self.outputs.push(ApplicationOutput::Event(event));
    }

    pub(crate) fn fail(&mut self, id: MessageId, reason: FailureReason) {
        self.announce(MessageEvent::Failed { id, reason });
    }
}

/// What a CoAP message is there for: it decides the provenance of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It carries the whole, or the last block, of one of the user's messages.
    Message(MessageId),
    /// It carries a block of one of the user's messages, and is not the last.
    Block(MessageId),
    /// It carries bytes of one of the user's messages once more.
    Repetition(MessageId),
    /// It asks for one of the user's messages, which its answer brings.
    Question(MessageId),
    /// It asks for, or carries, something that is no message of the user's.
    Content,
    /// It says that a message arrived.
    Acknowledgement(Option<MessageId>),
    /// Registrations, observations, settings.
    SessionSetUp,
    /// The end of a registration or of a connection.
    SessionTearDown,
    /// Are you there?
    KeepAlive,
}

impl Purpose {
    /// Of all bytes of a copy that is sent again.
    pub(crate) fn of_repetition(self) -> Provenance {
        self.provenance(Cause::Retransmission)
    }

    /// The parts of a first copy.
    #[inline]
    pub(crate) fn chunks<'a>(self, head: &'a [u8], payload: &'a [u8]) -> [Chunk<'a>; 2] {
        let (framing, body) = match self {
            Self::Repetition(_) => (Cause::Retransmission, Cause::Retransmission),
            Self::Message(_) | Self::Block(_) | Self::Question(_) | Self::Content => {
                (Cause::Header, Cause::Payload)
            }
            Self::Acknowledgement(_) => (Cause::Acknowledgement, Cause::Acknowledgement),
            Self::SessionSetUp => (Cause::SessionSetUp, Cause::SessionSetUp),
            Self::SessionTearDown => (Cause::SessionTearDown, Cause::SessionTearDown),
            Self::KeepAlive => (Cause::KeepAlive, Cause::KeepAlive),
        };
        let chunk = |bytes, cause| Chunk {
            bytes,
            provenance: self.provenance(cause),
        };
        [chunk(head, framing), chunk(payload, body)]
    }

    /// The user's message that it carries, whole or in part, or asks for.
    pub(crate) fn carried(self) -> Option<MessageId> {
        match self {
            Self::Message(id) | Self::Block(id) | Self::Repetition(id) | Self::Question(id) => {
                Some(id)
            }
            _ => None,
        }
    }

    /// What the run is told when a copy leaves.
    #[inline]
    pub(crate) fn transmitted(
        self,
        attempt: u16,
        last: bool,
        trigger: Option<Trigger>,
    ) -> Option<MessageEvent> {
        let last = last && matches!(self, Self::Message(_));
        self.carried().map(|id| MessageEvent::Transmitted {
            id,
            attempt,
            last,
            trigger,
        })
    }

    fn provenance(self, cause: Cause) -> Provenance {
        let message = match self {
            Self::Message(id) | Self::Block(id) | Self::Repetition(id) | Self::Question(id) => {
                Some(id)
            }
            Self::Acknowledgement(id) => id,
            _ => None,
        };
        Provenance {
            layer: Layer::Application,
            cause,
            message,
        }
    }
}
