use lasthop_contract::{Cause, Layer, MessageId, Provenance};

/// The purpose of the bytes of a request or of its answer.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// The first line and the fields.
    pub head: Provenance,
    /// The purpose of the body.
    pub body: Provenance,
}

impl Purpose {
    /// All bytes have one cause and no message.
    #[must_use]
    pub const fn whole(cause: Cause) -> Self {
        let provenance = Provenance::new(Layer::Application, cause);
        Self {
            head: provenance,
            body: provenance,
        }
    }

    /// The bytes carry a message.
    #[must_use]
    pub const fn carrying(message: MessageId) -> Self {
        Self {
            head: Provenance::of_message(Cause::Header, message),
            body: Provenance::of_message(Cause::Payload, message),
        }
    }

    /// The bytes carry a message again, whose delivery is unknown.
    #[must_use]
    pub const fn carrying_again(message: MessageId) -> Self {
        Self::all_of(Cause::Retransmission, message)
    }

    /// All bytes serve a message with this cause.
    #[must_use]
    pub const fn all_of(cause: Cause, message: MessageId) -> Self {
        let provenance = Provenance::of_message(cause, message);
        Self {
            head: provenance,
            body: provenance,
        }
    }

    /// The field by which the sender shows who it is.
    pub(crate) const fn authorisation(self) -> Provenance {
        Provenance {
            cause: match self.head.cause {
                Cause::Header => Cause::Authorisation,
                other => other,
            },
            ..self.head
        }
    }

    /// Bytes that frame what the body says.
    pub(crate) const fn framing(self) -> Provenance {
        Provenance {
            cause: match self.body.cause {
                Cause::Payload => Cause::Header,
                other => other,
            },
            ..self.body
        }
    }
}
