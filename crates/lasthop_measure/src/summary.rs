use lasthop_contract::Direction;
use lasthop_units::{Duration, Energy, Instant};

use crate::backlog::uncarried_share;
use crate::{EnergySummary, Histogram, Ledger, MessageLog, MessageStatus, TraceHash};

/// A run in one row. Messages are those due after the warm-up; bytes are those of the whole run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Messages that were due.
    pub messages_offered: u64,
    /// Of these, those that arrived.
    pub messages_delivered: u64,
    /// Arrivals after the first.
    pub messages_duplicated: u64,
    /// Messages that will never arrive.
    pub messages_failed: u64,
    /// Messages that were still on their way when the run ended.
    pub messages_unfinished: u64,
    /// The mean latency of those that arrived.
    pub latency_mean: Option<Duration>,
    /// The percentiles 50, 95 and 99 of the latency over all that were due; `None` is infinite.
    pub latency_percentiles: [Option<Duration>; 3],
    /// The longest latency of those that arrived.
    pub latency_max: Option<Duration>,
    /// Packets and bytes that entered the path, up and down.
    pub offered: [(u64, u64); 2],
    /// Packets and bytes that left the path at a host, up and down.
    pub delivered: [(u64, u64); 2],
    /// Bytes of payloads that entered the path, each byte once a direction.
    pub payload_bytes_first_sent: u64,
    /// Copies that applications sent after the first.
    pub retransmissions_application: u64,
    /// Packets with a further copy of bytes, made below the application.
    pub retransmissions_transport: u64,
    /// The time of the last event.
    pub simulated: Duration,
    /// The share of the messages that the path did not carry while they were offered, over the whole time of sending;
    /// `None` when they were too few to tell.
    pub uncarried_share: Option<f64>,
    /// The energy of the devices, where they have radios and it was asked for.
    pub energy: Option<EnergySummary>,
    /// What entered the path and came out of it.
    pub trace: TraceHash,
    /// The latencies of all that were due.
    pub latency: Histogram,
}

/// What an Ethernet header adds to a packet on a wire, in bytes.
const ETHERNET_HEADER: u64 = 14;

impl Summary {
    pub(crate) fn of(
        log: &MessageLog,
        ledger: &Ledger,
        trace: TraceHash,
        measured_from: Instant,
        end: Instant,
    ) -> Self {
        let mut summary = Self {
            offered: Direction::ALL.map(|direction| ledger.total_offered(direction)),
            delivered: Direction::ALL.map(|direction| ledger.total_delivered(direction)),
            payload_bytes_first_sent: log.payload_first_sent(),
            retransmissions_application: log.retransmissions(),
            retransmissions_transport: ledger.retransmitting_packets(),
            simulated: end.since_start(),
            uncarried_share: uncarried_share(log),
            trace,
            ..Self::default()
        };
        let mut latencies = Vec::new();
        for (_, _, record) in log.records() {
            if record.intended < measured_from {
                continue;
            }
            summary.messages_offered += 1;
            match record.status() {
                MessageStatus::Delivered => summary.messages_delivered += 1,
                MessageStatus::Failed(_) => summary.messages_failed += 1,
                MessageStatus::Unfinished => summary.messages_unfinished += 1,
            }
            summary.messages_duplicated += u64::from(record.deliveries.saturating_sub(1));
            match record.latency() {
                Some(latency) => {
                    latencies.push(latency);
                    summary.latency.record(latency);
                }
                None => summary.latency.record_never(),
            }
        }
        latencies.sort_unstable();
        summary.latency_mean = mean(&latencies);
        summary.latency_max = latencies.last().copied();
        summary.latency_percentiles =
            [50, 95, 99].map(|percent| percentile(&latencies, summary.messages_offered, percent));
        summary
    }

    /// The share of those due that arrived; `None` when none was due.
    #[must_use]
    pub fn delivery_ratio(&self) -> Option<f64> {
        (self.messages_offered > 0)
            .then(|| self.messages_delivered as f64 / self.messages_offered as f64)
    }

    /// The energy of all devices for each message that arrived; `None` when none did.
    #[must_use]
    pub fn energy_per_message(&self) -> Option<Energy> {
        let energy = self.energy.as_ref()?;
        let joules = energy.total.as_joules() / self.messages_delivered as f64;
        (self.messages_delivered > 0).then(|| Energy::from_joules(joules))
    }

    /// Bytes that entered the path beside the first copies of payloads, for 100 bytes of those, and the same
    /// with an Ethernet header a packet; `None` when no payload was sent.
    #[must_use]
    pub fn control_bytes_per_100(&self) -> Option<(f64, f64)> {
        let payload = self.payload_bytes_first_sent;
        if payload == 0 {
            return None;
        }
        let (packets, bytes) = (
            self.offered[0].0 + self.offered[1].0,
            self.offered[0].1 + self.offered[1].1,
        );
        let per_100 = |bytes: u64| 100.0 * (bytes - payload) as f64 / payload as f64;
        Some((per_100(bytes), per_100(bytes + ETHERNET_HEADER * packets)))
    }
}

/// The exact mean, rounded to a nanosecond.
fn mean(latencies: &[Duration]) -> Option<Duration> {
    let count = u128::try_from(latencies.len()).ok().filter(|n| *n > 0)?;
    let total: u128 = latencies.iter().map(|l| u128::from(l.as_nanos())).sum();
    u64::try_from((total + count / 2) / count)
        .ok()
        .map(Duration::from_nanos)
}

/// The nearest-rank percentile over all that were due, of which those not in `sorted` are infinite.
fn percentile(sorted: &[Duration], due: u64, percent: u64) -> Option<Duration> {
    let rank = (due * percent).div_ceil(100).max(1);
    sorted.get(usize::try_from(rank - 1).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_count_what_never_arrived() {
        let sorted: Vec<Duration> = (1..=90).map(Duration::from_millis).collect();
        assert_eq!(
            percentile(&sorted, 100, 50),
            Some(Duration::from_millis(50))
        );
        assert_eq!(percentile(&sorted, 100, 95), None);
        assert_eq!(percentile(&sorted, 90, 99), Some(Duration::from_millis(90)));
        assert_eq!(percentile(&[], 0, 50), None);
    }

    #[test]
    fn the_mean_is_rounded_not_cut() {
        let latencies = [1, 2].map(Duration::from_nanos);
        assert_eq!(mean(&latencies), Some(Duration::from_nanos(2)));
        assert_eq!(mean(&[]), None);
    }
}
