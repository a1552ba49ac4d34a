use core::num::NonZeroU32;

use lasthop_contract::{FlowId, MessageEvent, MessageId, OutgoingMessage};

use crate::PayloadTemplate;

/// The one message of a flow that ends with it.
#[derive(Debug)]
pub(crate) struct Report {
    id: MessageId,
    payload: PayloadTemplate,
    is_sent: bool,
}

/// A report on its way to the protocol.
pub(crate) struct Written {
    id: MessageId,
    payload: Vec<u8>,
}

impl Report {
    /// The report of a flow.
    pub(crate) fn new(payload: PayloadTemplate, flow: FlowId) -> Self {
        Self {
            id: MessageId {
                flow,
                number: NonZeroU32::MIN,
            },
            payload,
            is_sent: false,
        }
    }

    /// That it is due.
    pub(crate) fn intended(&self) -> MessageEvent {
        MessageEvent::Intended {
            id: self.id,
            payload: self.payload.size(),
        }
    }

    /// The report, once.
    pub(crate) fn take(&mut self) -> Option<Written> {
        if self.is_sent {
            return None;
        }
        self.is_sent = true;
        let id = self.id;
        let payload = self.payload.payload(id.flow, id.number.get());
        Some(Written { id, payload })
    }
}

impl Written {
    /// As the protocol takes it.
    pub(crate) fn as_outgoing(&self) -> OutgoingMessage<'_> {
        OutgoingMessage {
            id: self.id,
            payload: &self.payload,
            asks: false,
        }
    }
}
