use std::collections::VecDeque;

use lasthop_contract::DeviceId;

use crate::message_flow::MessageFlow;

/// The flows of one channel, one for each device.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    /// The flows from device `first` on.
    pub(super) flows: VecDeque<MessageFlow>,
    pub(super) first: u32,
}

impl Channel {
    /// Returns the index of a device's flow, unless it was removed.
    #[inline]
    pub(super) fn place(&self, device: DeviceId) -> Option<usize> {
        Some(device.0.checked_sub(self.first)? as usize)
    }

    /// Whether the flow of a device has an index.
    #[inline]
    pub(super) fn has_room(&self, device: DeviceId) -> bool {
        self.place(device)
            .is_some_and(|place| place < self.flows.len())
    }

    pub(super) fn forget_closed(&mut self) {
        while self.flows.pop_front_if(|flow| flow.is_closed).is_some() {
            self.first += 1;
        }
    }
}
