use std::fmt::Write as _;

use lasthop_contract::{Cause, Layer, MessageId, Packet};
use lasthop_units::Instant;

/// What happened to one message, in order: the answer to "why did this one take so long?".
#[derive(Clone, Debug)]
pub struct Timeline {
    message: MessageId,
    entries: Vec<TimelineEntry>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// When.
    pub at: Instant,
    /// Where: the device, the server, or the path up or down.
    pub place: &'static str,
    /// What.
    pub what: String,
}

impl Timeline {
    /// The time line of a message.
    #[must_use]
    pub fn of(message: MessageId) -> Self {
        Self {
            message,
            entries: Vec::new(),
        }
    }

    /// What happened, in order.
    #[must_use]
    pub fn entries(&self) -> &[TimelineEntry] {
        &self.entries
    }

    pub(crate) fn concerns(&self, mut messages: impl Iterator<Item = MessageId>) -> bool {
        messages.any(|message| message == self.message)
    }

    /// Notes what happens to a packet, and what it carries of the message.
    pub(crate) fn add_packet(
        &mut self,
        at: Instant,
        place: &'static str,
        packet: &Packet,
        what: &str,
    ) {
        let mut text = format!("packet {} of {} B {what}", packet.number(), packet.length());
        let mut separator = ": ";
        for span in packet.spans() {
            let provenance = span.provenance;
            if provenance.message == Some(self.message) {
                let noun = noun_of(provenance.layer, provenance.cause);
                // Writing to a string cannot fail.
                let _ = write!(text, "{separator}{} B of {noun}", span.length);
                separator = ", ";
            }
        }
        self.add(at, place, text);
    }

    pub(crate) fn add(&mut self, at: Instant, place: &'static str, what: String) {
        self.entries.push(TimelineEntry { at, place, what });
    }
}

fn noun_of(layer: Layer, cause: Cause) -> String {
    match (layer, cause) {
        (Layer::Application, cause) => cause.name().replace('_', " "),
        (layer, Cause::Retransmission) => format!("retransmission by {}", layer.name()),
        (layer, cause) => format!("{} {}", layer.name(), cause.name().replace('_', " ")),
    }
}
