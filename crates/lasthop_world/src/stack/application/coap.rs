use std::sync::Arc;

use lasthop_coap::{
    BlockSize, Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapServer, CoapServerConfig,
    CoapTopics, MAX_PEERS, MessageType, PORT, Push, SECURE_PORT,
};
use lasthop_contract::Application;
use lasthop_transport::PeerLimit;
use lasthop_units::Duration;

use super::{
    ACK_RANDOM_FACTOR, ApplicationBuilder, ApplicationEntry, CHANGES, MAX_AGE, MAX_RETRANSMIT,
    ack_timeout, response_source, said_of_resources,
};
use crate::spec::{MAX_DOWNLOAD, StackSpec};
use crate::stack::{
    Above, Carriage, ClientEnd, Needs, OptionEntry, OptionKind, Options, ServerEnd,
};
use lasthop_traffic::{FlowKind, Reaction};

/// CoAP (RFC 7252), over streams RFC 8323.
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "coap",
    summary: "CoAP between device and server",
    over: &[Carriage::Datagrams, Carriage::Stream],
    port: PORT,
    port_over: &[("tls", SECURE_PORT), ("dtls", SECURE_PORT)],
    has_topics: true,
    options: OPTIONS,
    build: Some(|stack, options| Box::new(Coap::new(stack, options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "type",
        OptionKind::Word(&["con", "non"]),
        "of messages: confirmable or not",
    )
    .default("con")
    .needs(Needs::LAYERS, &["udp"]),
    OptionEntry::new(
        "nstart",
        OptionKind::Count(1, 1000),
        "exchanges at the same time",
    )
    .default("1")
    .needs("type", &["con"]),
    ack_timeout("first wait for an acknowledgement, or for the answer to a non-confirmable block")
        .needs("type", &["con", "non"]),
    ACK_RANDOM_FACTOR.needs("type", &["con", "non"]),
    MAX_RETRANSMIT.needs("type", &["con"]),
    OptionEntry::new(
        "push",
        OptionKind::Word(&["post", "put", "observe"]),
        "how a message reaches the device",
    )
    .default("post"),
    OptionEntry::new(
        "block_size",
        OptionKind::Word(&["16", "32", "64", "128", "256", "512", "1024"]),
        "the largest part of a message that one datagram carries, in bytes",
    )
    .default("1024"),
    OptionEntry::new(
        "answers",
        OptionKind::Word(&["piggybacked", "separate"]),
        "whether an answer comes in the acknowledgement of its request, as where it is not written, or by itself behind that (RFC 7252 section 5.2)",
    )
    .needs("type", &["con"]),
    OptionEntry::new(
        "echo",
        OptionKind::Switch,
        "a stranger is sent at most three times its bytes until it has shown, by the option Echo, \
         that it is there",
    )
    .default("off")
    .needs(Needs::LAYERS, &["udp"]),
    OptionEntry::new(
        "peers",
        OptionKind::Count(1, MAX_PEERS as u64),
        "peers that the server holds; beyond that a new one takes the place of the one at rest longest, \
         which is counted as evicted, or is not heard; 262144 where it is not written",
    )
    .needs(Needs::LAYERS, &["udp"]),
    MAX_AGE,
    CHANGES,
];

const PURPOSE: &str = "coap";

struct Coap {
    kind: MessageType,
    push: Push,
    carrier: Carrier,
    parameters: Arc<CoapParameters>,
    /// How many peers its server holds.
    peers: usize,
    /// What its server says of its resources.
    resources: (Option<Duration>, Option<Duration>),
}

impl Coap {
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let size = options.word("block_size").parse().ok();
        let mut parameters = CoapParameters {
            block_size: size.and_then(BlockSize::of).unwrap_or(BlockSize::LARGEST),
            asks_for_proof: options.switch("echo"),
            separate_responses: options.word("answers") == "separate",
            ..CoapParameters::default()
        };
        if options.has("ack_timeout") {
            parameters.ack_timeout = options.time("ack_timeout");
            parameters.ack_random_factor = options.number("ack_random_factor");
        }
        if options.has("nstart") {
            parameters.nstart = options.small("nstart");
            parameters.max_retransmit = options.small("max_retransmit");
        }
        let resources = said_of_resources(options);
        if let (Some(max_age), _) = resources {
            parameters.max_age = max_age;
        }
        Self {
            resources,
            peers: match options.has("peers") {
                true => options.integer("peers") as usize,
                false => MAX_PEERS,
            },
            kind: match options.word("type") {
                "non" => MessageType::NonConfirmable,
                _ => MessageType::Confirmable,
            },
            push: match options.word("push") {
                "put" => Push::Put,
                "observe" => Push::Observe,
                _ => Push::Post,
            },
            carrier: if stack.layer("udp").is_some() {
                Carrier::Datagrams
            } else {
                Carrier::Streams
            },
            parameters: Arc::new(parameters),
        }
    }
}

impl ApplicationBuilder for Coap {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let mut parameters = Arc::clone(&self.parameters);
        if end.has(FlowKind::Download) {
            Arc::make_mut(&mut parameters).max_body_size = MAX_DOWNLOAD as usize;
        }
        let config = CoapClientConfig {
            server: end.server,
            device: end.device,
            kind: self.kind,
            push: self.push,
            // What a device downloads answers a request of its own.
            receives: end.is_commanded() || end.has(FlowKind::RoundTrip),
            answers: end.has(FlowKind::Pull),
            carrier: self.carrier,
            parameters,
        };
        let client = CoapClient::new(config, end.host.stream(PURPOSE));
        let client = match end.resource_ids {
            Some(resource_ids) => client.resource_ids(resource_ids.clone()),
            None => client,
        };
        let topics = CoapTopics {
            publishes: end.published(),
            hears: end.hears.into(),
        };
        above.over(if topics == CoapTopics::default() {
            client
        } else {
            client.with_topics(topics)
        })
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        let config = CoapServerConfig {
            kind: self.kind,
            push: self.push,
            answers: end.answers || end.cache.is_some(),
            carrier: self.carrier,
            parameters: Arc::clone(&self.parameters),
        };
        let server = CoapServer::new(config, end.host.stream(PURPOSE));
        let server = server.response_source(response_source(end, self.resources));
        let pushes = !matches!(above, Above::Schedules(None, Reaction::Deliver));
        let server = if pushes { server.learning() } else { server };
        above.over(match end.core {
            Some(core) => server.at(core.service()),
            None => server,
        })
    }

    fn acknowledges(&self) -> bool {
        self.kind == MessageType::Confirmable
    }

    fn forwards(&self) -> bool {
        false
    }

    fn is_cacheable(&self) -> bool {
        true
    }

    fn peer_limit(&self) -> Option<PeerLimit> {
        (self.carrier == Carrier::Datagrams).then(|| PeerLimit {
            peers: self.peers,
            rest: self.parameters.exchange_lifetime(),
        })
    }
}
