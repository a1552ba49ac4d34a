use lasthop_contract::{ConnectionId, DiscardReason};

use super::{DeviceTransport, Waits};
use crate::arrival::{Arrival, What};

/// What lies in memory, and what there is no room for.
impl DeviceTransport {
    /// Returns why a packet is refused, if there is no room for it.
    pub(super) fn refusal(&mut self, arrival: Arrival) -> Option<DiscardReason> {
        let constraints = self.device.constraints();
        let (mailbox, heap) = (constraints.mailbox.get() as usize, constraints.heap);
        let bytes = match arrival.what {
            What::Other => return None,
            What::Opening => {
                let most = constraints.connections.get();
                self.look();
                if self.held.connections >= most {
                    return Some(DiscardReason::BacklogFull);
                }
                heap.connection.as_bytes()
            }
            What::Segment(bytes) => {
                // One more is held by the connection itself (`refused_data` of lwIP).
                if self.mailboxes.waiting(arrival.peer) > mailbox {
                    return Some(DiscardReason::MailboxFull);
                }
                heap.segment.as_bytes() + bytes as u64
            }
            What::Datagram(bytes) => {
                if self.datagrams_waiting() >= mailbox {
                    return Some(DiscardReason::MailboxFull);
                }
                heap.segment.as_bytes() + bytes as u64
            }
        };
        (!self.device.has_room(bytes)).then_some(DiscardReason::NoMemory)
    }

    fn datagrams_waiting(&self) -> usize {
        let is_one = |(_, what): &&(ConnectionId, Waits)| *what == Waits::Datagram;
        self.waiting.iter().filter(is_one).count()
    }

    /// Updates the memory use of the transport.
    pub(super) fn look(&mut self) {
        self.held = self.inner.held();
        if self.held.unread_bytes == 0 {
            self.mailboxes.clear();
        }
        let heap = &self.device.constraints().heap;
        let segments = self.mailboxes.segments() + self.datagrams_waiting() as u64;
        let readers = self.readers.held();
        let used = heap.connection.as_bytes() * u64::from(self.held.connections)
            + heap.segment.as_bytes() * segments
            + self.held.unread_bytes
            + self.held.written_bytes
            + readers;
        self.device.note_used(&mut self.used, used);
    }

    /// Updates the memory use after a write. If memory is exhausted, the device crashes.
    pub(super) fn note_written(&mut self) {
        self.look();
        if !self.device.has_room(0) {
            self.device.run_out_of_memory();
        }
    }
}
