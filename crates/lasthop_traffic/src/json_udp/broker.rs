use lasthop_broker::{
    BrokerService, Client, Credentials, Delivery, Holder, Identity, Matches, Message, Origin,
    Publication, Qos, RetainedSearch, SharedPublication, Subscriber, SubscriptionMatch,
    SubscriptionOptions, TopicFilter, is_topic_name,
};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, ConnectionId, FailureReason,
    MessageEvent, MessageId, OutgoingMessage, Payload, RandomStream, Received, ShortQueue,
    Survives, Transport, TransportEvent,
};
use lasthop_units::Instant;

use super::PORT;
use super::bound::{Bound, SubscriptionLimits};
use super::encoding::{plain_payload, sent_data};
use super::envelope::{Envelope, Framing, challenge, publication, session_chunk, session_message};
use lasthop_contract::message_text::{flow_of, message_id, topic_of};

/// A broker for JSON over UDP. It forwards publications to subscribers, and can be the destination itself.
///
/// Clients present no credentials. The broker silently drops what the authority of its core refuses to clients without
/// credentials.
#[derive(Debug)]
pub struct JsonUdpBroker {
    core: BrokerService,
    /// What it is where it is not itself the destination of what is published.
    role: Option<Box<Role>>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// Retained topics that are looked at for one new subscription where subscriptions are limited, so that others are not kept
/// waiting.
const MOST_TOPICS: usize = 10_000;

/// Retained messages that one new subscription gets where subscriptions are limited.
const MOST_RETAINED: usize = 1_000;

#[derive(Debug)]
enum Role {
    /// It forwards, and nothing more.
    Forwarder,
    /// It forwards, and the number of subscriptions is limited.
    Bounded(Bound),
}

impl JsonUdpBroker {
    /// Creates a broker. With `is_destination`, it also delivers every publication to the application above.
    #[must_use]
    pub fn new(is_destination: bool) -> Self {
        Self {
            core: BrokerService::default(),
            role: (!is_destination).then(|| Box::new(Role::Forwarder)),
            outputs: ShortQueue::new(),
        }
    }

    /// Creates a broker for unknown clients. Their subscriptions are limited, and end with the client's flow.
    #[must_use]
    pub fn bounded(limits: SubscriptionLimits) -> Self {
        let bound = Bound::new(limits);
        Self {
            role: Some(Box::new(Role::Bounded(bound))),
            ..Self::new(false)
        }
    }

    /// Requires clients to prove that they receive at their address before they subscribe.
    ///
    /// The challenges come from an unpredictable stream.
    #[must_use]
    pub fn asking_for_proof(mut self, stream: RandomStream) -> Self {
        if let Some(bound) = self.bound() {
            bound.ask_for_proof(stream);
        }
        self
    }

    /// Makes the broker one of several services that share a broker core.
    #[must_use]
    pub fn at(self, core: BrokerService) -> Self {
        Self { core, ..self }
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            if let Some(bound) = self.bound() {
                bound.note_heard(now, connection);
            }
            match Envelope::parse(&datagram) {
                Ok(Envelope::Subscribe { topic, echo }) => {
                    let bound = self.bound();
                    match bound.and_then(|it| it.challenge(connection, &echo)) {
                        Some(echo) => {
                            let text = challenge(&echo);
                            // Not more than came: the address may be another's.
                            debug_assert!(text.len() <= datagram.len());
                            let chunk = session_chunk(text.as_bytes());
                            let _ = transport.send_datagram(now, connection, &[chunk]);
                        }
                        None => self.subscribe(now, connection, &topic, transport),
                    }
                }
                Ok(Envelope::Publish { topic, data }) => {
                    if !self.core.has_nobody() {
                        self.forward(now, connection, &topic, &datagram, data.clone(), transport);
                    }
                    if self.role.is_none() {
                        self.hand_up(connection, datagram, data);
                    }
                }
                Ok(Envelope::Unsubscribe { topic }) => {
                    if self.bound().is_some_and(|it| !it.is_proven(connection)) {
                        continue;
                    }
                    self.unsubscribe(now, connection, &topic, transport);
                }
                // What is no message of ours is ignored.
                Ok(
                    Envelope::Subscribed { .. }
                    | Envelope::Unsubscribed { .. }
                    | Envelope::Challenge { .. },
                )
                | Err(_) => {}
            }
        }
    }

    fn subscribe(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        topic: &str,
        transport: &mut dyn Transport,
    ) {
        let Ok(filter) = TopicFilter::parse(topic) else {
            return;
        };
        if !self.is_allowed(now, |core, client| core.may_subscribe(client, &filter)) {
            return;
        }
        let options = SubscriptionOptions::default();
        let is_new = self.core.subscribe(connection.0, &filter, options);
        if is_new && !self.finds_room(now, connection, topic, transport) {
            self.core.unsubscribe(connection.0, &filter);
            return;
        }
        if is_new && let Some(flow) = flow_of(topic) {
            self.outputs.push(ApplicationOutput::Ready(
                flow.device(),
                ChannelSet::of(flow.channel()),
            ));
        }
        let text = session_message("suback", topic);
        // The client repeats its subscription when the confirmation is lost.
        let _ = transport.send_datagram(now, connection, &[session_chunk(text.as_bytes())]);
        if !is_new {
            return;
        }
        let (most_topics, most_messages) = match self.bound() {
            Some(_) => (MOST_TOPICS, MOST_RETAINED),
            None => (usize::MAX, usize::MAX),
        };
        let mut search = RetainedSearch::of(&filter);
        let found = self
            .core
            .search_retained(now, &mut search, most_topics, most_messages);
        for message in found.messages {
            send(now, [connection], &message, transport);
        }
    }

    fn unsubscribe(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        topic: &str,
        transport: &mut dyn Transport,
    ) {
        let Ok(filter) = TopicFilter::parse(topic) else {
            return;
        };
        self.core.unsubscribe(connection.0, &filter);
        if let Some(bound) = self.bound() {
            bound.remove(connection, topic);
        }
        // Also of what was not there: the confirmation before may have been lost.
        let text = session_message("unsuback", topic);
        let _ = transport.send_datagram(now, connection, &[session_chunk(text.as_bytes())]);
    }

    /// Notes a new subscription; whether there is room for it, or another address with many makes some.
    fn finds_room(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        topic: &str,
        transport: &dyn Transport,
    ) -> bool {
        let address = transport.peer(connection).map(|peer| peer.ip());
        let holder = Holder::of(Identity::ANONYMOUS, address);
        let first = self.bound().and_then(|it| it.first_to_go(holder, topic));
        if let Some(first) = first {
            self.forget(first);
        }
        self.bound()
            .is_none_or(|bound| bound.add(now, connection, holder, topic))
    }

    /// What limits subscriptions, where something does.
    fn bound(&mut self) -> Option<&mut Bound> {
        match self.role.as_deref_mut() {
            Some(Role::Bounded(bound)) => Some(bound),
            _ => None,
        }
    }

    /// The host goes off.
    fn leave(&mut self) {
        self.core.leave();
        if let Some(bound) = self.bound() {
            bound.clear();
        }
    }

    fn crash(&mut self, survives: Survives) {
        self.leave();
        self.core.crash(survives);
    }

    /// Ends the subscriptions of a flow that is gone.
    fn forget(&mut self, connection: ConnectionId) {
        let Some(bound) = self.bound() else { return };
        let topics = bound.forget(connection);
        let topics = topics.iter().map(AsRef::as_ref);
        self.core.forget(connection.0, topics);
    }

    fn hand_up(
        &mut self,
        connection: ConnectionId,
        datagram: Payload,
        data: core::ops::Range<usize>,
    ) {
        self.outputs.push(ApplicationOutput::Received(Received {
            connection,
            payload: datagram.narrowed(data),
        }));
    }

    /// Publishes a message of the server's own to the topic of its flow.
    fn publish(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let id = message.id;
        let event = if self.publish_own(now, message, transport) {
            MessageEvent::Transmitted {
                id,
                attempt: 1,
                last: true,
                trigger: None,
            }
        } else {
            MessageEvent::Failed {
                id,
                reason: FailureReason::NotConnected,
            }
        };
        self.outputs.push(ApplicationOutput::Event(event));
    }

    /// Sends what other services of the host have published.
    fn deliver_from_others(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(Delivery { message, matches }) = self.core.next_delivery() {
            send(now, connections(&matches), &message, transport);
        }
    }

    /// Whether the authority allows something to clients that show nothing.
    fn is_allowed(
        &self,
        now: Instant,
        ask: impl FnOnce(&BrokerService, Client<'_>) -> bool,
    ) -> bool {
        if self.core.is_alone() {
            return true;
        }
        let admission = self.core.identify(now, &Credentials::default());
        admission.is_ok_and(|admission| {
            let identity = admission.identity;
            let client_id = "";
            ask(
                &self.core,
                Client {
                    identity,
                    client_id,
                },
            )
        })
    }

    /// Sends a publication as it came to everyone who wants it.
    fn forward(
        &mut self,
        now: Instant,
        from: ConnectionId,
        topic: &str,
        datagram: &[u8],
        data: core::ops::Range<usize>,
        transport: &mut dyn Transport,
    ) {
        if !self.is_allowed(now, |core, client| {
            is_topic_name(topic) && core.may_publish(client, topic)
        }) {
            return;
        }
        let parts = [
            &datagram[..data.start],
            &datagram[data.clone()],
            &datagram[data.end..],
        ];
        let id = message_id(parts[1]);
        let plain;
        let payload = if self.core.is_alone() {
            parts[1]
        } else {
            plain = plain_payload(datagram, data);
            &*plain
        };
        let origin = Origin::Client(self.core.subscriber(from.0));
        let (_, matches) = self.offer(&published(topic, payload, id, origin));
        let chunks = publication(id, parts);
        for subscriber in connections(&matches) {
            // A subscriber that is gone misses it: this protocol keeps nothing.
            let _ = transport.send_datagram(now, subscriber, &chunks);
        }
    }

    /// Publishes a message of the server's own; whether it left for anybody.
    fn publish_own(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) -> bool {
        let OutgoingMessage { id, payload, .. } = message;
        let topic = topic_of(id.flow);
        let own = published(&topic, payload, Some(id), Origin::Broker);
        let (has_recipient, matches) = self.offer(&own);
        let framing = Framing::new(&topic);
        let (before, after) = framing.around(payload);
        let chunks = publication(Some(id), [before, payload, after]);
        let mut was_sent = has_recipient && matches.is_empty();
        for subscriber in connections(&matches) {
            was_sent |= transport.send_datagram(now, subscriber, &chunks).is_ok();
        }
        was_sent
    }

    /// Gives a publication to the core; whether anybody wants it, and who of ours.
    fn offer(&mut self, publication: &Publication<'_>) -> (bool, Matches<Subscriber>) {
        let mut matches = Matches::new();
        let mut shared = SharedPublication::new(publication);
        let published = self.core.publish(&mut shared, &mut matches);
        (published.has_recipient, matches)
    }
}

/// A publication as the core takes it.
const fn published<'a>(
    topic: &'a str,
    payload: &'a [u8],
    id: Option<MessageId>,
    origin: Origin,
) -> Publication<'a> {
    Publication {
        topic,
        payload,
        properties: &[],
        qos: Qos::AtMostOnce,
        retain: false,
        expires_at: None,
        id,
        origin,
    }
}

/// Each of the subscribers once.
fn connections(
    matches: &[SubscriptionMatch<Subscriber>],
) -> impl Iterator<Item = ConnectionId> + '_ {
    let of_one = matches.chunk_by(|one, next| one.subscriber == next.subscriber);
    of_one.map(|of_one| ConnectionId(of_one[0].subscriber.number))
}

/// Sends a message of another service; what is no text cannot be said in JSON.
fn send(
    now: Instant,
    to: impl IntoIterator<Item = ConnectionId>,
    message: &Message,
    transport: &mut dyn Transport,
) {
    let Some(data) = sent_data(message.publication().payload) else {
        return;
    };
    let framing = Framing::new(message.topic());
    let (before, after) = framing.around_data(&data);
    let chunks = publication(message.id(), [before, data.bytes(), after]);
    for connection in to {
        let _ = transport.send_datagram(now, connection, &chunks);
    }
}

impl Application for JsonUdpBroker {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => transport
                .listen(PORT)
                .expect("nobody else listens on this host"),
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                self.receive(now, connection, transport);
            }
            // Subscriptions are those of connections, which are gone.
            ApplicationInput::Stop => self.leave(),
            ApplicationInput::Crash(survives) => self.crash(survives),
            ApplicationInput::Transport(connection, TransportEvent::Closed(_)) => {
                self.forget(connection);
                if let Some(bound) = self.bound() {
                    bound.close(connection);
                }
            }
            ApplicationInput::Send(message) => self.publish(now, message, transport),
            ApplicationInput::Transport(..) | ApplicationInput::Timeout => {}
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        self.deliver_from_others(now, transport);
        while let Some(silent) = self.bound().and_then(|bound| bound.next_lapsed(now)) {
            self.forget(silent);
        }
        self.outputs.pop().unwrap_or_else(|| {
            let next = self.bound().and_then(|bound| bound.next_deadline());
            ApplicationOutput::WaitUntil(next)
        })
    }
}

#[cfg(test)]
mod tests {
    use lasthop_broker::{BrokerCore, BrokerLimits};
    use lasthop_contract::testing::WireEnd;
    use lasthop_units::{DataSize, Duration};

    use super::*;

    #[test]
    fn a_bounded_broker_gives_one_subscription_so_many_retained_messages() {
        let mut core = BrokerCore::of_one_service(BrokerLimits::default());
        for number in 0..MOST_RETAINED + 100 {
            let topic = format!("t/{number:05}");
            let publication = Publication {
                retain: true,
                ..published(&topic, b"1", None, Origin::Gone)
            };
            let mut shared = SharedPublication::new(&publication);
            core.publish(&mut shared, &mut Matches::new());
        }
        let mut broker = JsonUdpBroker::bounded(SubscriptionLimits {
            subscriptions: 10,
            size: DataSize::from_bytes(1000),
            patience: Duration::from_secs(1),
        })
        .at(core);
        let now = Instant::ZERO;
        let (mut client, mut server, _) = WireEnd::pair();
        let peer = "192.0.2.1:40001".parse().expect("it is an address");
        let id = client.open(now, peer, &[]).expect("it is up");
        let subscribe = session_message("sub", "#");
        let chunk = session_chunk(subscribe.as_bytes());
        client.send_datagram(now, id, &[chunk]).expect("it is up");
        let event = TransportEvent::DatagramReadable;
        broker.handle(now, ApplicationInput::Transport(id, event), &mut server);
        let got = core::iter::from_fn(|| client.receive_datagram(id)).count();
        assert_eq!(got, 1 + MOST_RETAINED, "behind the confirmation");
    }
}
