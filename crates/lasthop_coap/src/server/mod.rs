//! The server: takes messages from devices, pushes messages to them, and keeps resources for anybody.

mod condition;
mod devices;
mod example;
mod links;
mod observer;
mod path;
mod proofs;
mod publishing;
mod resources;
mod serving;
mod serving_upstream;
mod store;
mod target;
mod topics;
mod unchecked;
mod upstream_cache;

use std::sync::Arc;

use lasthop_broker::BrokerService;
use lasthop_cache::ResponseSource;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ConnectionId, DeviceId, LookupMap,
    RandomStream, ShortQueue, Survives, Transport, TransportEvent,
};
use lasthop_units::Instant;

use crate::answering::Answering;
use crate::codec::{MessageType, Token};
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::inbox::{FILE, is_question, written_resource};
use crate::{Carrier, CoapCounters, CoapParameters, PORT, Push};
use devices::Devices;
pub use devices::MAX_DEVICES;
pub use example::Example;
use proofs::Proofs;
use store::ResourceStore;
pub use store::{MAX_OBSERVERS, MAX_RESOURCES};
use topics::Topics;
use upstream_cache::UpstreamCache;

/// The server's end.
///
/// What is POSTed or PUT to `d/<number>` is handed up as a message. Messages for a device that has made itself known
/// are POSTed or PUT to its resource `m`, or are notifications of `d/<number>`. Any other path is a resource that can
/// be set (PUT), added to (POST), read, observed and removed; `.well-known/core` lists them. As a service of a broker's core
/// it has its topics below `ps`, and serves those whom the authority of the core knows.
#[derive(Debug)]
pub struct CoapServer {
    config: CoapServerConfig,
    endpoint: Endpoint,
    devices: Devices,
    /// Whose observations they are; devices are found by them when an observation ends.
    observations: LookupMap<(ConnectionId, Token), DeviceId>,
    store: ResourceStore,
    /// Connections by which devices and observers were reached last.
    reachable: LookupMap<ConnectionId, ()>,
    /// What answers the questions of devices, where they have any.
    answering: Option<Box<Answering>>,
    /// What is said of what they are answered.
    response_source: ResponseSource,
    /// Where the services of the host share a core.
    topics: Option<Box<Topics>>,
    /// Where the host is a proxy.
    upstream: Option<Box<UpstreamCache>>,
    /// Where strangers are asked for a proof of their address.
    proofs: Option<Box<Proofs>>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct CoapServerConfig {
    /// Whether messages to devices and notifications are confirmable.
    pub kind: MessageType,
    /// How messages reach devices.
    pub push: Push,
    /// Whether devices ask it for messages.
    pub answers: bool,
    /// The kind of transport.
    pub carrier: Carrier,
    /// The parameters of the endpoint.
    pub parameters: Arc<CoapParameters>,
}

impl CoapServer {
    /// A server for any number of devices.
    #[must_use]
    pub fn new(config: CoapServerConfig, mut stream: RandomStream) -> Self {
        let asks = config.parameters.asks_for_proof && config.carrier == Carrier::Datagrams;
        let proofs = asks.then(|| {
            Box::new(Proofs::new(RandomStream::named(
                stream.next_u64(),
                "proofs",
            )))
        });
        Self {
            proofs,
            answering: config.answers.then(Box::default),
            response_source: ResponseSource::default(),
            endpoint: Endpoint::new(config.carrier, Arc::clone(&config.parameters), stream),
            config,
            devices: Devices::new(),
            observations: LookupMap::new(),
            store: ResourceStore::default(),
            reachable: LookupMap::new(),
            topics: None,
            upstream: None,
            outputs: ShortQueue::new(),
        }
    }

    /// Makes it one of the services that share a core.
    #[must_use]
    pub fn at(self, core: BrokerService) -> Self {
        Self {
            topics: Some(Box::new(Topics::new(core))),
            ..self
        }
    }

    /// Lets it push to devices that have reported, in addition to registered ones. A restart may have lost the
    /// registrations.
    #[must_use]
    pub const fn learning(mut self) -> Self {
        self.devices.learns = true;
        self
    }

    /// Sets the source of resource representations.
    #[must_use]
    pub fn response_source(self, response_source: ResponseSource) -> Self {
        let upstream = match &response_source {
            ResponseSource::Own(_) => None,
            ResponseSource::Cached(cache) => Some(Box::new(UpstreamCache::new(cache.watching()))),
        };
        Self {
            response_source,
            upstream,
            ..self
        }
    }

    /// Creates it with example resources.
    #[must_use]
    pub fn with_example(config: CoapServerConfig, stream: RandomStream, example: Example) -> Self {
        Self {
            store: ResourceStore::with_example(example),
            ..Self::new(config, stream)
        }
    }

    /// Returns the counters of unusable input.
    #[must_use]
    pub fn counters(&self) -> CoapCounters {
        self.endpoint.tally.counters()
    }

    fn note(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        match event {
            TransportEvent::DatagramReadable | TransportEvent::Readable(_) => {
                self.receive(now, connection, transport);
            }
            TransportEvent::Established(_) | TransportEvent::StreamOpened(..) => {
                let stream = event.new_stream(connection, transport);
                let mut cx = Context::new(now, transport, &mut self.outputs);
                self.endpoint.opened(&mut cx, connection, stream);
            }
            TransportEvent::Writable(_) => {
                let mut cx = Context::new(now, transport, &mut self.outputs);
                self.endpoint.writable(&mut cx, connection);
            }
            TransportEvent::Closed(_) => self.closed(now, connection, transport),
            TransportEvent::StreamReset(..)
            | TransportEvent::StreamsAllowed
            | TransportEvent::Rebound
            | TransportEvent::Moved => {}
        }
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        loop {
            let mut cx = Context::new(now, transport, &mut self.outputs);
            let next = self.endpoint.next_request(&mut cx, connection);
            // What came before the request holds for it: an observation that was rejected has ended.
            self.attend(now, transport);
            let Some((request, datagram)) = next else {
                return;
            };
            if let Some(answering) = &mut self.answering
                && is_question(&request, &datagram, FILE)
            {
                let mut cx = Context::new(now, transport, &mut self.outputs);
                let (request, response_source) =
                    ((&request, &datagram[..]), Some(&mut self.response_source));
                answering.take(
                    &mut self.endpoint,
                    &mut cx,
                    connection,
                    request,
                    response_source,
                );
                continue;
            }
            if let Some(answering) = &mut self.answering
                && let Some(resource) = written_resource(&request, &datagram)
            {
                let mut cx = Context::new(now, transport, &mut self.outputs);
                let (write, response_source) =
                    ((&request, datagram, resource), &mut self.response_source);
                answering.take_write(
                    &mut self.endpoint,
                    &mut cx,
                    connection,
                    write,
                    response_source,
                );
                continue;
            }
            let (mut server, mut cx) = self.serving(now, transport);
            serving::serve(&mut server, &mut cx, connection, &request, datagram);
        }
    }

    /// What requests are served with.
    fn serving<'a>(
        &'a mut self,
        now: Instant,
        transport: &'a mut dyn Transport,
    ) -> (serving::Server<'a>, Context<'a>) {
        let server = serving::Server {
            config: &self.config,
            endpoint: &mut self.endpoint,
            devices: &mut self.devices,
            observations: &mut self.observations,
            store: &mut self.store,
            reachable: &mut self.reachable,
            topics: self.topics.as_deref_mut(),
            upstream: self.upstream.as_deref_mut(),
            proofs: self.proofs.as_deref_mut(),
        };
        (server, Context::new(now, transport, &mut self.outputs))
    }

    /// The host goes off: devices, observations and resources are gone, which are in memory alone.
    fn leave(&mut self, survives: Survives) {
        self.endpoint = self.endpoint.anew(self.config.carrier);
        self.answering = self.config.answers.then(Box::default);
        self.devices = self.devices.anew();
        self.observations = LookupMap::new();
        self.store = ResourceStore::default();
        self.reachable = LookupMap::new();
        if let Some(topics) = &mut self.topics {
            topics.crash(survives);
        }
        if let Some(upstream) = &mut self.upstream {
            upstream.crash();
        }
    }

    fn closed(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.closed(&mut cx, connection);
        self.store.forget(connection);
        if let Some(answering) = &mut self.answering {
            answering.forget(connection);
        }
        self.reachable.remove(&connection);
        if let Some(topics) = &mut self.topics {
            topics.forget(connection);
        }
        if let Some(upstream) = &mut self.upstream {
            upstream.forget(connection);
        }
        if let Some(proofs) = &mut self.proofs {
            proofs.forget(connection);
        }
        self.attend(now, transport);
    }

    /// Drops the observations that clients have ended, and the connections that nobody has use for.
    #[inline]
    fn attend(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.endpoint.has_news() {
            self.take_news(now, transport);
        }
    }

    fn take_news(&mut self, now: Instant, transport: &mut dyn Transport) {
        for key in self.endpoint.take_ended_observations() {
            match self.observations.remove(&key) {
                Some(device) => {
                    self.devices.end_observation(device, key);
                }
                None => {
                    self.store.end_observation(key);
                    if let Some(topics) = &mut self.topics {
                        topics.end_observation(key);
                    }
                    if let Some(upstream) = &mut self.upstream {
                        upstream.end_observation(key);
                    }
                }
            }
        }
        while let Some(connection) = self.endpoint.next_forgotten() {
            // Who has proved its address need not do so again.
            if self.proofs.is_none() && !self.reachable.contains(&connection) {
                transport.forget(now, connection);
            }
        }
        // What a peer can do is asked for when something is to be sent to it.
        while self.endpoint.next_usable().is_some() {}
        // Its own requests all carry messages or ask for them; the endpoint tells what becomes of those.
        while self.endpoint.next_event().is_some() {}
    }
}

impl Application for CoapServer {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => transport
                .listen(PORT)
                .expect("nobody else listens on this host"),
            ApplicationInput::Crash(survives) => self.leave(survives),
            ApplicationInput::Transport(connection, event) => {
                self.note(now, connection, event, transport);
            }
            ApplicationInput::Send(message) => {
                let mut cx = Context::new(now, transport, &mut self.outputs);
                let (devices, endpoint) = (&mut self.devices, &mut self.endpoint);
                if let Some(answering) = &mut self.answering
                    && answering.give(endpoint, &mut cx, message, Some(&self.response_source))
                {
                    return self.attend(now, transport);
                }
                devices.push(&mut cx, endpoint, &self.config, message);
                self.attend(now, transport);
            }
            // Clients of a stream see it end; over datagrams there is nothing to end.
            ApplicationInput::Stop => {}
            ApplicationInput::Timeout => {
                let mut cx = Context::new(now, transport, &mut self.outputs);
                self.endpoint.timeout(&mut cx);
                while let Some(path) = self.store.pop_change(now) {
                    let (mut server, mut cx) = self.serving(now, transport);
                    server.change_by_itself(&mut cx, &path);
                }
                self.attend(now, transport);
            }
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        if let Some(topics) = &mut self.topics {
            let checked = topics.take_checked();
            let (mut server, mut cx) = self.serving(now, transport);
            server.deliver_from_others(&mut cx);
            for (connection, request, datagram) in checked {
                serving::serve(&mut server, &mut cx, connection, &request, datagram);
            }
            self.attend(now, transport);
        }
        if self.upstream.is_some() {
            let (mut server, mut cx) = self.serving(now, transport);
            server.forward_upstream_reports(&mut cx);
            self.attend(now, transport);
        }
        self.outputs.pop().unwrap_or_else(|| {
            let deadline = match (self.endpoint.next_deadline(), self.store.next_change()) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            ApplicationOutput::WaitUntil(deadline)
        })
    }
}
