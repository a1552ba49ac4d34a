use core::str::FromStr;

use lasthop_nbiot::config::{NetworkConfig, Placement, Procedure};
use lasthop_world::{
    ArrivalSpec, ArrivingSpec, FlowKind, MeasureSpec, MediumSpec, MessageDetail, PayloadSpec,
    PopulationSpec, RunSpec, ServerLayout, SessionSpec, ShortSpec, StackSpec,
};
use thiserror::Error;

use crate::message_pairs::{SECOND_NS, stack};

/// Devices that appear in the cells of the network of Larmo et al. 2019, each with one report, and are gone.
#[derive(Clone, Copy, Debug)]
pub struct NbIotHour {
    /// What they say, and how.
    pub content: HourContent,
    /// How many cells there are.
    pub cells: u16,
    /// How many devices appear a second and cell.
    pub per_second_per_cell: f64,
    /// For how long, in simulated seconds.
    pub seconds: u64,
    /// The seed of the run.
    pub seed: u64,
    /// Whether receivers are those of published link simulations, in place of those of the preset.
    pub link_simulation_receivers: bool,
}

/// What devices say, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HourContent {
    /// 25 B in a datagram: the CoAP NON of the paper.
    RawUdp25,
    /// 400 B over TCP without tear-down: the MQTT of the paper.
    RawTcp400,
    /// 25 B by MQTT 3.1.1 with QoS 1: connect, publish, disconnect.
    Mqtt25,
    /// 49 B in a datagram that comes back, over a connection that is resumed: what LENA-NB was measured with.
    Echo49,
}

/// A name that is none of a content's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no content \"{0}\"; there are raw_udp_25, raw_tcp_400, mqtt_25 and echo_49")]
pub struct UnknownContent(String);

impl NbIotHour {
    /// The run that has this content.
    #[must_use]
    pub fn spec(&self) -> RunSpec {
        let (stack, port) = self.content.stack();
        RunSpec::from(ShortSpec {
            seed: self.seed,
            population: PopulationSpec::Arriving(ArrivingSpec {
                per_second_per_cell: self.per_second_per_cell,
                until_ns: self.seconds * SECOND_NS,
                linger_ns: SECOND_NS,
                give_up_ns: 60 * SECOND_NS,
            }),
            layout: ServerLayout::PerDevice,
            stack,
            port,
            kind: match self.content {
                HourContent::Echo49 => FlowKind::RoundTrip,
                _ => FlowKind::Report,
            },
            payload: PayloadSpec::Text {
                bytes: self.content.payload_bytes(),
            },
            arrivals: ArrivalSpec::Once,
            spread_ns: 0,
            duration_ns: self.seconds * SECOND_NS,
            session: SessionSpec::PerMessage,
            hops: vec![MediumSpec::Nbiot(Box::new(self.network()))],
            energy: None,
            measure: MeasureSpec {
                warm_up_ns: 0,
                drain_ns: 60 * SECOND_NS,
                set_up_ns: 60 * SECOND_NS,
                messages: MessageDetail::Summed,
            },
        })
    }

    fn network(&self) -> NetworkConfig {
        let mut network = NetworkConfig::larmo_2019();
        if let Placement::Deployment(deployment) = &mut network.placement {
            deployment.cells = self.cells;
            // One cell does not tile the plane.
            deployment.wrap_around &= self.cells > 1;
        }
        if self.link_simulation_receivers {
            network.channel.receive_as_link_simulations();
        }
        if self.content == HourContent::Echo49 {
            network.connection.procedure = Procedure::Resume;
        }
        network
    }
}

impl HourContent {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::RawUdp25, Self::RawTcp400, Self::Mqtt25, Self::Echo49];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RawUdp25 => "raw_udp_25",
            Self::RawTcp400 => "raw_tcp_400",
            Self::Mqtt25 => "mqtt_25",
            Self::Echo49 => "echo_49",
        }
    }

    const fn payload_bytes(self) -> u64 {
        match self {
            Self::RawUdp25 | Self::Mqtt25 => 25,
            Self::RawTcp400 => 400,
            Self::Echo49 => 49,
        }
    }

    fn stack(self) -> (StackSpec, u16) {
        let larmo = [("tcp.profile", "larmo_2019"), ("tcp.congestion", "cubic")];
        match self {
            Self::RawUdp25 | Self::Echo49 => stack("raw_udp/udp", &[]),
            Self::RawTcp400 => stack("raw_tcp/tcp", &larmo),
            Self::Mqtt25 => stack("mqtt/tcp", &[]),
        }
    }
}

impl FromStr for HourContent {
    type Err = UnknownContent;

    fn from_str(name: &str) -> Result<Self, UnknownContent> {
        Self::ALL
            .into_iter()
            .find(|content| content.name() == name)
            .ok_or_else(|| UnknownContent(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use lasthop_world::Simulated;

    use super::*;

    #[test]
    fn every_content_reaches_the_cloud_from_one_cell() {
        for content in HourContent::ALL {
            let city = NbIotHour {
                content,
                cells: 1,
                per_second_per_cell: 0.5,
                seconds: 200,
                seed: 1,
                link_simulation_receivers: false,
            };
            let simulated = Simulated::run(&city.spec(), Default::default(), &Default::default())
                .expect("the spec describes a run");
            let summary = simulated.summary();
            // Poisson of mean 100: the bounds are five standard deviations.
            assert!(summary.messages_offered.abs_diff(100) < 50);
            let delivered = summary.delivery_ratio().expect("some were due");
            assert!(delivered > 0.9, "{delivered} of {content:?}");
        }
    }
}
