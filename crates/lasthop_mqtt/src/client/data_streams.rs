//! The choice of a stream for each message, and the beginning and end of further streams.

use core::mem;

use lasthop_broker::Qos;
use lasthop_contract::{ChannelSet, Chunk, FlowId, StreamId, StreamKind, Transport};
use lasthop_units::Instant;

use super::session::Exchanges;
use super::stream::{Carries, DataStream, Line};
use super::{CLOSE_TIMEOUT, MqttClient, Phase, Presence, Streams};
use crate::codec::ReasonCode;

impl MqttClient {
    /// Returns a stream and its messages, if the stream exists.
    #[inline]
    pub(super) fn line(&mut self, stream: StreamId) -> Option<(Line<'_>, &mut Exchanges)> {
        self.link.as_deref_mut()?.line(&mut self.session, stream)
    }

    /// Writes bytes to the first stream.
    pub(super) fn say(
        &mut self,
        now: Instant,
        chunks: &[Chunk<'_>],
        transport: &mut dyn Transport,
    ) {
        if let Some(stream) = self.control()
            && let Some((mut line, _)) = self.line(stream)
        {
            line.write(now, transport, chunks);
        }
    }

    /// Returns the first stream of the connection.
    #[inline]
    pub(super) fn control(&self) -> Option<StreamId> {
        self.link.as_ref().map(|link| link.control.id())
    }

    /// Returns the stream for messages of a flow, or none while the broker does not allow it.
    #[inline]
    pub(super) fn stream_for(
        &mut self,
        now: Instant,
        flow: FlowId,
        transport: &mut dyn Transport,
    ) -> Option<StreamId> {
        match self.config.streams {
            Streams::Single => self.control(),
            Streams::PerTopic => self
                .stream_of_topic(now, flow, self.config.asks, transport)
                .or(self.control()),
            Streams::PerQos => self.stream_of_qos(now, flow, transport).or(self.control()),
            Streams::PerPublish => {
                // Where there never was another one, there will be none.
                let is_alone = self.link.as_ref().is_none_or(|link| link.data.is_empty());
                self.open(now, Carries::Once, flow, transport)
                    .or(self.control().filter(|_| is_alone))
            }
        }
    }

    /// Returns the stream for the subscription of a flow. Subscriptions of a persistent session use the first stream,
    /// because other streams end with the connection.
    pub(super) fn stream_to_hear(
        &mut self,
        now: Instant,
        flow: FlowId,
        transport: &mut dyn Transport,
    ) -> Option<StreamId> {
        let own = match self.config.streams {
            _ if !self.hears_by_data() => None,
            Streams::PerQos => self.stream_of_qos(now, flow, transport),
            _ => self.stream_of_topic(now, flow, ChannelSet::NONE, transport),
        };
        own.or(self.control())
    }

    /// Whether the subscriptions use further streams, with which they end.
    pub(super) fn hears_by_data(&self) -> bool {
        matches!(self.config.streams, Streams::PerTopic | Streams::PerQos)
            && self.config.presence != Presence::Recurring
    }

    fn stream_of_topic(
        &mut self,
        now: Instant,
        flow: FlowId,
        asks: ChannelSet,
        transport: &mut dyn Transport,
    ) -> Option<StreamId> {
        let topic = self.topics.of(&self.config.prefix, flow, asks);
        let is_it = |it: &&DataStream| {
            matches!(&it.carries, Carries::Topic(known) if **known == *topic)
                && !it.stream.outbox.is_ended()
        };
        let known = self.link.as_ref()?.data.iter().find(is_it);
        if let Some(known) = known {
            return Some(known.stream.id());
        }
        let carries = Carries::Topic(topic.into());
        self.open(now, carries, flow, transport)
    }

    fn stream_of_qos(
        &mut self,
        now: Instant,
        flow: FlowId,
        transport: &mut dyn Transport,
    ) -> Option<StreamId> {
        let link = self.link.as_ref()?;
        let carries = Carries::Qos(link.qos);
        let is_it = |it: &&DataStream| it.carries == carries && !it.stream.outbox.is_ended();
        match link.data.iter().find(is_it) {
            Some(known) => Some(known.stream.id()),
            None => self.open(now, carries, flow, transport),
        }
    }

    fn open(
        &mut self,
        now: Instant,
        carries: Carries,
        flow: FlowId,
        transport: &mut dyn Transport,
    ) -> Option<StreamId> {
        let link = self.link.as_mut()?;
        let connection = link.connection;
        let stream = transport.open_stream(now, connection, StreamKind::Bidirectional);
        let stream = stream.ok()?;
        if self.config.has_priorities {
            // That of the first stream is 0.
            transport.prioritise(connection, stream, -1 - i32::from(flow.channel()));
        }
        link.data
            .push(DataStream::new(stream, carries, link.topic_alias_maximum));
        Some(stream)
    }

    /// Ends a stream that carries a single message once that message is acknowledged.
    pub(super) fn finish_if_once(
        &mut self,
        now: Instant,
        stream: StreamId,
        transport: &mut dyn Transport,
    ) {
        let Some(link) = &mut self.link else { return };
        let connection = link.connection;
        let is_it = |it: &&mut DataStream| {
            it.stream.id() == stream && it.carries == Carries::Once && it.exchanges.is_idle()
        };
        if let Some(data) = link.data.iter_mut().find(is_it) {
            data.stream.outbox.finish(now, transport, connection);
        }
    }

    /// Ends a connection when all work is done. Further streams with unacknowledged data are finished first: when the
    /// broker has finished them too, it has received everything.
    pub(super) fn end(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        if link.qos > Qos::AtMostOnce || link.data.is_empty() {
            return self.close(now, ReasonCode::SUCCESS, true, transport);
        }
        for data in &mut link.data {
            data.stream.outbox.finish(now, transport, link.connection);
        }
        let until = now + CLOSE_TIMEOUT;
        self.phase = Phase::Ending { until };
    }

    /// Handles a further stream that the broker has finished or reset. If the client had not finished it before, its
    /// messages are sent again on a new connection.
    pub(super) fn data_ended(
        &mut self,
        now: Instant,
        stream: StreamId,
        transport: &mut dyn Transport,
    ) {
        let Some(link) = &mut self.link else { return };
        let Some(place) = link.data.iter().position(|it| it.stream.id() == stream) else {
            return;
        };
        let mut ended = link.data.remove(place);
        let is_as_planned = ended.stream.outbox.is_ended() && ended.is_idle();
        ended.stream.outbox.abandon(now, transport, link.connection);
        let is_last = link.data.is_empty();
        self.session.take_back([ended.exchanges].into_iter());
        if is_as_planned {
            match self.phase {
                Phase::Ending { .. } if is_last => self.end(now, transport),
                _ => self.pump_control(now, transport),
            }
        } else if !self.is_closing() {
            self.close(now, ReasonCode::SUCCESS, false, transport);
        }
    }

    /// Takes back the messages of further streams when the connection ends, so that they are sent again.
    pub(super) fn take_back_data(&mut self) {
        let Some(link) = &mut self.link else { return };
        let ended = mem::take(&mut link.data);
        self.session
            .take_back(ended.into_iter().map(|it| it.exchanges));
        if self.hears_by_data() {
            self.session.is_subscribed = false;
        }
    }
}
