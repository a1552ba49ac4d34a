use lasthop_world::{
    ArrivalSpec, FlowKind, MeasureSpec, MediumSpec, MessageDetail, PayloadSpec, PopulationSpec,
    RunSpec, ServerLayout, SessionSpec, ShortSpec, StackSpec,
};

use crate::message_pairs::{SECOND_NS, stack};

/// A device that keeps its connection and reports 64 B a second over a perfect link, with an answer to each.
#[derive(Clone, Copy, Debug)]
pub struct HttpRequests {
    /// What it speaks.
    pub stack: RequestStack,
    /// How many reports it makes.
    pub requests: u64,
}

/// What the device may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestStack {
    /// HTTP/1.1 over TCP.
    Http1,
    /// HTTP/2 over TCP.
    Http2,
    /// HTTP/3 over QUIC, whose packets are sealed and opened.
    Http3,
    /// MQTT with QoS 1 over TCP, whose acknowledgement is the answer.
    MqttQos1,
}

impl HttpRequests {
    /// The run that has this content.
    #[must_use]
    pub fn spec(&self) -> RunSpec {
        let (stack, port) = self.stack.spec();
        ShortSpec {
            seed: 1,
            population: PopulationSpec::Staying { devices: 1 },
            layout: ServerLayout::PerDevice,
            stack,
            port,
            kind: FlowKind::Report,
            payload: PayloadSpec::Text { bytes: 64 },
            arrivals: ArrivalSpec::Periodic {
                every_ns: SECOND_NS,
            },
            spread_ns: 0,
            duration_ns: self.requests * SECOND_NS,
            session: SessionSpec::Keep,
            hops: vec![MediumSpec::Link(Box::default())],
            energy: None,
            measure: MeasureSpec {
                warm_up_ns: 0,
                drain_ns: 10 * SECOND_NS,
                set_up_ns: 120 * SECOND_NS,
                messages: MessageDetail::Each,
            },
        }
        .into()
    }
}

impl RequestStack {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::Http1, Self::Http2, Self::Http3, Self::MqttQos1];

    /// The stack as a study writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http",
            Self::Http2 => "http version=2",
            Self::Http3 => "http/quic",
            Self::MqttQos1 => "mqtt qos=1",
        }
    }

    fn spec(self) -> (StackSpec, u16) {
        match self {
            Self::Http1 => stack("http/tcp", &[]),
            Self::Http2 => stack("http/tcp", &[("version", "2")]),
            Self::Http3 => stack("http/quic/udp", &[]),
            Self::MqttQos1 => stack("mqtt/tcp", &[("qos", "1")]),
        }
    }
}

#[cfg(test)]
mod tests {
    use lasthop_world::Simulated;

    use super::*;

    #[test]
    fn every_report_of_every_stack_arrives() {
        for stack in RequestStack::ALL {
            let content = HttpRequests {
                stack,
                requests: 50,
            };
            let simulated =
                Simulated::run(&content.spec(), Default::default(), &Default::default())
                    .expect("the spec describes a run");
            assert_eq!(simulated.summary().messages_delivered, 50);
        }
    }
}
