use core::str::FromStr;

use lasthop_link::delay::{Constant, Delay};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::rate::{QueueLimit, Rate};
use lasthop_link::{DirectionConfig, LinkConfig, Mtu};
use lasthop_units::{BitRate, DataSize, Duration, Probability};
use lasthop_world::{
    ArrivalSpec, FlowKind, MeasureSpec, MediumSpec, MessageDetail, PayloadSpec, PopulationSpec,
    Registry, RunSpec, ServerLayout, SessionSpec, ShortSpec, StackSpec,
};
use thiserror::Error;

/// Independent pairs of a device and a server, each with a line of 50 kbit/s and 100 ms with 10 % packet loss
/// each way, which say 409 B four times a second, one way.
#[derive(Clone, Copy, Debug)]
pub struct MessagePairs {
    /// What they speak.
    pub stack: PairStack,
    /// How many pairs there are.
    pub pairs: u32,
    /// How long they speak, in simulated seconds.
    pub seconds: u64,
    /// The seed of the run.
    pub seed: u64,
}

/// What the pairs may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairStack {
    /// A payload is a datagram.
    RawUdp,
    /// A payload is the data of a publication to a broker.
    JsonUdp,
    /// CoAP without acknowledgements.
    CoapNon,
    /// CoAP with acknowledgements, as many exchanges at a time as are due.
    CoapCon,
    /// MQTT over TCP without acknowledgements.
    MqttQos0,
    /// MQTT over TCP with acknowledgements.
    MqttQos1,
}

/// A name that is none of a stack's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no stack \"{0}\"; there are raw_udp, json_udp, coap_non, coap_con, mqtt_qos0 and mqtt_qos1"
)]
pub struct UnknownStack(String);

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

impl MessagePairs {
    /// The run that has this content.
    #[must_use]
    pub fn spec(&self) -> RunSpec {
        self.short_spec().into()
    }

    pub(crate) fn short_spec(&self) -> ShortSpec {
        let period_ns = SECOND_NS / 4;
        let (stack, port) = self.stack.spec();
        ShortSpec {
            seed: self.seed,
            population: PopulationSpec::Staying {
                devices: self.pairs,
            },
            layout: ServerLayout::PerDevice,
            stack,
            port,
            kind: FlowKind::Report,
            payload: PayloadSpec::Text { bytes: 409 },
            arrivals: ArrivalSpec::Periodic {
                every_ns: period_ns,
            },
            spread_ns: period_ns,
            duration_ns: self.seconds * SECOND_NS,
            session: SessionSpec::Keep,
            hops: vec![MediumSpec::Link(Box::new(LinkConfig {
                up: direction(),
                down: direction(),
                ..LinkConfig::default()
            }))],
            energy: None,
            measure: MeasureSpec {
                warm_up_ns: 0,
                drain_ns: 10 * SECOND_NS,
                // As in studies.
                set_up_ns: 120 * SECOND_NS,
                messages: MessageDetail::Each,
            },
        }
    }
}

pub(crate) fn direction() -> DirectionConfig {
    let rate = BitRate::from_bits_per_second(50_000).expect("above 0");
    DirectionConfig {
        mtu: Some(Mtu {
            largest: DataSize::from_bytes(1_500),
        }),
        loss: Some(Loss::from(Bernoulli {
            probability: Probability::new(0.1).expect("below 1"),
        })),
        delay: Some(Delay::from(Constant {
            delay: Duration::from_millis(100),
        })),
        rate: Some(Rate::serial(rate, QueueLimit::Packets(100))),
        ..DirectionConfig::default()
    }
}

impl PairStack {
    /// All, in order.
    pub const ALL: [Self; 6] = [
        Self::RawUdp,
        Self::JsonUdp,
        Self::CoapNon,
        Self::CoapCon,
        Self::MqttQos0,
        Self::MqttQos1,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RawUdp => "raw_udp",
            Self::JsonUdp => "json_udp",
            Self::CoapNon => "coap_non",
            Self::CoapCon => "coap_con",
            Self::MqttQos0 => "mqtt_qos0",
            Self::MqttQos1 => "mqtt_qos1",
        }
    }

    fn spec(self) -> (StackSpec, u16) {
        match self {
            Self::RawUdp => stack("raw_udp/udp", &[]),
            Self::JsonUdp => stack("json_udp/udp", &[]),
            Self::CoapNon => stack("coap/udp", &[("type", "non")]),
            Self::CoapCon => stack("coap/udp", &[("nstart", "64")]),
            Self::MqttQos0 => stack("mqtt/tcp", &[("qos", "0")]),
            Self::MqttQos1 => stack("mqtt/tcp", &[("qos", "1")]),
        }
    }
}

/// A stack with every default but these options, and where its servers listen.
pub(crate) fn stack(layers: &str, options: &[(&str, &str)]) -> (StackSpec, u16) {
    let registry = Registry::standard();
    let stack = registry
        .stack(layers, options)
        .expect("the stack is in the catalogue");
    let application = registry.application(&stack.application.name);
    (stack, application.expect("it was found").port)
}

impl FromStr for PairStack {
    type Err = UnknownStack;

    fn from_str(name: &str) -> Result<Self, UnknownStack> {
        Self::ALL
            .into_iter()
            .find(|stack| stack.name() == name)
            .ok_or_else(|| UnknownStack(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use lasthop_world::Simulated;

    use super::*;

    #[test]
    fn every_pair_says_four_messages_a_second_and_datagrams_lose_one_in_ten() {
        for stack in PairStack::ALL {
            let run = MessagePairs {
                stack,
                pairs: 5,
                seconds: 200,
                seed: 1,
            };
            let simulated = Simulated::run(&run.spec(), Default::default(), &Default::default())
                .expect("the spec describes a run");
            let summary = simulated.summary();
            assert_eq!(summary.messages_offered, 4000);
            match stack {
                // Binomial with a standard deviation of 19: the bounds are five of these.
                PairStack::RawUdp | PairStack::JsonUdp | PairStack::CoapNon => {
                    assert!(summary.messages_delivered.abs_diff(3600) < 95);
                }
                PairStack::CoapCon | PairStack::MqttQos0 | PairStack::MqttQos1 => {
                    assert!(summary.messages_delivered > 3900);
                }
            }
        }
    }
}
