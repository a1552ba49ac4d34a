use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::Host;
use lasthop_mqtt::{
    MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, PORT, Presence, Qos, Version,
};

use super::tcp::TcpEnds;
use super::{Device, Said, Server, Stack};
use crate::spec::{MqttSpec, MqttVersionSpec, SessionSpec, TcpSpec};

/// MQTT over TCP through a broker.
pub(super) struct Mqtt {
    tcp: TcpEnds,
    mqtt: MqttSpec,
}

const PURPOSE: &str = "mqtt";

impl Mqtt {
    pub(super) fn new(tcp: TcpSpec, mqtt: &MqttSpec) -> Self {
        Self {
            tcp: TcpEnds::new(tcp),
            mqtt: mqtt.clone(),
        }
    }

    fn qos(&self) -> Qos {
        match self.mqtt.qos {
            0 => Qos::AtMostOnce,
            1 => Qos::AtLeastOnce,
            _ => Qos::ExactlyOnce,
        }
    }
}

impl Stack for Mqtt {
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host> {
        let presence = match self.mqtt.session {
            SessionSpec::Keep => Presence::Lasting,
            SessionSpec::PerMessage => Presence::OnDemand,
        };
        let config = MqttClientConfig {
            version: match self.mqtt.version {
                MqttVersionSpec::V3 => Version::V3_1_1,
                MqttVersionSpec::V5 => Version::V5,
            },
            qos: self.qos(),
            subscribes: said.devices_receive(),
            keep_alive_seconds: self.mqtt.keep_alive_s,
            max_in_flight: self.mqtt.max_in_flight,
            topic_alias: self.mqtt.topic_alias,
            presence,
            // There is nothing to come back to.
            clean_start: presence == Presence::OnDemand,
            ..MqttClientConfig::new(SocketAddr::new(device.server, PORT))
        };
        let stream = said.stream(&device.name(), PURPOSE);
        let client = MqttClient::new(Arc::new(config), device.flow(), stream);
        said.device(device, self.tcp.device(device, said), client)
    }

    fn server(&self, server: Server, said: &Said) -> Box<dyn Host> {
        let config = MqttBrokerConfig {
            is_destination: !said.devices_receive(),
            qos: self.qos(),
            max_in_flight: self.mqtt.max_in_flight,
            ..MqttBrokerConfig::default()
        };
        let broker = MqttBroker::new(config, said.stream(&server.name(), PURPOSE));
        said.broker(self.tcp.server(&server, said), broker, server.routes)
    }
}
