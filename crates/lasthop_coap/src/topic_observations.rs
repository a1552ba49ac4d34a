use lasthop_contract::message_text::{message_id, topic_of};
use lasthop_contract::{ChannelSet, ConnectionId, FlowId, MessageId, Payload};
use lasthop_units::{Duration, Instant};

use crate::RequestEvent;
use crate::context::Context;
use crate::endpoint::{DEFAULT_MAX_AGE, Endpoint};
use crate::registration::{Registration, get};

/// The first path segment of topic resources (draft-ietf-core-coap-pubsub).
pub(crate) const TOPICS: &str = "ps";

/// The topics of a server that a client uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoapTopics {
    /// The client's flows that are published to topics. Messages of other flows go to the server.
    pub publishes: ChannelSet,
    /// The flows of other devices whose topics the client observes.
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
    registration: Registration,
    /// The message of the newest notification: an observation made again brings it again.
    newest: Option<MessageId>,
}

impl TopicObservations {
    pub(crate) fn new(topics: CoapTopics) -> Self {
        let observed = |flow: &FlowId| Observed {
            flow: *flow,
            registration: Registration::Waiting,
            newest: None,
        };
        Self {
            publishes: topics.publishes,
            observed: topics.hears.iter().map(observed).collect(),
        }
    }

    /// Returns the topic resource of a flow, if the client publishes to it.
    pub(crate) fn resource_of(&self, flow: FlowId) -> Option<String> {
        let is_published = self.publishes.contains(flow.channel());
        is_published.then(|| resource_of(flow))
    }

    /// Registers the missing observations, by confirmable requests.
    pub(crate) fn observe(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        connection: ConnectionId,
    ) {
        for observed in &mut self.observed {
            let flow = observed.flow;
            let request = || get(&resource_of(flow));
            observed.registration.ask(cx, endpoint, connection, request);
        }
    }

    /// Processes the outcome of a topic request, and returns the message that it carried.
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
        let Some(observed) = observed.find(|it| it.registration.is_by(request)) else {
            return Err(event);
        };
        let response = match event {
            RequestEvent::Response(response) if response.code.is_success() => response,
            _ => {
                observed.registration.fail(now);
                return Ok(None);
            }
        };
        if response.observe.is_none() {
            // It has no room for an observer (RFC 7641 section 4.1): what it gave is fresh so long.
            let fresh = Duration::from_secs(response.max_age.unwrap_or(DEFAULT_MAX_AGE).into());
            observed.registration.wait(now + fresh);
        }
        // What was not published yet is an empty state.
        let message = message_id(&response.payload);
        let is_new = message.is_some() && message != observed.newest;
        observed.newest = message.or(observed.newest);
        Ok(is_new.then_some(response.payload))
    }

    /// Ends all observations because the connection is closed.
    pub(crate) fn lapse(&mut self) {
        for observed in &mut self.observed {
            observed.registration = Registration::Waiting;
        }
    }

    /// Handles a power failure of the host.
    pub(crate) fn crash(&mut self) {
        self.lapse();
        for observed in &mut self.observed {
            observed.newest = None;
        }
    }

    /// Returns when the next observation must be registered again.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let again = self.observed.iter();
        again.filter_map(|it| it.registration.next_deadline()).min()
    }
}

fn resource_of(flow: FlowId) -> String {
    format!("{TOPICS}/{}", topic_of(flow))
}
