use core::net::{IpAddr, SocketAddr};

use crate::ports::Ports;
use lasthop_contract::{Direction, LookupMap, TCP_PROTOCOL, UDP_PROTOCOL};

/// The index of a conversation, in the order of their first packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(pub u32);

/// The two ends of an exchange of packets, and the protocol between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The end that opened the conversation: the sender of a SYN, else the peer of a well-known port, else the first
    /// sender. The ports are 0 if the protocol has none.
    pub opener: SocketAddr,
    /// The other end.
    pub responder: SocketAddr,
    /// The protocol above IP, by its IANA number.
    pub ip_protocol: u8,
    /// The application protocol.
    pub protocol: Protocol,
}

/// The protocol of a conversation above TCP or UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// An unsupported protocol.
    Opaque,
    /// MQTT 3.1.1 or 5.
    Mqtt,
    /// CoAP, over UDP or TCP.
    Coap,
    /// RTPS, the wire protocol of DDS.
    Rtps,
    /// TLS. Only its records are parsed.
    Tls,
    /// DTLS. Only its records are parsed.
    Dtls,
    /// MQTT in WebSocket frames.
    WebSocket,
    /// HTTP/1.1.
    Http,
}

/// All conversations, by their ends.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    places: LookupMap<(u8, SocketAddr, SocketAddr), ConversationId>,
    all: Vec<Conversation>,
}

impl Protocol {
    /// The protocols that can be set for a port.
    pub const OF_PORTS: [Self; 6] = [
        Self::Mqtt,
        Self::Coap,
        Self::Tls,
        Self::Dtls,
        Self::WebSocket,
        Self::Http,
    ];

    /// Returns the name in ledgers, or `None` for an unsupported protocol.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Opaque => None,
            Self::Mqtt => Some("mqtt"),
            Self::Coap => Some("coap"),
            Self::Rtps => Some("rtps"),
            Self::Tls => Some("tls"),
            Self::Dtls => Some("dtls"),
            Self::WebSocket => Some("websocket"),
            Self::Http => Some("http"),
        }
    }
}

impl Conversation {
    /// Returns the name of the application protocol if it is supported, else of the protocol below it.
    #[must_use]
    pub fn name(&self) -> String {
        let below = match self.ip_protocol {
            TCP_PROTOCOL => "tcp".to_owned(),
            UDP_PROTOCOL => "udp".to_owned(),
            1 | 58 => "icmp".to_owned(),
            number => format!("ip protocol {number}"),
        };
        self.protocol.name().map_or(below, str::to_owned)
    }

    /// Whether the conversation has ports.
    #[must_use]
    pub const fn has_ports(&self) -> bool {
        matches!(self.ip_protocol, TCP_PROTOCOL | UDP_PROTOCOL)
    }

    fn is_between(&self, a: SocketAddr, b: SocketAddr) -> bool {
        (self.opener, self.responder) == (a, b) || (self.opener, self.responder) == (b, a)
    }
}

impl Conversations {
    /// Returns the conversation of a packet and the packet's direction. `opens` tells whether the packet shows which
    /// end opened it.
    pub(crate) fn find(
        &mut self,
        ip_protocol: u8,
        source: SocketAddr,
        destination: SocketAddr,
        opens: Opens,
        ports: &Ports,
    ) -> (ConversationId, Direction) {
        let ends = (source.min(destination), source.max(destination));
        let all = &mut self.all;
        let id = *self
            .places
            .get_or_insert_with((ip_protocol, ends.0, ends.1), || {
                let is_up = match opens {
                    Opens::Yes => true,
                    Opens::Answers => false,
                    Opens::Unknown => {
                        rank(ports, ip_protocol, source.port())
                            >= rank(ports, ip_protocol, destination.port())
                    }
                };
                let (opener, responder) = if is_up {
                    (source, destination)
                } else {
                    (destination, source)
                };
                all.push(Conversation {
                    opener,
                    responder,
                    ip_protocol,
                    protocol: Protocol::Opaque,
                });
                ConversationId(all.len() as u32 - 1)
            });
        let conversation = &self.all[id.0 as usize];
        debug_assert!(conversation.is_between(source, destination));
        let direction = match conversation.opener == source {
            true => Direction::Up,
            false => Direction::Down,
        };
        (id, direction)
    }

    pub(crate) fn get_mut(&mut self, id: ConversationId) -> &mut Conversation {
        &mut self.all[id.0 as usize]
    }

    pub(crate) fn all(&self) -> &[Conversation] {
        &self.all
    }
}

/// Which end opened a conversation, as one packet shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// The sender of the packet.
    Yes,
    /// The receiver of the packet.
    Answers,
    /// Unknown.
    Unknown,
}

/// How much a port is like that of a client.
fn rank(ports: &Ports, ip_protocol: u8, port: u16) -> u8 {
    match port {
        _ if ports.protocol(ip_protocol, port).is_some() => 0,
        0..1024 => 1,
        _ => 2,
    }
}

/// Returns an address with port 0, for protocols without ports.
pub(crate) fn without_port(address: IpAddr) -> SocketAddr {
    SocketAddr::new(address, 0)
}
