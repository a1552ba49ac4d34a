use lasthop_contract::{TCP_PROTOCOL, UDP_PROTOCOL};

use crate::conversation::{Conversation, Protocol};

/// What is spoken at which port of servers: what the user says, else what IANA registers.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    said: Vec<(u16, Protocol)>,
}

impl Ports {
    /// From now on a protocol is spoken at a port.
    pub(crate) fn say(&mut self, port: u16, protocol: Protocol) {
        self.said.retain(|(known, _)| *known != port);
        self.said.push((port, protocol));
    }

    /// What is spoken at a port of a server.
    pub(crate) fn protocol(&self, ip_protocol: u8, port: u16) -> Option<Protocol> {
        self.said_of(port).or_else(|| registered(ip_protocol, port))
    }

    /// What the user says is spoken between two ends, by the port of either.
    pub(crate) fn said(&self, conversation: &Conversation) -> Option<Protocol> {
        ports_of(conversation).find_map(|port| self.said_of(port))
    }

    /// What is spoken between two ends, by the port of either.
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
