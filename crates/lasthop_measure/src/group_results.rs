use lasthop_contract::FlowId;
use lasthop_units::Duration;

use crate::message_sums::{MeasuredTime, MessageSums};
use crate::{Bill, BillingLog, Directory, EnergyLog, EnergySummary, MessageLog, Weighted};

/// The messages of a stratum of a group, and the energy of its devices.
#[derive(Clone, Debug)]
pub struct GroupResult {
    /// The name of the group.
    pub group: Box<str>,
    /// The name of the stratum; `None` for the whole group.
    pub stratum: Option<Box<str>>,
    /// The name of the flow.
    pub flow: Box<str>,
    /// The number of devices with the flow.
    pub devices: u32,
    /// The number of real devices that each one represents.
    pub weight: f64,
    /// Messages that were due.
    pub messages_offered: u64,
    /// The delivered messages.
    pub messages_delivered: u64,
    /// Messages that will never arrive.
    pub messages_failed: u64,
    /// Messages that were still on their way when the run ended.
    pub messages_unfinished: u64,
    /// The mean latency of delivered messages.
    pub latency_mean: Option<Duration>,
    /// The 50th, 95th and 99th latency percentiles over all offered messages, to 0.4 %. `None` is infinite.
    pub latency_percentiles: [Option<Duration>; 3],
    /// The maximum latency of delivered messages.
    pub latency_max: Option<Duration>,
    /// The energy of the devices over all their flows.
    pub energy: Option<EnergySummary>,
    /// The mean bill of the devices over all their flows.
    pub bill: Option<Bill>,
}

/// Sums by group, stratum and flow, in the order of the directory.
#[derive(Clone, Debug)]
pub(crate) struct GroupSums {
    /// By flows, then by parts of their group.
    sums: Vec<Vec<MessageSums>>,
}

impl GroupSums {
    /// Creates the sums without messages.
    pub(crate) fn new(directory: &Directory) -> Self {
        let strata = |group: usize| directory.groups()[group].strata.len();
        let of_flows = |group| vec![MessageSums::default(); strata(group)];
        let flows = directory.flows().iter();
        Self {
            sums: flows.map(|flows| of_flows(flows.group)).collect(),
        }
    }

    /// Returns the sums of a flow's row.
    pub(crate) fn of(&mut self, directory: &Directory, flow: FlowId) -> Option<&mut MessageSums> {
        let place = directory.place(flow)?;
        self.sums
            .get_mut(place.flows_number)?
            .get_mut(place.stratum)
    }

    /// Returns the sums with unfinished messages included.
    pub(crate) fn with_open(
        mut self,
        directory: &Directory,
        log: &MessageLog,
        time: MeasuredTime,
    ) -> Self {
        for (flow, record) in log.open_records_by_flow() {
            if let Some(sums) = self.of(directory, flow) {
                sums.add(record, time);
            }
        }
        self
    }

    /// Returns results weighted by the real devices that each simulated device represents.
    pub(crate) fn weighted(&self, directory: &Directory) -> Weighted {
        let of_flows = directory.flows().iter().zip(&self.sums);
        let sums = of_flows.flat_map(|(flows, sums)| {
            let strata = &directory.groups()[flows.group].strata;
            strata.iter().map(|stratum| stratum.weight).zip(sums)
        });
        Weighted::of(sums)
    }

    /// Returns a row for each flow of each stratum of a group.
    pub(crate) fn results(
        self,
        directory: &Directory,
        energy: Option<&EnergyLog>,
        billing: Option<&BillingLog>,
        come: u32,
    ) -> Vec<GroupResult> {
        let mut results = Vec::new();
        for (flows, of_flows) in directory.flows().iter().zip(self.sums) {
            let group = &directory.groups()[flows.group];
            let classes_before: usize = directory.groups()[..flows.group]
                .iter()
                .map(|group| group.strata.len())
                .sum();
            for ((place, stratum), sums) in group.strata.iter().enumerate().zip(of_flows) {
                let comes_and_goes = flows.numbers.end == FlowId::DEVICES;
                results.push(GroupResult {
                    group: group.name.clone(),
                    stratum: stratum.name.clone(),
                    flow: flows.name.clone(),
                    devices: if comes_and_goes {
                        come
                    } else {
                        flows.devices.get(place).copied().unwrap_or_default()
                    },
                    weight: stratum.weight,
                    messages_offered: sums.offered,
                    messages_delivered: sums.delivered,
                    messages_failed: sums.failed,
                    messages_unfinished: sums.unfinished,
                    latency_mean: sums.latency_mean(),
                    latency_percentiles: [50, 95, 99].map(|part| sums.latency.percentile(part)),
                    latency_max: sums.latency_max,
                    energy: energy.and_then(|log| log.of_class(classes_before + place)),
                    bill: billing.and_then(|log| log.of_class(classes_before + place)),
                });
            }
        }
        results
    }
}
