use lasthop_contract::{TCP_PROTOCOL, UDP_PROTOCOL};

use crate::conversation::{Conversation, Protocol};

/// The protocols at server ports, set by the user or registered by IANA.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    said: Vec<(u16, Protocol)>,
}

impl Ports {
    /// Sets the protocol at a port.
    pub(crate) fn say(&mut self, port: u16, protocol: Protocol) {
        self.said.retain(|(known, _)| *known != port);
        self.said.push((port, protocol));
    }

    /// Returns the protocol at a server port.
    pub(crate) fn protocol(&self, ip_protocol: u8, port: u16) -> Option<Protocol> {
        self.said_of(port).or_else(|| registered(ip_protocol, port))
    }

    /// Returns the protocol of a conversation, if the user set it for one of the two ports.
    pub(crate) fn said(&self, conversation: &Conversation) -> Option<Protocol> {
        ports_of(conversation).find_map(|port| self.said_of(port))
    }

    /// Returns the protocol of a conversation, by either of its two ports.
    pub(crate) fn between(&self, conversation: &Conversation) -> Option<Protocol> {
        let known = |port| self.protocol(conversation.ip_protocol, port);
        ports_of(conversation).find_map(known)
    }

    fn said_of(&self, port: u16) -> Option<Protocol> {
        let mut said = self.said.iter();
        said.find(|(known, _)| *known == port)
            .map(|(_, protocol)| *protocol)
    }
}

fn ports_of(conversation: &Conversation) -> impl Iterator<Item = u16> + use<> {
    [conversation.responder.port(), conversation.opener.port()].into_iter()
}

fn registered(ip_protocol: u8, port: u16) -> Option<Protocol> {
    match (ip_protocol, port) {
        (TCP_PROTOCOL, 1883) => Some(Protocol::Mqtt),
        (TCP_PROTOCOL | UDP_PROTOCOL, 5683) => Some(Protocol::Coap),
        (TCP_PROTOCOL, 80) => Some(Protocol::Http),
        (TCP_PROTOCOL, 443 | 8883 | 5684) => Some(Protocol::Tls),
        (UDP_PROTOCOL, 5684) => Some(Protocol::Dtls),
        _ => None,
    }
}
