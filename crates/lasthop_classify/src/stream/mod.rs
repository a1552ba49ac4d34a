//! Parsers of byte streams that classify bytes in order.

mod coap;
mod http;
mod mqtt;
mod mqtt_connect;
mod rtps;
mod tls;
mod websocket;

use lasthop_contract::{Cause, Direction, Layer};

use crate::conversation::{Conversation, Protocol};
use crate::marks::mark;
use crate::portion::Portion;
use crate::ports::Ports;
use coap::CoapStream;
use http::HttpStream;
use mqtt::MqttStream;
use rtps::RtpsStream;
use tls::TlsStream;
pub(crate) use tls::causes_of;
use websocket::WebSocketStream;

/// The two streams of a TCP connection.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    is_recognised: bool,
    parsers: [StreamParser; 2],
}

/// The parser of a stream.
#[derive(Debug, Default)]
pub(crate) enum StreamParser {
    /// No parser, for an unsupported protocol.
    #[default]
    Opaque,
    Mqtt(MqttStream),
    Coap(CoapStream),
    Rtps(Box<RtpsStream>),
    Tls(TlsStream),
    WebSocket(WebSocketStream),
    Http(Box<HttpStream>),
}

impl Streams {
    /// Selects the protocol: by the user's port setting, by the first data, or by the ports.
    pub(crate) fn recognise(
        &mut self,
        conversation: &mut Conversation,
        ports: &Ports,
        first: &[u8],
    ) {
        if self.is_recognised || first.is_empty() {
            return;
        }
        self.is_recognised = true;
        let protocol = ports
            .said(conversation)
            .or_else(|| by_content(first))
            .or_else(|| ports.between(conversation));
        conversation.protocol = protocol.unwrap_or(Protocol::Opaque);
        for parser in &mut self.parsers {
            *parser = StreamParser::of(conversation.protocol);
        }
    }

    /// Returns the parser of a direction, updated with information from the other direction.
    pub(crate) fn of(&mut self, direction: Direction) -> &mut StreamParser {
        let [up, down] = &mut self.parsers;
        if let (Some(up), Some(down)) = (up.mqtt(), down.mqtt()) {
            let version = up.version.or(down.version);
            (up.version, down.version) = (version, version);
        }
        if let (StreamParser::Http(up), StreamParser::Http(down)) = (up, down) {
            up.hand_over(down);
            down.hand_over(up);
        }
        &mut self.parsers[direction as usize]
    }
}

impl StreamParser {
    fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Mqtt => Self::Mqtt(MqttStream::default()),
            Protocol::Coap => Self::Coap(CoapStream::default()),
            Protocol::Rtps => Self::Rtps(Box::default()),
            Protocol::Tls => Self::Tls(TlsStream::default()),
            Protocol::WebSocket => Self::WebSocket(WebSocketStream::default()),
            Protocol::Http => Self::Http(Box::default()),
            _ => Self::Opaque,
        }
    }

    /// What reads MQTT in it.
    fn mqtt(&mut self) -> Option<&mut MqttStream> {
        match self {
            Self::Mqtt(mqtt) => Some(mqtt),
            Self::WebSocket(websocket) => Some(&mut websocket.mqtt),
            _ => None,
        }
    }

    /// Starts in the middle of a stream. The parser waits for a segment that begins like a packet.
    pub(crate) fn begin_within(&mut self) {
        match self {
            Self::Opaque => {}
            Self::Mqtt(mqtt) => mqtt.desync(),
            Self::Coap(coap) => coap.desync(),
            Self::Rtps(rtps) => rtps.desync(),
            Self::Tls(tls) => tls.desync(),
            Self::WebSocket(websocket) => websocket.desync(),
            Self::Http(http) => http.desync(),
        }
    }

    /// Skips bytes of the stream that are missing in the capture.
    pub(crate) fn skip(&mut self, length: usize) {
        let _ = self.skip_gap(length);
    }

    /// Classifies the bytes of a segment, of which the beginning was captured.
    pub(crate) fn take(&mut self, kept: &[u8], length: usize, portion: &mut Portion) {
        let said = (portion.at, portion.conversation, portion.direction);
        let spans = &mut portion.spans;
        match self {
            Self::Opaque => mark(spans, Layer::Application, Cause::Opaque, kept.len()),
            Self::Mqtt(mqtt) => mqtt.read(kept, spans, &mut portion.messages),
            Self::Coap(coap) => coap.read(kept, spans, &mut portion.messages),
            Self::Rtps(rtps) => rtps.read(kept, said, spans),
            Self::Tls(tls) => tls.read(kept, spans),
            Self::WebSocket(websocket) => websocket.read(kept, spans, &mut portion.messages),
            Self::Http(http) => http.read(kept, spans),
        }
        let missing = length - kept.len();
        if missing > 0 {
            let (layer, cause) = self.skip_gap(missing);
            mark(spans, layer, cause, missing);
        }
    }

    /// Goes on by bytes that cannot be read, and says what they are for.
    fn skip_gap(&mut self, length: usize) -> (Layer, Cause) {
        match self {
            Self::Opaque => (Layer::Application, Cause::Opaque),
            Self::Mqtt(mqtt) => (Layer::Application, mqtt.skip_gap(length)),
            Self::Coap(coap) => (Layer::Application, coap.skip_gap(length)),
            Self::Rtps(rtps) => (Layer::Application, rtps.skip_gap(length)),
            Self::Tls(tls) => (Layer::Tls, tls.skip_gap(length)),
            Self::WebSocket(websocket) => websocket.skip_gap(length),
            Self::Http(http) => (Layer::Application, http.skip_gap(length)),
        }
    }
}

/// By the first data that a client, or a server that speaks first, sends.
fn by_content(first: &[u8]) -> Option<Protocol> {
    match first {
        // A frame of Fast DDS.
        [b'R', b'T', b'C', b'P', ..] => Some(Protocol::Rtps),
        // A handshake record, of whatever version.
        [22, 3, 0..=4, ..] => Some(Protocol::Tls),
        [0x10, rest @ ..] => {
            let name = rest.iter().position(|byte| byte & 0x80 == 0)?;
            let is_connect = matches!(
                rest.get(name + 1..)?,
                [0, 4, b'M', b'Q', b'T', b'T', ..] | [0, 6, b'M', b'Q', b'I', b's', ..]
            );
            (name < 4 && is_connect).then_some(Protocol::Mqtt)
        }
        _ if websocket::is_asked_for(first) => Some(Protocol::WebSocket),
        _ if http::is_request(first) => Some(Protocol::Http),
        _ => None,
    }
}
