use core::net::{IpAddr, SocketAddr};

use crate::ports::Ports;
use lasthop_contract::{Direction, LookupMap, TCP_PROTOCOL, UDP_PROTOCOL};

/// The number of a conversation, by the order of their first packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(pub u32);

/// Two ends that send each other packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Who opened it, as far as can be told: who sent a SYN, or whose peer has a well-known port, or who sent first. The
    /// ports are 0 where there are none.
    pub opener: SocketAddr,
    /// The other end.
    pub responder: SocketAddr,
    /// The protocol above IP, by its IANA number.
    pub ip_protocol: u8,
    /// What is spoken.
    pub protocol: Protocol,
}

/// What is spoken in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Nothing that is read here.
    Opaque,
    /// MQTT 3.1.1 or 5.
    Mqtt,
    /// CoAP, over UDP or TCP.
    Coap,
    /// RTPS, which DDS is made of.
    Rtps,
    /// TLS, of which the records are read.
    Tls,
    /// DTLS, of which the records are read.
    Dtls,
    /// MQTT in the frames of a WebSocket.
    WebSocket,
    /// HTTP/1.1.
    Http,
}

/// All conversations, found by their ends.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    places: LookupMap<(u8, SocketAddr, SocketAddr), ConversationId>,
    all: Vec<Conversation>,
}

impl Protocol {
    /// Those that can be said of a port.
    pub const OF_PORTS: [Self; 6] = [
        Self::Mqtt,
        Self::Coap,
        Self::Tls,
        Self::Dtls,
        Self::WebSocket,
        Self::Http,
    ];

    /// The name in ledgers; `None` where nothing is read.
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
    /// The name of what is spoken, or of what carries it.
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

    /// Whether it has ports.
    #[must_use]
    pub const fn has_ports(&self) -> bool {
        matches!(self.ip_protocol, TCP_PROTOCOL | UDP_PROTOCOL)
    }

    fn is_between(&self, a: SocketAddr, b: SocketAddr) -> bool {
        (self.opener, self.responder) == (a, b) || (self.opener, self.responder) == (b, a)
    }
}

impl Conversations {
    /// The conversation of a packet and its direction. `opens` says whether the packet tells who opened it.
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

/// Whether a packet tells who opened its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// Its sender did.
    Yes,
    /// Its receiver did.
    Answers,
    /// It does not tell.
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

/// An address with the port zero, for what has no ports.
pub(crate) fn without_port(address: IpAddr) -> SocketAddr {
    SocketAddr::new(address, 0)
}
