use lasthop_nbiot::config::{NetworkConfig, Placement};
use lasthop_world::{
    ArrivalSpec, FlowKind, HopSpec, MeasureSpec, MediumSpec, MessageDetail, NatSpec, PayloadSpec,
    PopulationSpec, RunSpec, ScopeSpec, ServerLayout, SessionSpec, ShortSpec,
};

use crate::message_pairs::{SECOND_NS, stack};

/// Meters that stay in their cells for days, behind one coupling loss and an operator's NAT. Each sends 96 B by CoAP with
/// acknowledgement every 15 minutes and sleeps in between.
#[derive(Clone, Copy, Debug)]
pub struct NbIotFleet {
    /// How many meters there are.
    pub devices: u32,
    /// In how many cells they are.
    pub cells: u16,
    /// Between each of them and its cell.
    pub coupling_loss_db: f64,
    /// For how long they report, in simulated hours.
    pub hours: u64,
    /// What is told of their messages.
    pub messages: MessageDetail,
    /// The seed of the run.
    pub seed: u64,
}

impl NbIotFleet {
    const EVERY_NS: u64 = 900 * SECOND_NS;

    /// The run that has this content.
    #[must_use]
    pub fn spec(&self) -> RunSpec {
        let (stack, port) = stack("coap/udp", &[("type", "con"), ("ack_timeout", "15s")]);
        let mut spec = RunSpec::from(ShortSpec {
            seed: self.seed,
            population: PopulationSpec::Staying {
                devices: self.devices,
            },
            layout: ServerLayout::Shared,
            stack,
            port,
            kind: FlowKind::Report,
            payload: PayloadSpec::Text { bytes: 96 },
            arrivals: ArrivalSpec::Periodic {
                every_ns: Self::EVERY_NS,
            },
            spread_ns: Self::EVERY_NS,
            duration_ns: self.hours * 3600 * SECOND_NS,
            session: SessionSpec::Keep,
            hops: vec![MediumSpec::Nbiot(Box::new(self.network()))],
            energy: None,
            measure: MeasureSpec {
                warm_up_ns: 0,
                drain_ns: 600 * SECOND_NS,
                set_up_ns: 3600 * SECOND_NS,
                messages: self.messages,
            },
        });
        for path in spec.paths.values_mut() {
            path.hops.push(HopSpec {
                name: "nat".into(),
                scope: ScopeSpec::Own,
                medium: MediumSpec::Nat(NatSpec {
                    udp_timeout_ns: 120 * SECOND_NS,
                    tcp_timeout_ns: 3600 * SECOND_NS,
                    rebind_every_ns: None,
                    ports: 64_512,
                }),
            });
        }
        spec
    }

    fn network(&self) -> NetworkConfig {
        NetworkConfig {
            placement: Placement::StatedCouplingLoss {
                cells: self.cells,
                coupling_loss_db: self.coupling_loss_db,
            },
            ..NetworkConfig::single_device(self.coupling_loss_db)
        }
    }
}

#[cfg(test)]
mod tests {
    use lasthop_world::Simulated;

    use super::*;

    #[test]
    fn every_meter_is_heard_every_quarter_of_an_hour() {
        let fleet = NbIotFleet {
            devices: 42,
            cells: 21,
            coupling_loss_db: 144.0,
            hours: 2,
            messages: MessageDetail::Each,
            seed: 1,
        };
        let simulated = Simulated::run(&fleet.spec(), Default::default(), &Default::default())
            .expect("the spec describes a run");
        let summary = simulated.summary();
        assert_eq!(summary.messages_offered, 42 * 8);
        assert!(summary.messages_delivered > 42 * 8 - 4);
    }
}
