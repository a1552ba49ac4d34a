use std::fmt::Write as _;

use lasthop_contract::{Cause, Layer, MessageId, Packet, Trigger};
use lasthop_units::Instant;

use crate::conversation::Conversation;

/// The events of one message in order, which explain its latency.
///
/// Beside the packets that carry bytes of it, these are the packets of the same conversation that a timer or a loss
/// sent while the message was under way: what it waited behind.
#[derive(Clone, Debug)]
pub struct Timeline {
    message: MessageId,
    /// What gateways have put it into.
    bundles: Vec<MessageId>,
    /// Where its packets went, as each side saw them.
    conversations: Vec<Conversation>,
    is_under_way: bool,
    entries: Vec<TimelineEntry>,
}

/// An event of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// The time.
    pub at: Instant,
    /// The place of the event: device, gateway, server, or path up or down.
    pub place: &'static str,
    /// The event.
    pub what: String,
    /// Why a packet or copy was sent, unless it was new data or an immediate answer.
    pub trigger: Option<&'static str>,
}

impl Timeline {
    /// Creates the time line of a message.
    #[must_use]
    pub fn of(message: MessageId) -> Self {
        Self {
            message,
            bundles: Vec::new(),
            conversations: Vec::new(),
            is_under_way: false,
            entries: Vec::new(),
        }
    }

    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> MessageId {
        self.message
    }

    /// Returns the events in order.
    #[must_use]
    pub fn entries(&self) -> &[TimelineEntry] {
        &self.entries
    }

    pub(crate) fn concerns(&self, mut messages: impl Iterator<Item = MessageId>) -> bool {
        messages.any(|message| self.is_of(message))
    }

    /// Records that the message continues in a bundle.
    pub(crate) fn follow(&mut self, bundle: MessageId) {
        self.bundles.push(bundle);
    }

    fn is_of(&self, message: MessageId) -> bool {
        message == self.message || self.bundles.contains(&message)
    }

    /// Whether a packet carries bytes of the message, or blocks it.
    pub(crate) fn concerns_packet(&self, packet: &Packet) -> bool {
        self.concerns(packet.messages()) || self.waits_behind(packet)
    }

    /// Records an event of a packet that concerns the message, and which part of the message it carries.
    pub(crate) fn add_packet(
        &mut self,
        at: Instant,
        place: &'static str,
        packet: &Packet,
        what: &str,
        trigger: Option<Trigger>,
    ) {
        if self.concerns(packet.messages())
            && let Some(conversation) = Conversation::of(packet.bytes())
            && !self.conversations.contains(&conversation)
        {
            self.conversations.push(conversation);
        }
        let mut text = format!("packet {} of {} B {what}", packet.number(), packet.length());
        // Writing to a string cannot fail.
        if let Some(trigger) = trigger {
            let _ = write!(text, " ({trigger})");
        }
        let mut separator = ": ";
        for span in packet.spans() {
            let provenance = span.provenance;
            if provenance.message.is_some_and(|id| self.is_of(id)) {
                let noun = noun_of(provenance.layer, provenance.cause);
                let _ = write!(text, "{separator}{} B of {noun}", span.length);
                separator = ", ";
            }
        }
        self.push(at, place, text, trigger);
    }

    pub(crate) fn add(&mut self, at: Instant, place: &'static str, what: String) {
        self.push(at, place, what, None);
    }

    /// Records a transmission by the application.
    pub(crate) fn add_attempt(
        &mut self,
        at: Instant,
        place: &'static str,
        what: String,
        trigger: Option<Trigger>,
    ) {
        self.is_under_way = true;
        self.push(at, place, what, trigger);
    }

    /// Records that the message was delivered or given up.
    pub(crate) fn add_end(&mut self, at: Instant, place: &'static str, what: String) {
        self.is_under_way = false;
        self.push(at, place, what, None);
    }

    fn push(&mut self, at: Instant, place: &'static str, what: String, trigger: Option<Trigger>) {
        self.entries.push(TimelineEntry {
            at,
            place,
            what,
            trigger: trigger.map(Trigger::name),
        });
    }

    fn waits_behind(&self, packet: &Packet) -> bool {
        self.is_under_way
            && packet.trigger().is_some()
            && Conversation::of(packet.bytes())
                .is_some_and(|conversation| self.conversations.contains(&conversation))
    }
}

fn noun_of(layer: Layer, cause: Cause) -> String {
    match (layer, cause) {
        (Layer::Application, cause) => cause.name().replace('_', " "),
        (layer, Cause::Retransmission) => format!("retransmission by {}", layer.name()),
        (layer, cause) => format!("{} {}", layer.name(), cause.name().replace('_', " ")),
    }
}
