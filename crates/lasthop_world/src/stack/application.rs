mod coap;
mod dds;
mod http;
mod json_udp;
mod mqtt;
mod planned;
mod raw_tcp;
mod raw_udp;
mod tokens;

pub(crate) use tokens::token_authority;

use lasthop_cache::{OwnResources, ResponseSource};
use lasthop_contract::Application;
use lasthop_device::MessageBoundary;
use lasthop_transport::PeerLimit;
use lasthop_units::Duration;

use super::{Above, Carriage, ClientEnd, OptionEntry, Options, ServerEnd};
use crate::spec::StackSpec;

/// An application protocol in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationEntry {
    /// The name of the application in stack notation.
    pub name: &'static str,
    /// A short description of the application.
    pub summary: &'static str,
    /// The carriages for the layer below, the preferred one first. That layer must offer one of them.
    pub over: &'static [Carriage],
    /// The default port of its servers.
    pub port: u16,
    /// The default port above certain layers, for example the registered port of the secured protocol.
    pub port_over: &'static [(&'static str, u16)],
    /// Whether a server relays publications of devices to subscribers through the broker core of its host.
    pub has_topics: bool,
    /// The options of the application.
    pub options: &'static [OptionEntry],
    /// The function that builds the application; `None` if it is not implemented yet.
    pub build: Option<BuildApplication>,
}

impl ApplicationEntry {
    /// Where its servers listen on these layers, unless they are told otherwise.
    pub(super) fn port_on<'a>(&self, mut layers: impl Iterator<Item = &'a str>) -> u16 {
        let registered = |layer| self.port_over.iter().find(|(over, _)| *over == layer);
        let elsewhere = layers.find_map(registered);
        elsewhere.map_or(self.port, |(_, port)| *port)
    }
}

/// A function that builds an application from its stack and options.
pub type BuildApplication = fn(&StackSpec, Options<'_>) -> Box<dyn ApplicationBuilder>;

/// A builder of an application's client and server, with its settings.
pub trait ApplicationBuilder {
    /// Builds the client with its traffic.
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application>;

    /// Builds the server with its traffic.
    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application>;

    /// Whether the sender of a message learns that its peer has received it.
    fn acknowledges(&self) -> bool;

    /// Whether the server returns a round trip by itself, as a broker does.
    fn forwards(&self) -> bool;

    /// Whether the server relays messages to devices of other stacks through the broker core of its host.
    ///
    /// Otherwise it reaches only devices of its own stack.
    fn passes_on(&self) -> bool {
        true
    }

    /// Whether the server listens on several ports, derived from the port of its service.
    fn has_own_ports(&self) -> bool {
        false
    }

    /// Whether a file is carried in several messages, because the protocol cannot split it.
    fn carries_in_parts(&self) -> bool {
        false
    }

    /// Whether answers carry a lifetime, so that a proxy can cache them.
    fn is_cacheable(&self) -> bool {
        false
    }

    /// Returns how messages are delimited in the stream, or `None` if a reader cannot know.
    fn boundary(&self) -> Option<MessageBoundary> {
        None
    }

    /// Returns the peer limit of the server, if there is one.
    fn peer_limit(&self) -> Option<PeerLimit> {
        None
    }
}

/// Every application of the project, in the order of the catalogue.
pub(super) const ALL: &[ApplicationEntry] = &[
    json_udp::ENTRY,
    raw_udp::ENTRY,
    raw_tcp::ENTRY,
    mqtt::ENTRY,
    planned::MQTT_SN,
    coap::ENTRY,
    http::ENTRY,
    dds::ENTRY,
];

/// For how long an answer is fresh.
const MAX_AGE: OptionEntry = OptionEntry::new(
    "max_age",
    super::OptionKind::Seconds(1, u32::MAX as u64),
    "for how long what the server gives out is fresh, as it says with it",
);

/// How long a state lasts.
const CHANGES: OptionEntry = OptionEntry::new(
    "changes",
    super::OptionKind::Time,
    "how long each resource of the server stays as it is: by its entity tag a cache learns that it need not fetch it again",
);

/// Returns the response source of a server's resources.
fn response_source(
    end: &ServerEnd<'_>,
    options: (Option<Duration>, Option<Duration>),
) -> ResponseSource {
    match end.cache {
        Some(cache) => ResponseSource::Cached(cache.clone()),
        None => ResponseSource::Own(OwnResources::new(options.0, options.1)),
    }
}

/// The values of [`MAX_AGE`] and [`CHANGES`], where they are written.
fn said_of_resources(options: Options<'_>) -> (Option<Duration>, Option<Duration>) {
    let max_age = options.has(MAX_AGE.name);
    let changes = options.has(CHANGES.name);
    (
        max_age.then(|| Duration::from_secs(options.integer(MAX_AGE.name))),
        changes.then(|| options.time(CHANGES.name)),
    )
}

/// First wait for what `awaited` says.
const fn ack_timeout(summary: &'static str) -> OptionEntry {
    OptionEntry::new("ack_timeout", super::OptionKind::Time, summary).default("2s")
}

/// By which factor the first wait varies.
const ACK_RANDOM_FACTOR: OptionEntry = OptionEntry::new(
    "ack_random_factor",
    super::OptionKind::Number(1.0, 10.0),
    "the first wait is drawn up to this factor longer",
)
.default("1.5");

/// How often a message is sent again.
const MAX_RETRANSMIT: OptionEntry = OptionEntry::new(
    "max_retransmit",
    super::OptionKind::Count(0, 20),
    "how often a message is sent again",
)
.default("4");
