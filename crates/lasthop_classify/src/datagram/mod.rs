//! Classification of datagrams.

mod coap;
mod coap_content;
mod dtls;
mod recent;
mod rtps;

use lasthop_contract::{Cause, Layer};

use crate::conversation::{Conversation, Protocol};
use crate::marks::mark;
use crate::portion::Portion;
use crate::ports::Ports;
pub(crate) use coap_content::{CoapContent, NoContent};
pub(crate) use recent::{Recent, digest};
pub(crate) use rtps::{HEADER, Submessage};

/// The state from earlier datagrams.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    messages: Recent,
    samples: Recent,
    /// Messages of handshakes of DTLS.
    flights: Recent,
}

impl Datagrams {
    /// Classifies a datagram of this length, of which the beginning was captured.
    pub(crate) fn classify(
        &mut self,
        conversation: &mut Conversation,
        ports: &Ports,
        portion: &mut Portion,
        kept: &[u8],
        length: usize,
    ) {
        let protocol = recognise(conversation, ports, kept);
        if conversation.protocol == Protocol::Opaque {
            conversation.protocol = protocol;
        }
        let is_read = match protocol {
            Protocol::Coap => coap::classify(&mut self.messages, portion, kept, length),
            Protocol::Rtps => rtps::classify(&mut self.samples, portion, kept, length),
            Protocol::Dtls => dtls::classify(&mut self.flights, portion, kept, length),
            _ => false,
        };
        if !is_read {
            mark(
                &mut portion.spans,
                Layer::Application,
                Cause::Opaque,
                length,
            );
        }
    }
}

fn recognise(conversation: &Conversation, ports: &Ports, kept: &[u8]) -> Protocol {
    if ports.said(conversation).is_none() && kept.starts_with(b"RTPS") {
        return Protocol::Rtps;
    }
    ports.between(conversation).unwrap_or(Protocol::Opaque)
}
