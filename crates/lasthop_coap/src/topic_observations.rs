use lasthop_contract::message_text::{message_id, topic_of};
use lasthop_contract::{ChannelSet, ConnectionId, FlowId, MessageId, Payload};
use lasthop_units::{Duration, Instant};

use crate::codec::{Code, MessageType};
use crate::context::Context;
use crate::endpoint::{Endpoint, Role};
use crate::{CoapRequest, RequestEvent, RequestId};

/// The first segment of the resources that stand for topics (draft-ietf-core-coap-pubsub).
pub(crate) const TOPICS: &str = "ps";

/// What a client has to do with the topics of its server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoapTopics {
    /// Its own flows whose messages it publishes to their topics; those of others are for the server.
    pub publishes: ChannelSet,
    /// Flows of other devices, whose topics it observes.
    pub hears: Box<[FlowId]>,
}

/// The topics that a client publishes to and observes.
#[derive(Debug)]
pub(crate) struct TopicObservations {
    publishes: ChannelSet,
    observed: Vec<Observed>,
}

#[derive(Debug)]
struct Observed {
    flow: FlowId,
    state: State,
    /// The message of the newest notification: an observation made again brings it again.
    newest: Option<MessageId>,
}

#[derive(Debug)]
enum State {
    /// Nothing is asked for; it will be when the server can be reached.
    Waiting,
    /// It was asked for in vain, and will be again at this instant.
    Retrying(Instant),
    /// It is asked for, or goes on.
    Observing(RequestId),
}

/// How long after an observation that failed the next one is asked for.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl TopicObservations {
    pub(crate) fn new(topics: CoapTopics) -> Self {
        let observed = |flow: &FlowId| Observed {
            flow: *flow,
            state: State::Waiting,
            newest: None,
        };
        Self {
            publishes: topics.publishes,
            observed: topics.hears.iter().map(observed).collect(),
        }
    }

    /// The resource of the topic of a flow, where the client publishes to it.
    pub(crate) fn resource_of(&self, flow: FlowId) -> Option<String> {
        let is_published = self.publishes.contains(flow.channel());
        is_published.then(|| resource_of(flow))
    }

    /// Asks for the observations that there are not and should be; always by a confirmable request.
    pub(crate) fn observe(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        connection: ConnectionId,
    ) {
        for observed in &mut self.observed {
            let is_due = match observed.state {
                State::Waiting => true,
                State::Retrying(at) => at <= cx.now,
                State::Observing(_) => false,
            };
            if is_due {
                let path = resource_of(observed.flow);
                let request = CoapRequest {
                    observe: true,
                    ..CoapRequest::new(MessageType::Confirmable, Code::GET, &path)
                };
                let request = endpoint.request(cx, connection, request, Role::SessionSetUp);
                observed.state = State::Observing(request);
            }
        }
    }

    /// Takes what became of a request, unless it is none of these, and gives the message that it brought.
    ///
    /// # Errors
    /// The event of another request.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        event: RequestEvent,
    ) -> Result<Option<Payload>, RequestEvent> {
        let request = event.request();
        let mut observed = self.observed.iter_mut();
        let is_its =
            |it: &&mut Observed| matches!(it.state, State::Observing(own) if own == request);
        let Some(observed) = observed.find(is_its) else {
            return Err(event);
        };
        let response = match event {
            RequestEvent::Response(response) if response.code.is_success() => response,
            _ => {
                observed.state = State::Retrying(now + RETRY_DELAY);
                return Ok(None);
            }
        };
        // What was not published yet is an empty state.
        let message = message_id(&response.payload);
        let is_new = message.is_some() && message != observed.newest;
        observed.newest = message.or(observed.newest);
        Ok(is_new.then_some(response.payload))
    }

    /// The connection is gone, and the observations with it.
    pub(crate) fn lapse(&mut self) {
        for observed in &mut self.observed {
            observed.state = State::Waiting;
        }
    }

    /// The power failed.
    pub(crate) fn crash(&mut self) {
        self.lapse();
        for observed in &mut self.observed {
            observed.newest = None;
        }
    }

    /// When the next observation is to be asked for again.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let again = self.observed.iter().filter_map(|it| match it.state {
            State::Retrying(at) => Some(at),
            State::Waiting | State::Observing(_) => None,
        });
        again.min()
    }
}

fn resource_of(flow: FlowId) -> String {
    format!("{TOPICS}/{}", topic_of(flow))
}
