use std::collections::VecDeque;

use lasthop_contract::{ConnectionId, Payload};

use crate::codec::Message;

/// Requests that wait until it is known whether their clients are who they say.
#[derive(Debug, Default)]
pub(super) struct Unchecked {
    requests: VecDeque<(ConnectionId, Message, Payload)>,
    /// How many checks were over when the first of them began to wait.
    since: u64,
}

/// So many wait; clients of further ones are told to come again.
const MOST: usize = 256;

impl Unchecked {
    /// Lets a request wait, if there is room; so many checks were over before its client was asked about.
    pub(super) fn add(
        &mut self,
        checks_done: u64,
        connection: ConnectionId,
        message: &Message,
        datagram: Payload,
    ) -> bool {
        if self.requests.len() >= MOST {
            return false;
        }
        if self.requests.is_empty() {
            self.since = checks_done;
        }
        let message = message.clone();
        self.requests.push_back((connection, message, datagram));
        true
    }

    /// Takes those that waited, where checks are over since.
    pub(super) fn take(&mut self, checks_done: u64) -> VecDeque<(ConnectionId, Message, Payload)> {
        if self.since == checks_done {
            return VecDeque::new();
        }
        core::mem::take(&mut self.requests)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.requests.retain(|(waiting, ..)| *waiting != connection);
    }
}
