use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::{DeviceId, Direction, MessageId};

use crate::parts::{Assembly, part_count, parts};
use crate::{FlowKind, PlannedFlows, TrafficPlan};

/// The reaction to a received message.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// The message is at its destination.
    Deliver,
    /// The message is at one of several destinations: the receiving device with this number.
    DeliverAs(u32),
    /// The reaction follows the plan of the message's flow.
    AsPlanned(Planned),
}

/// The settings for reactions by the traffic plan.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The traffic plan of the run.
    pub plan: Arc<TrafficPlan>,
    /// The end that reacts: `Up` for a device, `Down` for a server.
    pub side: Direction,
    /// The number of the reacting device in its group.
    pub receiver: u32,
    /// Whether the protocol below returns round trips by itself, as a broker does.
    pub is_forwarded: bool,
    /// Whether the protocol below relays messages to other devices by itself, as a broker core does.
    pub is_passed_on: bool,
    /// Whether the protocol below carries a download in parts, which the device assembles.
    pub is_in_parts: bool,
}

/// An end that reacts as planned, with what it has in hand.
#[derive(Debug)]
pub(crate) struct Reacting {
    planned: Planned,
    /// Downloads of which parts have come to this device.
    assemblies: BTreeMap<MessageId, Assembly>,
    /// Of how many parts this server does not know that they have come.
    unacknowledged: BTreeMap<MessageId, u32>,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It is where it was meant to go.
    Deliver,
    /// It is said again: to whom it came from, or to whom it is for.
    Echo,
    /// It is answered with these messages.
    Answer(Vec<Vec<u8>>),
    /// Nothing, yet or at all.
    Leave,
}

impl Reacting {
    pub(crate) fn new(planned: Planned) -> Self {
        Self {
            planned,
            assemblies: BTreeMap::new(),
            unacknowledged: BTreeMap::new(),
        }
    }

    /// What a message that arrives asks for.
    pub(crate) fn turn(&mut self, id: MessageId, payload: &[u8]) -> Turn {
        let plan = Arc::clone(&self.planned.plan);
        let Some(flows) = plan.of(id.flow) else {
            return Turn::Deliver;
        };
        let is_here = flows.kind.origin() == self.planned.side;
        match flows.kind {
            FlowKind::Report | FlowKind::Command => Turn::Deliver,
            FlowKind::RoundTrip | FlowKind::Relay | FlowKind::RelayToAll if is_here => {
                Turn::Deliver
            }
            FlowKind::Relay | FlowKind::RelayToAll if self.planned.is_passed_on => Turn::Leave,
            FlowKind::RoundTrip if self.planned.is_forwarded => Turn::Leave,
            FlowKind::RoundTrip | FlowKind::Relay | FlowKind::RelayToAll => Turn::Echo,
            FlowKind::Pull if is_here => Turn::Deliver,
            FlowKind::Download if is_here => self.take(id, payload, flows),
            FlowKind::Pull | FlowKind::Download => Turn::Answer(self.answers(id, flows)),
        }
    }

    /// Whether what the protocol knows to have arrived is all that there is of the message.
    pub(crate) fn is_all_acknowledged(&mut self, id: MessageId) -> bool {
        let Some(left) = self.unacknowledged.get_mut(&id) else {
            return true;
        };
        *left -= 1;
        let is_all = *left == 0;
        if is_all {
            self.unacknowledged.remove(&id);
        }
        is_all
    }

    /// The host goes off, and forgets what had come.
    pub(crate) fn forget(&mut self) {
        self.assemblies.clear();
        self.unacknowledged.clear();
    }

    fn answers(&mut self, id: MessageId, flows: &PlannedFlows) -> Vec<Vec<u8>> {
        let whole = flows.payload.payload(id.flow, id.number.get());
        if flows.kind == FlowKind::Pull || !self.planned.is_in_parts {
            return vec![whole];
        }
        self.unacknowledged.insert(id, part_count(whole.len()));
        parts(id, &whole).collect()
    }

    /// Takes a download, or a part of it: it is there with its last byte.
    fn take(&mut self, id: MessageId, payload: &[u8], flows: &PlannedFlows) -> Turn {
        let size = flows.payload.size().as_bytes() as usize;
        let is_whole = if self.planned.is_in_parts {
            // One that is begun anew is not mixed with what had come of others of the flow before.
            let assembly = self.assemblies.entry(id).or_default();
            assembly.add(payload, size)
        } else {
            payload.len() == size
        };
        if !is_whole {
            return Turn::Leave;
        }
        self.assemblies.remove(&id);
        Turn::Deliver
    }

    /// Whether a device takes part in anything that needs a reaction.
    pub(crate) fn concerns(plan: &TrafficPlan, device: DeviceId) -> bool {
        let kinds = plan.flows_of(device).filter_map(|flow| plan.of(flow));
        kinds
            .into_iter()
            .any(|flows| matches!(flows.kind, FlowKind::Pull | FlowKind::Download))
    }
}

impl Reaction {
    /// Creates the reaction of a device. Most devices only deliver messages.
    #[must_use]
    pub fn of_device(planned: Planned, device: DeviceId) -> Self {
        if Reacting::concerns(&planned.plan, device) {
            Self::AsPlanned(planned)
        } else {
            Self::DeliverAs(planned.receiver)
        }
    }

    /// As which of the devices that a message is for this end takes it.
    pub(crate) fn receiver(&self) -> u32 {
        match self {
            Self::Deliver => 0,
            Self::DeliverAs(receiver) => *receiver,
            Self::AsPlanned(planned) => planned.receiver,
        }
    }
}
