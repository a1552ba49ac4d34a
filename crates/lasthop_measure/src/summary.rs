use core::num::NonZeroU32;

use lasthop_contract::{BackgroundTraffic, Direction};
use lasthop_units::{Duration, Energy, Instant};

use crate::backlog::uncarried_share;
use crate::excess::Excess;
use crate::message_report::MessageReport;
use crate::message_sums::{MeasuredTime, MessageSums};
use crate::{
    Bill, CacheSums, DeviceSums, EnergySummary, Histogram, Ledger, MediumColumn, MessageLog,
    MessageRecord, NetworkSummary, RecoverySums, SessionSums, TraceHash, Weighted,
};

/// The results of a run in one row.
///
/// Messages are those due after the warm-up. Bytes are those of the whole run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Messages that were due.
    pub messages_offered: u64,
    /// The delivered messages.
    pub messages_delivered: u64,
    /// Repeated deliveries.
    pub messages_duplicated: u64,
    /// Messages that will never arrive.
    pub messages_failed: u64,
    /// The number of failed messages for each reason, in the order of reasons.
    pub failures: Vec<(&'static str, u64)>,
    /// Messages that were still on their way when the run ended.
    pub messages_unfinished: u64,
    /// The failed messages that never left the sender: no session, or the queue was full.
    pub messages_unsent: u64,
    /// The mean latency of delivered messages.
    pub latency_mean: Option<Duration>,
    /// The 50th, 95th, 99th and 99.9th latency percentiles over all offered messages. `None` is infinite.
    pub latency_percentiles: [Option<Duration>; PER_MILLE.len()],
    /// The maximum latency of delivered messages.
    pub latency_max: Option<Duration>,
    /// The mean time from due to acknowledged, over acknowledged messages.
    pub response_mean: Option<Duration>,
    /// The maximum time from due to acknowledged.
    pub response_max: Option<Duration>,
    /// Messages of flows that set a time for delivery.
    pub messages_with_deadline: u64,
    /// Of these, the messages that were delivered within that time.
    pub messages_in_time: u64,
    /// The time average of the age of information at the receivers.
    ///
    /// It is `None` if no flow has two messages after the warm-up, or if the records of permanent devices were neither
    /// kept nor written to files.
    pub age_mean: Option<Duration>,
    /// The greatest age of information.
    pub age_max: Option<Duration>,
    /// The recoveries of devices from events, if anything happens in the run.
    pub recoveries: Option<RecoverySums>,
    /// Packets and bytes that entered the path, up and down.
    pub offered: [(u64, u64); 2],
    /// Packets and bytes that left the path at a host, up and down.
    pub delivered: [(u64, u64); 2],
    /// Payload bytes that entered the path, each byte once for each direction.
    pub payload_bytes_first_sent: u64,
    /// Retransmissions by applications.
    pub retransmissions_application: u64,
    /// Packets with retransmissions by layers below the application.
    pub retransmissions_transport: u64,
    /// The time of the last event.
    pub simulated: Duration,
    /// The share of offered messages that the path did not carry while they were offered.
    ///
    /// It covers the whole sending time. It is `None` if messages were too few, or if the records of permanent devices
    /// were neither kept nor written to files.
    pub uncarried_share: Option<f64>,
    /// The results weighted by the real devices that each simulated device represents.
    pub weighted: Option<Weighted>,
    /// The energy of the devices, if they have radios and it was requested.
    pub energy: Option<EnergySummary>,
    /// The mean bill of the represented devices with a tariff.
    pub bill: Option<Bill>,
    /// The background traffic of the path's links, as `[up, down]`.
    pub background: [BackgroundTraffic; 2],
    /// The fingerprint of all packets that entered or left the path.
    pub trace: TraceHash,
    /// The latencies of all offered messages.
    pub latency: Histogram,
    /// The results of a cellular network.
    pub network: Option<NetworkSummary>,
    /// The columns of media.
    pub media: Vec<MediumColumn>,
    /// How late deadlines were served; empty in virtual time.
    pub lateness: Histogram,
    /// The sessions of clients, if any client reported one.
    pub sessions: Option<SessionSums>,
    /// Event counts of resource-constrained devices; `None` if the run has no such device.
    pub devices: Option<DeviceSums>,
    /// The responses of caching proxies, if there are any.
    pub caches: Option<CacheSums>,
    /// Idle peers that were evicted to make room for others.
    pub peers_evicted: u64,
    /// Whether the kernel sent the packets, so that they were not counted.
    pub hides_packets: bool,
}

/// The sources of a summary beside the message sums.
pub(crate) struct Sources<'a> {
    pub(crate) log: &'a MessageLog,
    pub(crate) ledger: &'a Ledger,
    pub(crate) trace: TraceHash,
    pub(crate) time: MeasuredTime,
    /// The overload measurement of devices that arrive and leave.
    pub(crate) excess: Option<&'a Excess>,
    /// The report of messages that were written to files.
    pub(crate) told: Option<&'a MessageReport>,
    /// Overload is judged from messages due before this instant.
    pub(crate) disturbed: Instant,
    pub(crate) cells: Option<NonZeroU32>,
}

/// The reported percentiles in thousandths: the median, 95 %, 99 % and 99.9 %.
pub(crate) const PER_MILLE: [u64; 4] = [500, 950, 990, 999];

/// What an Ethernet header adds to a packet on a wire, in bytes.
const ETHERNET_HEADER: u64 = 14;

impl Summary {
    /// Returns the value of a medium column, or `None` if no path has the medium.
    #[must_use]
    pub fn of_medium(&self, column: &str) -> Option<f64> {
        let told = self.media.iter().find(|it| it.name == column)?;
        told.value.as_number()
    }

    pub(crate) fn of(sources: Sources<'_>, sums: MessageSums, end: Instant) -> Self {
        let Sources { log, ledger, .. } = sources;
        Self {
            messages_offered: sums.offered,
            messages_delivered: sums.delivered,
            messages_duplicated: sums.duplicated,
            messages_failed: sums.failed,
            failures: sums.failures(),
            messages_unfinished: sums.unfinished,
            messages_unsent: sums.unsent,
            latency_mean: sums.latency_mean(),
            latency_percentiles: sources.percentiles(&sums),
            latency_max: sums.latency_max,
            response_mean: sums.response_mean(),
            response_max: sums.response_max,
            offered: Direction::ALL.map(|direction| ledger.total_offered(direction)),
            delivered: Direction::ALL.map(|direction| ledger.total_delivered(direction)),
            payload_bytes_first_sent: log.payload_first_sent()
                + sources.told.map_or(0, |told| told.payload_first_sent),
            retransmissions_application: log.retransmissions(),
            retransmissions_transport: ledger.retransmitting_packets(),
            simulated: end.since_start(),
            uncarried_share: match sources.excess {
                Some(excess) => excess.share(end),
                None if log.keeps_all() => uncarried_share(log, sources.disturbed),
                None => sources.told.and_then(|told| told.uncarried_share),
            },
            trace: sources.trace,
            network: sources
                .cells
                .map(|cells| NetworkSummary::of(&sums, sources.time, cells)),
            latency: sums.latency,
            messages_with_deadline: 0,
            messages_in_time: 0,
            age_mean: None,
            age_max: None,
            recoveries: None,
            energy: None,
            bill: None,
            background: Default::default(),
            weighted: None,
            media: Vec::new(),
            lateness: Histogram::new(),
            sessions: None,
            devices: None,
            caches: None,
            peers_evicted: 0,
            hides_packets: false,
        }
    }

    /// Returns the share of offered messages that were delivered, or `None` without offered messages.
    #[must_use]
    pub fn delivery_ratio(&self) -> Option<f64> {
        (self.messages_offered > 0)
            .then(|| self.messages_delivered as f64 / self.messages_offered as f64)
    }

    /// Returns the share of messages with a deadline that were delivered in time, or `None` without such messages.
    #[must_use]
    pub fn in_time_ratio(&self) -> Option<f64> {
        (self.messages_with_deadline > 0)
            .then(|| self.messages_in_time as f64 / self.messages_with_deadline as f64)
    }

    /// Returns why messages failed, in one line, or `None` if none failed.
    #[must_use]
    pub fn failure_reasons(&self) -> Option<String> {
        let counts = self.failures.iter();
        let counts: Vec<String> = counts.map(|(reason, n)| format!("{reason}: {n}")).collect();
        (!counts.is_empty()).then(|| counts.join(", "))
    }

    /// Returns the energy of all devices for each delivered message, or `None` without delivered messages.
    #[must_use]
    pub fn energy_per_message(&self) -> Option<Energy> {
        let energy = self.energy.as_ref()?;
        let joules = energy.total.as_joules() / self.messages_delivered as f64;
        (self.messages_delivered > 0).then(|| Energy::from_joules(joules))
    }

    /// Returns the bytes other than first copies of payloads, for each 100 payload bytes.
    ///
    /// The second value adds an Ethernet header a packet. It is `None` if no payload was sent.
    #[must_use]
    pub fn control_bytes_per_100(&self) -> Option<(f64, f64)> {
        let payload = self.payload_bytes_first_sent;
        if payload == 0 || self.hides_packets {
            return None;
        }
        let (bytes, framed) = self.wire_bytes();
        let per_100 = |bytes: u64| 100.0 * (bytes - payload) as f64 / payload as f64;
        Some((per_100(bytes), per_100(framed)))
    }

    /// Returns the bytes that entered the path for each delivered message.
    ///
    /// The second value adds an Ethernet header a packet. It is `None` without delivered messages.
    #[must_use]
    pub fn wire_bytes_per_message(&self) -> Option<(f64, f64)> {
        if self.messages_delivered == 0 || self.hides_packets {
            return None;
        }
        let (bytes, framed) = self.wire_bytes();
        let each = |bytes: u64| bytes as f64 / self.messages_delivered as f64;
        Some((each(bytes), each(framed)))
    }

    /// Bytes that entered the path, both ways, and the same with an Ethernet header a packet.
    fn wire_bytes(&self) -> (u64, u64) {
        let [(packets_up, up), (packets_down, down)] = self.offered;
        let headers = ETHERNET_HEADER * (packets_up + packets_down);
        (up + down, up + down + headers)
    }
}

impl Sources<'_> {
    /// Returns the 50th, 95th, 99th and 99.9th percentiles: exact from records, otherwise from the histogram.
    fn percentiles(&self, sums: &MessageSums) -> [Option<Duration>; PER_MILLE.len()] {
        if let Some(told) = self.told {
            return told.percentiles;
        }
        if self.excess.is_some() || !self.log.keeps_all() {
            return PER_MILLE.map(|part| sums.latency.quantile(part));
        }
        let measured = self.log.open_records();
        let mut latencies: Vec<Duration> = measured
            .filter(|record| record.intended >= self.time.from)
            .filter_map(MessageRecord::latency)
            .collect();
        latencies.sort_unstable();
        PER_MILLE.map(|part| quantile(&latencies, sums.offered, part))
    }
}

/// Returns the nearest-rank percentile in thousandths over all offered messages.
///
/// Messages that are not in `sorted` are infinite.
fn quantile(sorted: &[Duration], due: u64, per_mille: u64) -> Option<Duration> {
    let rank = (due * per_mille).div_ceil(1000).max(1);
    sorted.get(usize::try_from(rank - 1).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_count_what_never_arrived() {
        let sorted: Vec<Duration> = (1..=90).map(Duration::from_millis).collect();
        assert_eq!(quantile(&sorted, 100, 500), Some(Duration::from_millis(50)));
        assert_eq!(quantile(&sorted, 100, 950), None);
        assert_eq!(quantile(&sorted, 90, 990), Some(Duration::from_millis(90)));
        assert_eq!(quantile(&[], 0, 500), None);
    }
}
