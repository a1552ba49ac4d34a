use lasthop_broker::{Qos, SubscriptionOptions, TopicFilter};
use lasthop_contract::{ApplicationOutput, Cause, ChannelSet, FlowId, StreamId, Transport};
use lasthop_units::Instant;
use smallvec::SmallVec;

use super::{MqttClient, Phase};
use crate::codec::{Connack, ReasonCode, Suback, Subscribe, Version};
use crate::ledger::chunk;

impl MqttClient {
    /// Processes the CONNACK.
    pub(super) fn connected(
        &mut self,
        now: Instant,
        connack: &Connack<'_>,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        if connack.reason != ReasonCode::SUCCESS {
            self.turned_away = Some(connack.reason);
            self.peer_finished(now, transport);
            return Ok(());
        }
        // In 3.1.1 a client may go on with a session that it does not know.
        let needs_its_own = self.config.version == Version::V5 || self.config.clean_start;
        if connack.session_present && !self.session.exists && needs_its_own {
            // MQTT-3.2.2-4; the next connection asks for a new session.
            self.session.must_restart = true;
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        let is_pipelined = self.link.as_ref().is_some_and(|link| link.is_pipelined);
        match (connack.session_present, is_pipelined) {
            (true, _) => {}
            (false, false) => self.session.restart(),
            (false, true) => self.session.restart_behind(),
        }
        self.failures = 0;
        self.session.exists = !self.config.clean_start;
        if !is_pipelined {
            self.session.exchanges.in_flight.repeat_all();
        }
        self.adopt(now, connack);
        if self.link.as_ref().is_some_and(|link| link.awaits_suback()) {
            // It left behind CONNECT.
            self.phase = Phase::Subscribing {
                until: now + self.config.connect_timeout,
            };
        } else if self.config.has_subscriptions() && !self.session.is_subscribed {
            self.subscribe(now, transport);
        } else {
            self.become_ready(now, transport);
        }
        Ok(())
    }

    /// Takes over what the broker set for this connection.
    fn adopt(&mut self, now: Instant, connack: &Connack<'_>) {
        let Some(link) = &mut self.link else { return };
        let config = &*self.config;
        let maximum_qos = Qos::from_number(connack.maximum_qos).unwrap_or(Qos::ExactlyOnce);
        link.qos = config.qos.min(maximum_qos);
        link.window = config.max_in_flight.max(1).min(connack.receive_maximum);
        link.maximum_packet_size = connack.maximum_packet_size.unwrap_or(u32::MAX);
        if config.topic_alias {
            link.topic_alias_maximum = connack.topic_alias_maximum;
            link.control.topic_aliases.maximum = connack.topic_alias_maximum;
        }
        // MQTT-3.2.2-21.
        let seconds = connack
            .server_keep_alive
            .unwrap_or(config.keep_alive_seconds);
        link.keep_alive.start(now, seconds);
        link.ends_at = config.renew_after.map(|span| now + span);
    }

    /// Subscribes to all topics, each on the stream for its messages.
    pub(super) fn subscribe(&mut self, now: Instant, transport: &mut dyn Transport) {
        let own = self.config.subscribes.iter();
        let own = own.map(|channel| FlowId::of(self.device, channel));
        let flows: SmallVec<[_; 1]> = own.chain(self.config.hears.iter().copied()).collect();
        let mut by_stream: SmallVec<[(StreamId, SmallVec<[FlowId; 1]>); 1]> = SmallVec::new();
        for flow in flows {
            let Some(stream) = self.stream_to_hear(now, flow, transport) else {
                return;
            };
            match by_stream.iter_mut().find(|(known, _)| *known == stream) {
                Some((_, flows)) => flows.push(flow),
                None => by_stream.push((stream, SmallVec::from_elem(flow, 1))),
            }
        }
        for (stream, flows) in by_stream {
            self.subscribe_by(now, stream, &flows, transport);
        }
        self.phase = Phase::Subscribing {
            until: now + self.config.connect_timeout,
        };
    }

    fn subscribe_by(
        &mut self,
        now: Instant,
        stream: StreamId,
        flows: &[FlowId],
        transport: &mut dyn Transport,
    ) {
        let prefix = &self.config.prefix;
        let topics = flows.iter();
        let topics = topics.map(|flow| self.topics.of(prefix, *flow, ChannelSet::NONE));
        let topics: SmallVec<[_; 1]> = topics.collect();
        let filters = topics
            .iter()
            .filter_map(|topic| TopicFilter::parse(topic).ok());
        let options = SubscriptionOptions {
            maximum_qos: self.config.qos,
            ..SubscriptionOptions::default()
        };
        let link = self.link.as_deref_mut();
        let Some((mut line, exchanges)) = link.and_then(|it| it.line(&mut self.session, stream))
        else {
            return;
        };
        let subscribe = Subscribe {
            packet_id: exchanges.in_flight.next_packet_id(),
            filters: filters.map(|filter| (filter, options)).collect(),
        };
        let bytes = subscribe.write(line.version);
        line.write(now, transport, &[chunk(&bytes, Cause::SessionSetUp)]);
        line.stream.awaits_suback = true;
    }

    pub(super) fn subscribed(
        &mut self,
        now: Instant,
        stream: StreamId,
        suback: &Suback,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        let line = self.line(stream);
        let line = line.filter(|(it, _)| it.stream.awaits_suback);
        let (line, _) = line.ok_or(ReasonCode::PROTOCOL_ERROR)?;
        line.stream.awaits_suback = false;
        let mut reasons = suback.reasons.iter().copied();
        if let Some(refusal) = reasons.find(|reason| reason.is_error()) {
            self.refusal = Some(refusal);
            self.close(now, ReasonCode::SUCCESS, false, transport);
        } else if !self.link.as_ref().is_some_and(|it| it.awaits_suback()) {
            self.session.is_subscribed = true;
            self.become_ready(now, transport);
        }
        Ok(())
    }

    fn become_ready(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.phase = Phase::Ready;
        let how = self.link.as_ref().map(|link| link.established);
        if let Some(set_up) = how.and_then(|how| self.standing.complete(how)) {
            self.tell(set_up);
        }
        self.outputs
            .push(ApplicationOutput::Ready(self.device, ChannelSet::ALL));
        self.pump_control(now, transport);
    }
}
