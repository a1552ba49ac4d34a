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

/// An application protocol, as the catalogue has it.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationEntry {
    /// As in the notation of stacks.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// One of which the layer below must carry, the usual one first.
    pub over: &'static [Carriage],
    /// Where its servers listen.
    pub port: u16,
    /// Where they listen instead if this layer is somewhere below: other ports are registered for what is secured.
    pub port_over: &'static [(&'static str, u16)],
    /// Whether a server passes on what a device publishes to the devices that subscribe, by the core of its host.
    pub has_topics: bool,
    /// Its settings.
    pub options: &'static [OptionEntry],
    /// What builds it, where it is built.
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

/// What builds an application from its options, and from the stack that it is in.
pub type BuildApplication = fn(&StackSpec, Options<'_>) -> Box<dyn ApplicationBuilder>;

/// An application with its settings, from which both ends are made.
pub trait ApplicationBuilder {
    /// The device's end, with what stands on it.
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application>;

    /// The server's end, with what stands on it.
    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application>;

    /// Whether the sender of a message comes to know that its peer has it.
    fn acknowledges(&self) -> bool;

    /// Whether its server brings a round trip back by itself, as a broker does.
    fn forwards(&self) -> bool;

    /// Whether its server passes on by itself what is for other devices, by the core of its host; else it can reach
    /// those of its own stack alone.
    fn passes_on(&self) -> bool {
        true
    }

    /// Whether its server listens at several ports, which follow from that of its service.
    fn has_own_ports(&self) -> bool {
        false
    }

    /// Whether a file goes in several messages, which the device puts together: the protocol has no way of its own.
    fn carries_in_parts(&self) -> bool {
        false
    }

    /// Whether its answers say for how long they may be kept, so that a proxy can.
    fn is_cacheable(&self) -> bool {
        false
    }

    /// Where messages begin in a stream of it, where that shows.
    fn boundary(&self) -> Option<MessageBoundary> {
        None
    }

    /// How many peers its server holds, where that is limited.
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

/// What a server says of its resources.
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
