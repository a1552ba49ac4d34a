use lasthop_world::{ArrivalSpec, PayloadSpec, RunSpec, ServerLayout, SessionSpec};

use crate::message_pairs::{MessagePairs, PairStack, SECOND_NS};

/// Devices that each at some instant of a minute connect to one broker, publish 400 B with QoS 1 and disconnect,
/// each over a line of its own of 50 kbit/s and 100 ms with 10 % packet loss each way.
#[derive(Clone, Copy, Debug)]
pub struct SessionStorm {
    /// How many devices there are.
    pub devices: u32,
    /// The seed of the run.
    pub seed: u64,
}

impl SessionStorm {
    /// The run that has this content.
    #[must_use]
    pub fn spec(&self) -> RunSpec {
        let pairs = MessagePairs {
            stack: PairStack::MqttQos1,
            pairs: self.devices,
            seconds: 1,
            seed: self.seed,
        };
        let mut spec = pairs.short_spec();
        spec.layout = ServerLayout::Shared;
        spec.session = SessionSpec::PerMessage;
        spec.payload = PayloadSpec::Text { bytes: 400 };
        spec.arrivals = ArrivalSpec::Periodic {
            every_ns: SECOND_NS,
        };
        spec.spread_ns = 60 * SECOND_NS;
        spec.measure.drain_ns = 1200 * SECOND_NS;
        spec.measure.set_up_ns = 1200 * SECOND_NS;
        spec.into()
    }
}
