use core::str::FromStr;

use lasthop_world::{
    ArrivalSpec, DelayModelSpec, DelaySpec, DirectionSpec, LossSpec, MeasureSpec, PathSpec,
    PayloadSpec, QueueSpec, RateKindSpec, RateSpec, RunSpec, ServerLayout, StackSpec, StageName,
    TrafficKind, TrafficSpec,
};
use thiserror::Error;

/// Independent pairs of a device and a server, each with a line of 50 kbit/s and 100 ms with 10 % packet loss
/// each way, which say 409 B four times a second, one way.
#[derive(Clone, Copy, Debug)]
pub struct DatagramPairs {
    /// What they speak.
    pub stack: DatagramStack,
    /// How many pairs there are.
    pub pairs: u32,
    /// How long they speak, in simulated seconds.
    pub seconds: u64,
    /// The seed of the run.
    pub seed: u64,
}

/// The stacks that send a message as a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatagramStack {
    /// A payload is a datagram.
    RawUdp,
    /// A payload is the data of a publication to a broker.
    JsonUdp,
}

/// A name that is none of a stack's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no stack \"{0}\"; there are raw_udp and json_udp")]
pub struct UnknownStack(String);

const SECOND_NS: u64 = 1_000_000_000;
const MILLISECOND_NS: u64 = 1_000_000;

impl DatagramPairs {
    /// The run that has this content.
    #[must_use]
    pub fn spec(&self) -> RunSpec {
        let period_ns = SECOND_NS / 4;
        RunSpec {
            format: 1,
            seed: self.seed,
            devices: self.pairs,
            server: ServerLayout::PerDevice,
            stack: self.stack.spec(),
            traffic: TrafficSpec {
                kind: TrafficKind::Report,
                payload: PayloadSpec::Text { bytes: 409 },
                arrivals: ArrivalSpec::Periodic {
                    every_ns: period_ns,
                },
                burst: 1,
                start_ns: 0,
                spread_ns: period_ns,
                duration_ns: self.seconds * SECOND_NS,
            },
            measure: MeasureSpec {
                warm_up_ns: 0,
                drain_ns: 10 * SECOND_NS,
                set_up_ns: 10 * SECOND_NS,
            },
            path: PathSpec {
                order: [
                    StageName::Mtu,
                    StageName::Outage,
                    StageName::Loss,
                    StageName::Rate,
                    StageName::Delay,
                    StageName::Corrupt,
                    StageName::Duplicate,
                ],
                shared: false,
                nat: None,
                up: direction(),
                down: direction(),
            },
        }
    }
}

fn direction() -> DirectionSpec {
    DirectionSpec {
        mtu_bytes: 1500,
        outages: Vec::new(),
        loss: Some(LossSpec::Bernoulli { probability: 0.1 }),
        delay: Some(DelaySpec {
            model: DelayModelSpec::Constant {
                delay_ns: 100 * MILLISECOND_NS,
            },
            reordering: true,
        }),
        rate: Some(RateSpec {
            bits_per_second: 50_000,
            kind: RateKindSpec::Serial,
            queue: QueueSpec::Packets(100),
        }),
        duplicate: None,
        corrupt: None,
    }
}

impl DatagramStack {
    /// All, in order.
    pub const ALL: [Self; 2] = [Self::RawUdp, Self::JsonUdp];

    /// The name in study files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RawUdp => "raw_udp",
            Self::JsonUdp => "json_udp",
        }
    }

    const fn spec(self) -> StackSpec {
        match self {
            Self::RawUdp => StackSpec::RawUdp {
                ip_version: 4,
                acknowledgement: None,
            },
            Self::JsonUdp => StackSpec::JsonUdp {
                ip_version: 4,
                subscribe_timeout_ns: SECOND_NS,
            },
        }
    }
}

impl FromStr for DatagramStack {
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
    fn every_pair_says_four_messages_a_second_and_loses_one_in_ten() {
        for stack in DatagramStack::ALL {
            let run = DatagramPairs {
                stack,
                pairs: 5,
                seconds: 200,
                seed: 1,
            };
            let simulated = Simulated::run(&run.spec(), Default::default(), &Default::default())
                .expect("the spec describes a run");
            let summary = simulated.summary();
            assert_eq!(summary.messages_offered, 4000);
            // Binomial with a standard deviation of 19: the bounds are five of these.
            assert!(summary.messages_delivered.abs_diff(3600) < 95);
        }
    }
}
