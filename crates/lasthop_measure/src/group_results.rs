use lasthop_contract::FlowId;
use lasthop_units::Duration;

use crate::age::{AgeSums, FlowAge};
use crate::message_sums::{MeasuredTime, MessageSums};
use crate::{
    Bill, BillingLog, Directory, EnergyLog, EnergySummary, MessageLog, MessageRecord, RecoverySums,
    Weighted,
};

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
    /// The number of messages of flows that set a time for delivery.
    pub messages_with_deadline: u64,
    /// The number of these messages that were delivered within that time.
    pub messages_in_time: u64,
    /// The time average of the age of information at the receivers.
    pub age_mean: Option<Duration>,
    /// The greatest age of information.
    pub age_max: Option<Duration>,
    /// The recoveries of the devices from events, over all their flows.
    pub recoveries: Option<RecoverySums>,
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

    /// Adds a message to the row of its flow.
    pub(crate) fn add(
        &mut self,
        directory: &Directory,
        (flow, record): (FlowId, &MessageRecord),
        time: MeasuredTime,
    ) {
        let Some(place) = directory.place(flow) else {
            return;
        };
        let of_flow = self.sums.get_mut(place.flows_number);
        if let Some(sums) = of_flow.and_then(|sums| sums.get_mut(place.stratum)) {
            sums.add(record, time);
            if let Some(within) = place.flows.within {
                sums.add_timed(record, time, within);
            }
        }
    }

    /// Adds the age of a flow to its row.
    pub(crate) fn add_age(&mut self, directory: &Directory, flow: FlowId, ages: FlowAges) {
        let Some(place) = directory.place(flow) else {
            return;
        };
        let of_flow = self.sums.get_mut(place.flows_number);
        if let Some(sums) = of_flow.and_then(|sums| sums.get_mut(place.stratum)) {
            for age in ages.ages {
                sums.age.add(&age.finish());
            }
        }
    }

    /// Iterates over the sums of all rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &MessageSums> + '_ {
        self.sums.iter().flatten()
    }

    /// Returns the sums with unfinished messages included.
    pub(crate) fn with_open(
        mut self,
        directory: &Directory,
        log: &MessageLog,
        time: MeasuredTime,
    ) -> Self {
        for (flow, record) in log.open_records_by_flow() {
            self.add(directory, (flow, record), time);
        }
        if log.keeps_all() {
            self.add_ages(directory, log, time);
        }
        self
    }

    /// Adds the ages of all flows of a log that keeps all records.
    fn add_ages(&mut self, directory: &Directory, log: &MessageLog, time: MeasuredTime) {
        let mut current: Option<(FlowId, FlowAges)> = None;
        for (flow, _, record) in log.records() {
            if current.as_ref().is_none_or(|(of, _)| *of != flow) {
                let next = (flow, FlowAges::new(directory, flow, time));
                if let Some((flow, ages)) = current.replace(next) {
                    self.add_age(directory, flow, ages);
                }
            }
            if let Some((_, ages)) = &mut current {
                ages.add(record);
            }
        }
        if let Some((flow, ages)) = current {
            self.add_age(directory, flow, ages);
        }
    }

    /// Returns results weighted by the real devices that each simulated device represents.
    pub(crate) fn weighted(&self, directory: &Directory, recoveries: &[RecoverySums]) -> Weighted {
        let of_flows = directory.flows().iter().zip(&self.sums);
        let sums = of_flows.flat_map(|(flows, sums)| {
            let strata = &directory.groups()[flows.group].strata;
            strata.iter().map(|stratum| stratum.weight).zip(sums)
        });
        Weighted::of(sums, directory.class_weights().zip(recoveries))
    }

    /// Returns a row for each flow of each stratum of a group.
    pub(crate) fn results(
        self,
        directory: &Directory,
        energy: Option<&EnergyLog>,
        billing: Option<&BillingLog>,
        recoveries: Option<&[RecoverySums]>,
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
                    messages_with_deadline: sums.timed,
                    messages_in_time: sums.in_time,
                    age_mean: sums.age.mean(),
                    age_max: sums.age.longest(),
                    recoveries: recoveries.and_then(|it| it.get(classes_before + place).cloned()),
                    energy: energy.and_then(|log| log.of_class(classes_before + place)),
                    bill: billing.and_then(|log| log.of_class(classes_before + place)),
                });
            }
        }
        results
    }
}

/// The ages of a flow at each of its receivers.
pub(crate) struct FlowAges {
    ages: Vec<FlowAge>,
}

impl FlowAges {
    /// Creates the ages of a flow without messages.
    pub(crate) fn new(directory: &Directory, flow: FlowId, time: MeasuredTime) -> Self {
        let receivers = directory.audience(flow).get() as usize;
        Self {
            ages: vec![FlowAge::new(time.from); receivers],
        }
    }

    /// Adds the next message. Those of one message for several receivers have consecutive numbers.
    pub(crate) fn add(&mut self, record: &MessageRecord) {
        let receiver = (record.number as usize - 1) % self.ages.len();
        self.ages[receiver].add(record);
    }
}

impl MessageSums {
    /// Returns the age of information over all rows.
    pub(crate) fn age_of<'a>(rows: impl Iterator<Item = &'a Self>) -> AgeSums {
        rows.fold(AgeSums::default(), |mut all, row| {
            all.add(&row.age);
            all
        })
    }
}
