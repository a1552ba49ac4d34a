use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, ConnectionId, FailureReason,
    LookupMap, MessageEvent, OutgoingMessage, Payload, Received, ShortQueue, Transport,
    TransportEvent,
};
use lasthop_units::Instant;
use smallvec::SmallVec;

use super::PORT;
use super::envelope::{Envelope, Framing, publication, session_chunk, session_message};
use lasthop_contract::message_text::{flow_of, message_id, topic_of};

/// The broker: forwards what is published to those who subscribed, and may itself be the destination.
#[derive(Debug)]
pub struct JsonUdpBroker {
    /// Who wants a topic, in the order of subscribing. Topics are exact names; most have one subscriber.
    subscribers: LookupMap<Box<str>, SmallVec<[ConnectionId; 2]>>,
    is_destination: bool,
    /// Where the number of subscriptions is limited: how many more there may be, and whose they are.
    bound: Option<Box<Bound>>,
    outputs: ShortQueue<ApplicationOutput>,
}

#[derive(Debug)]
struct Bound {
    most: usize,
    left: usize,
    topics: LookupMap<ConnectionId, Vec<Box<str>>>,
}

impl JsonUdpBroker {
    /// A broker. As a destination it hands every publication to the application above, too.
    #[must_use]
    pub fn new(is_destination: bool) -> Self {
        Self {
            subscribers: LookupMap::new(),
            is_destination,
            bound: None,
            outputs: ShortQueue::new(),
        }
    }

    /// A broker for strangers, with at most so many subscriptions. They end with the flow that they came by.
    #[must_use]
    pub fn bounded(subscriptions: usize) -> Self {
        let bound = Bound {
            most: subscriptions,
            left: subscriptions,
            topics: LookupMap::new(),
        };
        Self {
            bound: Some(Box::new(bound)),
            ..Self::new(false)
        }
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            match Envelope::parse(&datagram) {
                Ok(Envelope::Subscribe { topic }) => {
                    self.subscribe(now, connection, &topic, transport);
                }
                Ok(Envelope::Publish { topic, data }) => {
                    self.forward(now, &topic, &datagram, data.clone(), transport);
                    if self.is_destination {
                        self.hand_up(connection, datagram, data);
                    }
                }
                // What is no message of ours is ignored.
                Ok(Envelope::Subscribed { .. }) | Err(_) => {}
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
        let is_known = self.subscribers_of(topic).contains(&connection);
        if !is_known && !self.make_room(connection, topic) {
            return;
        }
        let subscribers = self
            .subscribers
            .get_or_insert_with(topic.into(), SmallVec::new);
        if !is_known {
            subscribers.push(connection);
            if let Some(flow) = flow_of(topic) {
                self.outputs.push(ApplicationOutput::Ready(
                    flow.device(),
                    ChannelSet::of(flow.channel()),
                ));
            }
        }
        let text = session_message("suback", topic);
        // The client repeats its subscription when the confirmation is lost.
        let _ = transport.send_datagram(now, connection, &[session_chunk(text.as_bytes())]);
    }

    /// Notes a subscription where their number is limited; whether there is room for it.
    fn make_room(&mut self, connection: ConnectionId, topic: &str) -> bool {
        let Some(bound) = &mut self.bound else {
            return true;
        };
        let has_room = bound.left > 0;
        if has_room {
            bound.left -= 1;
            let topics = bound.topics.get_or_insert_with(connection, Vec::new);
            topics.push(topic.into());
        }
        has_room
    }

    /// The host goes off.
    fn leave(&mut self) {
        self.subscribers = LookupMap::new();
        if let Some(bound) = &mut self.bound {
            bound.left = bound.most;
            bound.topics = LookupMap::new();
        }
    }

    /// Ends the subscriptions of a flow that is gone.
    fn forget(&mut self, connection: ConnectionId) {
        let Some(bound) = &mut self.bound else {
            return;
        };
        for topic in bound.topics.remove(&connection).into_iter().flatten() {
            bound.left += 1;
            if let Some(subscribers) = self.subscribers.get_mut(&topic) {
                subscribers.retain(|subscriber| *subscriber != connection);
                if subscribers.is_empty() {
                    self.subscribers.remove(&topic);
                }
            }
        }
    }

    /// Sends a publication as it came to everyone who wants it.
    fn forward(
        &self,
        now: Instant,
        topic: &str,
        datagram: &[u8],
        data: core::ops::Range<usize>,
        transport: &mut dyn Transport,
    ) {
        let parts = [
            &datagram[..data.start],
            &datagram[data.clone()],
            &datagram[data.end..],
        ];
        let chunks = publication(message_id(parts[1]), parts);
        for subscriber in self.subscribers_of(topic) {
            // A subscriber that is gone misses it: this protocol keeps nothing.
            let _ = transport.send_datagram(now, *subscriber, &chunks);
        }
    }

    fn subscribers_of(&self, topic: &str) -> &[ConnectionId] {
        self.subscribers.get(topic).map_or(&[], SmallVec::as_slice)
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
        let OutgoingMessage { id, payload } = message;
        let topic = topic_of(id.flow);
        let framing = Framing::new(&topic);
        let (before, after) = framing.around(payload);
        let chunks = publication(Some(id), [before, payload, after]);
        let mut sent = false;
        for subscriber in self.subscribers_of(&topic) {
            sent |= transport.send_datagram(now, *subscriber, &chunks).is_ok();
        }
        let event = if sent {
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
            ApplicationInput::Stop | ApplicationInput::Crash(_) => {
                self.leave();
            }
            ApplicationInput::Transport(connection, TransportEvent::Closed(_)) => {
                self.forget(connection);
            }
            ApplicationInput::Send(message) => self.publish(now, message, transport),
            ApplicationInput::Transport(..) | ApplicationInput::Timeout => {}
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs
            .pop()
            .unwrap_or(ApplicationOutput::WaitUntil(None))
    }
}
