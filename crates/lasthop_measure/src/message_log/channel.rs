use std::collections::VecDeque;

use lasthop_contract::DeviceId;

use crate::message_flow::MessageFlow;

/// The flows of one channel, a device each.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    /// Those from the device `first` on.
    pub(super) flows: VecDeque<MessageFlow>,
    pub(super) first: u32,
}

impl Channel {
    /// Where the flow of a device stands, unless it is forgotten.
    #[inline]
    pub(super) fn place(&self, device: DeviceId) -> Option<usize> {
        Some(device.0.checked_sub(self.first)? as usize)
    }

    /// Whether the flow of a device has its place already.
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
