use core::sync::atomic::{AtomicI64, Ordering};

use prometheus_client::metrics::histogram::Histogram;

/// The measurements of a store: the duration of transactions, and the queued messages.
#[derive(Debug)]
pub(crate) struct StoreMeasures {
    /// Seconds from the beginning of a transaction until it is committed or has failed.
    pub(crate) commits: Histogram,
    waiting: AtomicI64,
    waiting_size: AtomicI64,
}

/// From what a disk of flash takes to what a database takes that hangs.
const BUCKETS_S: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

impl StoreMeasures {
    pub(super) fn new() -> Self {
        Self {
            commits: Histogram::new(BUCKETS_S),
            waiting: AtomicI64::new(0),
            waiting_size: AtomicI64::new(0),
        }
    }

    pub(super) fn set_waiting(&self, records: usize, size: usize) {
        let set = |value: &AtomicI64, to: usize| {
            value.store(i64::try_from(to).unwrap_or(i64::MAX), Ordering::Relaxed);
        };
        set(&self.waiting, records);
        set(&self.waiting_size, size);
    }

    /// Returns the number of messages that wait to be written.
    pub(crate) fn waiting(&self) -> i64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns the memory of the messages that wait to be written, in bytes.
    pub(crate) fn waiting_size(&self) -> i64 {
        self.waiting_size.load(Ordering::Relaxed)
    }
}
