//! The time line of one radio. It explains the latency of a report.

use lasthop_contract::{LinkOutput, RadioCause, RadioState};
use lasthop_units::Instant;

use crate::device::DeviceKey;

/// The recorded time line of one device's radio, base station and core network.
#[derive(Clone, Debug, Default)]
pub struct RadioLine {
    /// Transmissions and waits, in order of their end.
    pub events: Vec<RadioEvent>,
    /// The radio states, without gaps; empty if radio time is not reported.
    pub spans: Vec<RadioSpan>,
}

/// A transmission or a wait in the time line of a radio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RadioEvent {
    /// The start.
    pub from: Instant,
    /// The end.
    pub until: Instant,
    /// The lane of the time line in which the event is shown.
    pub lane: RadioLane,
    /// A description of the event.
    pub what: String,
    /// Whether the intended receiver received it.
    pub is_received: bool,
}

/// The lane of an event in a radio's time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RadioLane {
    /// The module: its firmware, or its synchronisation.
    Module,
    /// Preambles (NPRACH).
    Nprach,
    /// Downlink control information (NPDCCH).
    Npdcch,
    /// Downlink data (NPDSCH).
    Npdsch,
    /// Uplink data (NPUSCH format 1).
    Npusch,
    /// Acknowledgements of downlink data (NPUSCH format 2).
    Acknowledgement,
    /// The base station and the core network.
    Network,
}

/// A time span in which a radio was in one state for one cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioSpan {
    /// The start.
    pub from: Instant,
    /// The end.
    pub until: Instant,
    /// The state of the radio.
    pub state: RadioState,
    /// The cause of the radio state.
    pub cause: RadioCause,
}

/// Who is watched, and what was seen.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The place of a device that is to come.
    next: Option<u32>,
    watched: Option<DeviceKey>,
    line: RadioLine,
}

impl RadioLine {
    /// Merges two time lines in order of time, for a device that was in two networks.
    #[must_use]
    pub fn joined(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let Some(mut one) = one else {
            return other;
        };
        if let Some(other) = other {
            one.events.extend(other.events);
            one.spans.extend(other.spans);
            one.spans.sort_by_key(|span| span.from);
        }
        Some(one)
    }
}

impl RadioLane {
    /// Returns the name of the lane: the standard's name if there is one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Nprach => "NPRACH",
            Self::Npdcch => "NPDCCH",
            Self::Npdsch => "NPDSCH",
            Self::Npusch => "NPUSCH",
            Self::Acknowledgement => "HARQ-ACK",
            Self::Network => "network",
        }
    }
}

impl Watch {
    /// Watches the device that comes to this place next.
    pub(crate) fn watch_next(&mut self, slot: u32) {
        self.next = Some(slot);
    }

    /// A device has come.
    pub(crate) fn note_attached(&mut self, key: DeviceKey) {
        if self.next == Some(key.slot) {
            self.next = None;
            self.watched = Some(key);
        }
    }

    /// Notes something of a device that is watched.
    pub(crate) fn note(
        &mut self,
        key: DeviceKey,
        lane: RadioLane,
        (from, until): (Instant, Instant),
        is_received: bool,
        what: impl FnOnce() -> String,
    ) {
        if self.watched == Some(key) {
            self.line.events.push(RadioEvent {
                from,
                until,
                lane,
                what: what(),
                is_received,
            });
        }
    }

    /// Notes what is told of the time of the watched radio.
    pub(crate) fn note_output(&mut self, output: &LinkOutput) {
        if let LinkOutput::RadioTime {
            port,
            state,
            cause,
            from,
            duration,
        } = output
            && self.watched.is_some_and(|key| 2 * key.slot == port.0)
        {
            self.line.spans.push(RadioSpan {
                from: *from,
                until: *from + *duration,
                state: *state,
                cause: *cause,
            });
        }
    }

    /// What was seen so far.
    pub(crate) fn line(&self) -> Option<&RadioLine> {
        self.watched.map(|_| &self.line)
    }
}
