use lasthop_contract::{Cause, Layer, MessageId, Provenance};

/// The purpose of the bytes of a request or response.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// The purpose of the first line and the fields.
    pub head: Provenance,
    /// The purpose of the body.
    pub body: Provenance,
}

impl Purpose {
    /// Creates a purpose with one cause for all bytes and no message.
    #[must_use]
    pub const fn whole(cause: Cause) -> Self {
        let provenance = Provenance::new(Layer::Application, cause);
        Self {
            head: provenance,
            body: provenance,
        }
    }

    /// Creates the purpose of bytes that carry a message.
    #[must_use]
    pub const fn carrying(message: MessageId) -> Self {
        Self {
            head: Provenance::of_message(Cause::Header, message),
            body: Provenance::of_message(Cause::Payload, message),
        }
    }

    /// Creates the purpose of bytes that retransmit a message whose delivery is unknown.
    #[must_use]
    pub const fn carrying_again(message: MessageId) -> Self {
        Self::all_of(Cause::Retransmission, message)
    }

    /// Creates a purpose with one cause and one message for all bytes.
    #[must_use]
    pub const fn all_of(cause: Cause, message: MessageId) -> Self {
        let provenance = Provenance::of_message(cause, message);
        Self {
            head: provenance,
            body: provenance,
        }
    }

    /// Returns the provenance of the field with the credentials.
    pub(crate) const fn authorisation(self) -> Provenance {
        Provenance {
            cause: match self.head.cause {
                Cause::Header => Cause::Authorisation,
                other => other,
            },
            ..self.head
        }
    }

    /// Returns the provenance of bytes that frame the body.
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
