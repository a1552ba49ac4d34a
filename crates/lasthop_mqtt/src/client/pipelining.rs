use lasthop_contract::Transport;
use lasthop_units::Instant;

use super::{MqttClient, Phase};

impl MqttClient {
    /// Whether messages are sent although the CONNACK or SUBACK has not arrived.
    pub(super) fn is_pipelining(&self) -> bool {
        let is_on_its_way = matches!(
            self.phase,
            Phase::Connecting { .. } | Phase::Subscribing { .. }
        );
        is_on_its_way && self.link.as_ref().is_some_and(|link| link.is_pipelined)
    }

    /// Sends the subscription and messages right after CONNECT. The broker's limits are unknown before the CONNACK, so
    /// the client uses its own.
    ///
    /// What an earlier connection left in flight waits for CONNACK, and with it all else: whether it goes again under its
    /// identifier or as new messages, the broker says.
    pub(super) fn pipeline(&mut self, now: Instant, transport: &mut dyn Transport) {
        let config = &*self.config;
        let begins_anew = config.clean_start || self.session.must_restart;
        if !config.connect_pipelining {
            return;
        }
        if begins_anew {
            self.session.restart();
        } else if !self.session.exchanges.in_flight.is_empty() {
            return;
        }
        let Some(link) = &mut self.link else { return };
        link.is_pipelined = true;
        link.qos = config.qos;
        link.window = config.max_in_flight.max(1);
        let until = now + config.connect_timeout;
        if config.has_subscriptions() && !self.session.is_subscribed {
            self.subscribe(now, transport);
            self.phase = Phase::Connecting { until };
        }
        self.pump_control(now, transport);
    }
}
