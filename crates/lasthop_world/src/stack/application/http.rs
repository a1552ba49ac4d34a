use core::net::SocketAddr;
use core::num::NonZeroU32;

use lasthop_contract::Application;
use lasthop_http::{
    ConnectionPolicy, HttpClient, HttpClientConfig, HttpServer, HttpServerConfig, HttpVersion,
    PORT, SECURE_PORT, ServerLimits,
};
use lasthop_tls::RUN_STARTS;
use lasthop_traffic::FlowKind;
use lasthop_units::Duration;

use super::tokens::{AUTH, TOKEN_LIFETIME, Tokens};
use super::{
    ApplicationBuilder, ApplicationEntry, CHANGES, MAX_AGE, response_source, said_of_resources,
};
use crate::spec::{MAX_DOWNLOAD, SessionSpec, StackSpec};
use crate::stack::shared::Shared;
use crate::stack::{
    Above, Carriage, ClientEnd, Needs, OptionEntry, OptionKind, Options, ServerEnd,
};

/// HTTP (RFC 9110).
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "http",
    summary: "HTTP requests of the device",
    over: &[Carriage::Stream, Carriage::Streams],
    port: PORT,
    port_over: &[("tls", SECURE_PORT), ("quic", SECURE_PORT)],
    has_topics: false,
    options: OPTIONS,
    build: Some(|stack, options| Box::new(Http::new(stack, options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "version",
        OptionKind::Word(&["1.1", "2"]),
        "of HTTP; over QUIC it is 3",
    )
    .default("1.1")
    .needs(Needs::LAYERS, &["tcp"]),
    OptionEntry::new(
        "qpack_table",
        OptionKind::Size(0, 65_536),
        "how large a dynamic table of QPACK either end lets the other have; 0 B for the static one alone",
    )
    .default("4096B")
    .needs(Needs::LAYERS, &["quic"]),
    OptionEntry::new(
        "index_authorization",
        OptionKind::Switch,
        "the dynamic table remembers tokens",
    )
    .default("on")
    .needs(Needs::LAYERS, &["quic"]),
    OptionEntry::new(
        "connection",
        OptionKind::Word(&["keep", "per_message"]),
        "whether a connection serves further requests",
    )
    .default("keep"),
    OptionEntry::new(
        "connections",
        OptionKind::Count(1, 64),
        "of a device at the same time at most, for what it says: each has one request under way; browsers have six",
    )
    .default("6")
    .needs("version", &["1.1"]),
    OptionEntry::new(
        "chunked",
        OptionKind::Switch,
        "messages go in chunks, as where their length is not known beforehand",
    )
    .default("off")
    .needs("version", &["1.1"]),
    OptionEntry::new(
        "body",
        OptionKind::Word(&["message", "base64_json"]),
        "what carries a message of a device: its bytes, or a JSON object with them in base64url, as the bridge of Cloud IoT Core took it",
    )
    .default("message"),
    OptionEntry::new(
        "window",
        OptionKind::Size(65_535, 1 << 30),
        "how much of all answers a device takes ahead of what it has read",
    )
    .default("65535B")
    .needs("version", &["2"]),
    OptionEntry::new(
        "timeout",
        OptionKind::Time,
        "how long a message may take to be answered, the wait for its connection included",
    )
    .default("30s"),
    OptionEntry::new(
        "idle_timeout",
        OptionKind::Time,
        "how long the server keeps a connection without a request, as nginx does",
    )
    .default("75s"),
    OptionEntry::new(
        "hold",
        OptionKind::Time,
        "how long the server holds a request for a message that is not there yet, before it answers that there is none",
    )
    .default("30s"),
    MAX_AGE,
    CHANGES,
    AUTH,
    TOKEN_LIFETIME,
];

/// How many connections for one message each a device has at a time, where no option says so: as browsers do.
const SIDE_BY_SIDE: usize = 6;

struct Http {
    scheme_port: u16,
    version: HttpVersion,
    is_secured: bool,
    window: u32,
    qpack_table: usize,
    remembers_tokens: bool,
    policy: ConnectionPolicy,
    connections: usize,
    is_chunked: bool,
    wraps_in_json: bool,
    timeout: Duration,
    idle: Duration,
    hold: Duration,
    tokens: Tokens,
    /// What its server says of its resources.
    resources: (Option<Duration>, Option<Duration>),
    clients: Shared<HttpClientConfig>,
}

impl Http {
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let port = ENTRY.port_on(stack.layers.iter().map(|layer| layer.name.as_str()));
        Self {
            scheme_port: port,
            version: match options.word("version") {
                "1.1" => HttpVersion::One,
                "2" => HttpVersion::Two,
                _ => HttpVersion::Three,
            },
            is_secured: port == SECURE_PORT,
            window: u32::try_from(options.integer("window")).unwrap_or(u32::MAX),
            qpack_table: options.integer("qpack_table") as usize,
            remembers_tokens: options.switch("index_authorization"),
            policy: match options.word("connection") {
                "per_message" => ConnectionPolicy::PerMessage,
                _ => ConnectionPolicy::Keep,
            },
            connections: options.small("connections").into(),
            is_chunked: options.switch("chunked"),
            wraps_in_json: options.word("body") == "base64_json",
            timeout: options.time("timeout"),
            idle: options.time("idle_timeout"),
            hold: options.time("hold"),
            tokens: Tokens::of(options),
            resources: said_of_resources(options),
            clients: Shared::default(),
        }
    }

    /// Returns the authority of the server, without the default port (RFC 9110 section 4.2).
    fn authority(&self, server: SocketAddr) -> String {
        if server.port() != self.scheme_port {
            return server.to_string();
        }
        match server {
            SocketAddr::V4(four) => four.ip().to_string(),
            SocketAddr::V6(six) => format!("[{}]", six.ip()),
        }
    }
}

impl ApplicationBuilder for Http {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let config = HttpClientConfig {
            server: end.server,
            authority: self.authority(end.server).into(),
            version: self.version,
            is_secured: self.is_secured,
            window: self.window.max(65_535),
            qpack_table: self.qpack_table,
            remembers_tokens: self.remembers_tokens,
            policy: match end.session {
                SessionSpec::PerMessage => ConnectionPolicy::PerMessage,
                SessionSpec::Per(messages) => match NonZeroU32::new(messages) {
                    Some(messages) => ConnectionPolicy::Messages(messages),
                    None => self.policy,
                },
                SessionSpec::Keep | SessionSpec::Established | SessionSpec::ForNs(_) => self.policy,
            },
            connections: match self.policy {
                // Where requests go side by side there is one, unless each has its own.
                ConnectionPolicy::PerMessage => self.connections.max(SIDE_BY_SIDE),
                ConnectionPolicy::Keep | ConnectionPolicy::Messages(_) => self.connections.max(1),
            },
            is_chunked: self.is_chunked,
            timeout: self.timeout,
            hold: self.hold,
            sends: end.flows.iter().any(|flow| flow.kind != FlowKind::Command),
            receives: end.is_commanded(),
            wraps_in_json: self.wraps_in_json,
            echoed: end.echoed(),
        };
        let client = HttpClient::new(self.clients.of(config), end.device);
        let client = match end.registered() {
            Some((_, device)) => client.known_as(&device.path),
            None => client,
        };
        let client = match end.resource_ids {
            Some(resource_ids) => client.resource_ids(resource_ids.clone()),
            None => client,
        };
        above.over(match self.tokens.source(end) {
            None => client,
            Some(tokens) => client.with_tokens(tokens),
        })
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        let server = HttpServer::new(HttpServerConfig {
            port: PORT,
            limits: ServerLimits {
                idle: self.idle,
                largest_body: MAX_DOWNLOAD as usize,
                qpack_table: self.qpack_table,
                calendar: Some(RUN_STARTS),
                ..ServerLimits::default()
            },
            hold: self.hold,
            asks_tokens: self.tokens.are_asked_for(),
            unwraps_json: self.wraps_in_json,
        });
        above.over(server.response_source(response_source(end, self.resources)))
    }

    fn acknowledges(&self) -> bool {
        true
    }

    fn forwards(&self) -> bool {
        false
    }

    fn is_cacheable(&self) -> bool {
        true
    }
}
