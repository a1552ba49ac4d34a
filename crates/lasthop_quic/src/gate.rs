//! A congestion controller wrapper whose window probes may exceed.
//!
//! Until the handshake is confirmed, data that the peer cannot read yet may fill a small window. What of the handshake was
//! lost then waits behind it for ever: the library probes with more of that data. RFC 9002 section 7.5 wants no
//! probe to be blocked.

use core::any::Any;
use core::cell::Cell;
use std::sync::Arc;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::clock::LibraryInstant;

thread_local! {
    static IS_OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with all congestion windows open.
pub(crate) fn passing<R>(work: impl FnOnce() -> R) -> R {
    let _passing = Passing {
        was_open: IS_OPEN.replace(true),
    };
    work()
}

/// Windows are open until it is dropped, by a panic too.
struct Passing {
    was_open: bool,
}

impl Drop for Passing {
    fn drop(&mut self) {
        IS_OPEN.set(self.was_open);
    }
}

/// Creates congestion controllers with this gate.
pub(crate) struct Gated(pub(crate) Arc<dyn ControllerFactory + Send + Sync>);

struct Gate(Box<dyn Controller>);

impl ControllerFactory for Gated {
    fn build(self: Arc<Self>, now: LibraryInstant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::clone(&self.0).build(now, current_mtu);
        Box::new(Gate(inner))
    }
}

impl Controller for Gate {
    fn on_sent(&mut self, now: LibraryInstant, bytes: u64, last_packet_number: u64) {
        self.0.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(
        &mut self,
        now: LibraryInstant,
        sent: LibraryInstant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.0.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: LibraryInstant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.0
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: LibraryInstant,
        sent: LibraryInstant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.0
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.0.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        match IS_OPEN.get() {
            true => u64::MAX,
            false => self.0.window(),
        }
    }

    fn metrics(&self) -> ControllerMetrics {
        self.0.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self(self.0.clone_box()))
    }

    fn initial_window(&self) -> u64 {
        self.0.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.0.into_any()
    }
}
