use serde::{Deserialize, Serialize};

use super::SpecError;

/// A protocol stack with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StackSpec {
    /// Payloads straight in datagrams.
    RawUdp {
        /// 4 or 6.
        ip_version: u8,
        /// Whether messages are acknowledged and sent again.
        acknowledgement: Option<AcknowledgementSpec>,
    },
    /// JSON publish and subscribe over datagrams.
    JsonUdp {
        /// 4 or 6.
        ip_version: u8,
        /// How long a subscription waits before it is repeated.
        subscribe_timeout_ns: u64,
    },
    /// Payloads with their length on one TCP connection.
    RawTcp {
        /// 4 or 6.
        ip_version: u8,
        /// The TCP below.
        tcp: TcpSpec,
    },
    /// MQTT over TCP through a broker.
    Mqtt {
        /// 4 or 6.
        ip_version: u8,
        /// The TCP below.
        tcp: TcpSpec,
        /// The protocol's settings.
        mqtt: MqttSpec,
    },
    /// CoAP over UDP.
    Coap {
        /// 4 or 6.
        ip_version: u8,
        /// How messages go.
        #[serde(rename = "type")]
        kind: CoapTypeSpec,
        /// Whether the server sends a stranger at most three times its bytes before it has shown that it is there
        /// (RFC 9175).
        echo: bool,
        /// The protocol's settings.
        coap: CoapSpec,
    },
    /// CoAP over TCP (RFC 8323).
    CoapTcp {
        /// 4 or 6.
        ip_version: u8,
        /// The TCP below.
        tcp: TcpSpec,
        /// The protocol's settings.
        coap: CoapSpec,
    },
}

/// Acknowledgement as confirmable CoAP messages have it (RFC 7252 §4.8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcknowledgementSpec {
    /// `ACK_TIMEOUT`.
    pub timeout_ns: u64,
    /// `ACK_RANDOM_FACTOR`.
    pub random_factor: f64,
    /// `MAX_RETRANSMIT`.
    pub max_retransmit: u16,
}

/// What MQTT clients and their broker do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MqttSpec {
    /// The quality of service, 0 to 2.
    pub qos: u8,
    /// Of MQTT.
    pub version: MqttVersionSpec,
    /// The longest silence of a client; 0 for any.
    pub keep_alive_s: u16,
    /// How many messages a client has under way without their acknowledgement.
    pub max_in_flight: u16,
    /// Whether a number stands for the topic from the second message on.
    pub topic_alias: bool,
    /// How long a session lasts.
    pub session: SessionSpec,
}

/// How long a session lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSpec {
    /// From before the first message on.
    Keep,
    /// From a message until all that is to be sent is done.
    PerMessage,
}

/// What CoAP does whatever carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoapSpec {
    /// How messages reach the device.
    pub push: PushSpec,
    /// The largest block of a body, 16 to 1024 and a power of two.
    pub block_bytes: u16,
}

/// How TCP behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpSpec {
    /// Which implementation the devices have; the server is Linux.
    pub profile: TcpProfileSpec,
    /// At both ends.
    pub congestion: CongestionSpec,
    /// Whether both ends offer time stamps (RFC 7323).
    pub timestamps: bool,
    /// Whether data may leave with the SYN (RFC 7413).
    pub fast_open: bool,
    /// Whether the devices send small segments at once.
    pub nodelay_client: bool,
    /// Whether the server does.
    pub nodelay_server: bool,
}

/// An implementation of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TcpProfileSpec {
    /// Linux 6.
    Linux,
    /// That of Larmo et al. 2019, at both ends.
    #[serde(rename = "larmo_2019")]
    Larmo2019,
    /// lwIP on an ESP8266.
    #[serde(rename = "lwip_esp8266")]
    LwipEsp8266,
}

/// Congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CongestionSpec {
    /// RFC 9438.
    Cubic,
    /// RFC 5681.
    Reno,
}

/// A version of MQTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MqttVersionSpec {
    /// 3.1.1.
    #[serde(rename = "3.1.1")]
    V3,
    /// 5.
    #[serde(rename = "5")]
    V5,
}

/// How CoAP messages go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CoapTypeSpec {
    /// Non-confirmable: each once. The answer to a block is waited for as a first acknowledgement is.
    Non {
        /// `ACK_TIMEOUT`.
        timeout_ns: u64,
        /// `ACK_RANDOM_FACTOR`.
        random_factor: f64,
    },
    /// Confirmable.
    Con {
        /// How many exchanges with a peer may be under way (`NSTART`).
        nstart: u16,
        /// The timers.
        acknowledgement: AcknowledgementSpec,
    },
}

/// How messages reach a device by CoAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushSpec {
    /// The server POSTs to the device.
    Post,
    /// The server PUTs to the device.
    Put,
    /// The device observes its resource at the server (RFC 7641).
    Observe,
}

impl StackSpec {
    /// The IP version, 4 or 6.
    #[must_use]
    pub fn ip_version(&self) -> u8 {
        match self {
            Self::RawUdp { ip_version, .. }
            | Self::JsonUdp { ip_version, .. }
            | Self::RawTcp { ip_version, .. }
            | Self::Mqtt { ip_version, .. }
            | Self::Coap { ip_version, .. }
            | Self::CoapTcp { ip_version, .. } => *ip_version,
        }
    }

    /// Whether the sender of a message comes to know that its peer has it.
    #[must_use]
    pub fn acknowledges(&self) -> bool {
        match self {
            Self::RawUdp {
                acknowledgement, ..
            } => acknowledgement.is_some(),
            Self::Mqtt { mqtt, .. } => mqtt.qos > 0,
            Self::Coap { kind, .. } => matches!(kind, CoapTypeSpec::Con { .. }),
            Self::CoapTcp { .. } => true,
            Self::JsonUdp { .. } | Self::RawTcp { .. } => false,
        }
    }

    pub(super) fn check(&self) -> Result<(), SpecError> {
        let version = self.ip_version();
        if ![4, 6].contains(&version) {
            let problem = format!("there is no IP version {version}");
            return Err(SpecError::value("stack.ip_version", problem));
        }
        match self {
            Self::RawUdp {
                acknowledgement, ..
            } => acknowledgement
                .as_ref()
                .map_or(Ok(()), AcknowledgementSpec::check),
            Self::Coap { kind, coap, .. } => {
                coap.check()?;
                kind.check()
            }
            Self::CoapTcp { coap, .. } => coap.check(),
            Self::Mqtt { mqtt, .. } => mqtt.check(),
            Self::JsonUdp { .. } | Self::RawTcp { .. } => Ok(()),
        }
    }
}

impl MqttSpec {
    fn check(&self) -> Result<(), SpecError> {
        if self.qos > 2 {
            return Err(SpecError::value("stack.mqtt.qos", "must be from 0 to 2"));
        }
        at_least_one("stack.mqtt.max_in_flight", self.max_in_flight)
    }
}

impl CoapSpec {
    fn check(&self) -> Result<(), SpecError> {
        if (16..=1024).contains(&self.block_bytes) && self.block_bytes.is_power_of_two() {
            return Ok(());
        }
        Err(SpecError::value(
            "stack.coap.block_bytes",
            "must be a power of two from 16 to 1024",
        ))
    }
}

impl CoapTypeSpec {
    fn check(&self) -> Result<(), SpecError> {
        match self {
            Self::Non { random_factor, .. } => check_factor(*random_factor),
            Self::Con {
                nstart,
                acknowledgement,
            } => {
                at_least_one("stack.coap.type.con.nstart", *nstart)?;
                acknowledgement.check()
            }
        }
    }
}

impl AcknowledgementSpec {
    fn check(&self) -> Result<(), SpecError> {
        check_factor(self.random_factor)
    }
}

fn check_factor(random_factor: f64) -> Result<(), SpecError> {
    if (1.0..=1e3).contains(&random_factor) {
        return Ok(());
    }
    Err(SpecError::value(
        "stack.acknowledgement.random_factor",
        "must be from 1 to 1000",
    ))
}

fn at_least_one(field: &'static str, count: u16) -> Result<(), SpecError> {
    if count > 0 {
        return Ok(());
    }
    Err(SpecError::value(field, "must be at least 1"))
}
