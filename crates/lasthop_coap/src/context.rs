use lasthop_contract::{
    ApplicationOutput, Cause, Chunk, FailureReason, Layer, MessageEvent, MessageId, Provenance,
    ShortQueue, Transport, Trigger,
};
use lasthop_units::Instant;

/// The shared state of an endpoint while it processes an input.
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

/// The purpose of a CoAP message, which decides the provenance of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Carries an application message, or its last block.
    Message(MessageId),
    /// Carries a block of an application message other than the last one.
    Block(MessageId),
    /// Retransmits bytes of an application message.
    Repetition(MessageId),
    /// Requests an application message, which the response carries.
    Question(MessageId),
    /// Requests or carries content other than an application message.
    Content,
    /// Acknowledges a message.
    Acknowledgement(Option<MessageId>),
    /// Registrations, observations, settings.
    SessionSetUp,
    /// The end of a registration or of a connection.
    SessionTearDown,
    /// A ping.
    KeepAlive,
}

impl Purpose {
    /// Returns the provenance of all bytes of a retransmission.
    pub(crate) fn of_repetition(self) -> Provenance {
        self.provenance(Cause::Retransmission)
    }

    /// Returns the chunks of a first transmission.
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

    /// Returns the application message that the CoAP message carries, in whole or in part, or requests.
    pub(crate) fn carried(self) -> Option<MessageId> {
        match self {
            Self::Message(id) | Self::Block(id) | Self::Repetition(id) | Self::Question(id) => {
                Some(id)
            }
            _ => None,
        }
    }

    /// Reports the transmission of a message to the run.
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
