use lasthop_broker::{
    Client, RetainHandling, SessionId, SubscriptionIds, SubscriptionOptions, TopicFilter,
};
use lasthop_contract::message_text::flow_of;
use lasthop_contract::{ApplicationOutput, Cause, ChannelSet, Transport};
use lasthop_units::Instant;

use super::MqttBroker;
use crate::codec::{ReasonCode, Suback, Subscribe, Unsubscribe};
use crate::ledger::chunk;

impl MqttBroker {
    /// Processes a SUBSCRIBE: adds the subscriptions, answers, then sends retained messages (MQTT-3.8.4-1 to -8).
    pub(super) fn subscribe(
        &mut self,
        now: Instant,
        place: u32,
        session: SessionId,
        subscribe: &Subscribe<'_>,
        transport: &mut dyn Transport,
    ) {
        let mut suback = Suback {
            packet_id: subscribe.packet_id,
            reasons: subscribe
                .filters
                .iter()
                .map(|_| ReasonCode::NOT_AUTHORIZED)
                .collect(),
        };
        for (place, (filter, options)) in subscribe.filters.iter().enumerate() {
            let is_shared = filter.group().is_some();
            if !self.may_subscribe(session, filter) {
                continue;
            }
            if self.sessions.note_filter(session, filter).is_err() {
                suback.reasons[place] = ReasonCode::QUOTA_EXCEEDED;
                continue;
            }
            let number = session.0.into();
            let options = &SubscriptionOptions {
                maximum_qos: options.maximum_qos.min(self.config.maximum_qos),
                ..*options
            };
            let is_new = self.core.subscribe(number, filter, *options);
            suback.reasons[place] = ReasonCode(options.maximum_qos as u8);
            let wants_retained = match options.retain_handling {
                RetainHandling::Send => true,
                RetainHandling::SendIfNew => is_new,
                RetainHandling::DoNotSend => false,
            };
            // §4.8.2: no retained messages for a group.
            if wants_retained && !is_shared {
                self.turns.search(session, filter, *options);
            }
            if is_new && let Some(flow) = flow_of(filter.text()) {
                self.outputs.push(ApplicationOutput::Ready(
                    flow.device(),
                    ChannelSet::of(flow.channel()),
                ));
            }
        }
        self.search_first(now, session);
        if let Some(connection) = self.connections.get_mut(place) {
            let bytes = suback.write(connection.version);
            connection.write(now, transport, &[chunk(&bytes, Cause::SessionSetUp)]);
        }
        self.pump(now, session, transport);
    }

    /// Processes an UNSUBSCRIBE (MQTT-3.10.4-1 to -6). Filters without a subscription on this stream are removed from
    /// the other streams of the connection, so that a client can open a stream only to unsubscribe.
    pub(super) fn unsubscribe(
        &mut self,
        now: Instant,
        place: u32,
        session: SessionId,
        unsubscribe: &Unsubscribe<'_>,
        transport: &mut dyn Transport,
    ) {
        let others = self.sessions_beside(place);
        let mut end_of = |session: SessionId, filter: &TopicFilter<'_>| {
            self.sessions.forget_filter(session, filter);
            self.turns.forget_filter(session, filter);
            self.core.unsubscribe(session.0.into(), filter)
        };
        let mut end = |filter: &TopicFilter<'_>| {
            let mut was_there = end_of(session, filter);
            if !was_there {
                for other in &others {
                    was_there |= end_of(*other, filter);
                }
            }
            match was_there {
                true => ReasonCode::SUCCESS,
                false => ReasonCode::NO_SUBSCRIPTION_EXISTED,
            }
        };
        let unsuback = Suback {
            packet_id: unsubscribe.packet_id,
            reasons: unsubscribe.filters.iter().map(&mut end).collect(),
        };
        if let Some(connection) = self.connections.get_mut(place) {
            let bytes = unsuback.write_unsuback(connection.version);
            connection.write(now, transport, &[chunk(&bytes, Cause::SessionTearDown)]);
        }
    }

    /// Removes the subscriptions that a client is no longer authorised to have.
    pub(super) fn reconsider(&mut self, client_id: &str) {
        let Some(session) = self.sessions.of(client_id) else {
            return;
        };
        let known = self.sessions.get(session);
        let place = known.and_then(|known| known.state.connection);
        let mut sessions = place.map_or_else(Vec::new, |place| self.sessions_beside(place));
        if !sessions.contains(&session) {
            sessions.push(session);
        }
        for session in sessions {
            let known = self.sessions.get(session);
            let filters = known.map_or_else(Vec::new, |known| known.filters().to_vec());
            for filter in filters.iter().filter_map(|it| TopicFilter::parse(it).ok()) {
                if !self.may_subscribe(session, &filter) {
                    self.sessions.forget_filter(session, &filter);
                    self.turns.forget_filter(session, &filter);
                    self.core.unsubscribe(session.0.into(), &filter);
                }
            }
        }
    }

    /// Whether the client of a session may have all that a filter matches.
    fn may_subscribe(&self, session: SessionId, filter: &TopicFilter<'_>) -> bool {
        self.sessions.get(session).is_some_and(|session| {
            let client = Client {
                identity: session.state.identity,
                client_id: session.client_id(),
            };
            self.core.may_subscribe(client, filter)
        })
    }
}

/// Returns the non-zero identifiers of subscriptions.
pub(super) fn subscription_ids<'a>(
    options: impl IntoIterator<Item = &'a SubscriptionOptions>,
) -> SubscriptionIds {
    let ids = options.into_iter().map(|options| options.id);
    ids.filter(|id| *id != 0).collect()
}
