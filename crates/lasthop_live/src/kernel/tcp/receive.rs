use lasthop_contract::{ConnectionId, ReadOutcome, TransportEvent};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::{KernelTcp, READ_SIZE, STREAM};
use crate::kernel::tcp_flow::Unread;

impl KernelTcp {
    /// Returns bytes of a connection that are already read, or `None` if none are left.
    pub(super) fn give_read(&mut self, id: ConnectionId, into: &mut [u8]) -> Option<usize> {
        if self.scratch_of == Some(id) {
            let given = self.scratch.give(into);
            if self.scratch.rest.is_empty() {
                self.scratch_of = None;
            }
            return given;
        }
        let flow = self.flows.get_mut(id)?;
        let unread = flow.unread.as_mut()?;
        let given = unread.give(into);
        if unread.rest.is_empty() {
            flow.unread = None;
        }
        given
    }

    /// Reads from the kernel into the scratch buffer.
    pub(super) fn fill(&mut self, id: ConnectionId) -> Result<ReadOutcome, Errno> {
        // What is left of another connection is kept for it.
        if let Some(other) = self.scratch_of.take()
            && let Some(flow) = self.flows.get_mut(other)
        {
            let bytes = self.scratch.bytes[self.scratch.rest.clone()].to_vec();
            let rest = 0..bytes.len();
            flow.unread = Some(Box::new(Unread { bytes, rest }));
        }
        let Some(flow) = self.flows.get_mut(id) else {
            return Ok(ReadOutcome::Blocked);
        };
        if flow.has_ended {
            return Ok(ReadOutcome::Finished);
        }
        if !flow.may_read {
            return Ok(ReadOutcome::Blocked);
        }
        let read = recv(
            &flow.socket,
            &mut self.scratch.bytes[..],
            RecvFlags::empty(),
        );
        match read.map(|(length, _)| length) {
            Ok(0) => {
                flow.has_ended = true;
                flow.may_read = false;
                if flow.is_over() {
                    self.unflushed.push(id);
                }
                Ok(ReadOutcome::Finished)
            }
            Ok(length) => {
                // A short read has emptied the kernel's buffer; what comes later is told of again.
                flow.may_read = flow.is_ending;
                if length == READ_SIZE {
                    flow.may_read = false;
                    self.resting.push_back(id);
                }
                self.scratch.rest = 0..length;
                self.scratch_of = Some(id);
                Ok(ReadOutcome::Read(length))
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                flow.may_read = false;
                Ok(ReadOutcome::Blocked)
            }
            Err(error) => Err(error),
        }
    }

    /// Starts the turn of the next connection with more bytes to read.
    pub(super) fn end_rest(&mut self) -> bool {
        while let Some(id) = self.resting.pop_front() {
            if let Some(flow) = self.flows.get_mut(id) {
                flow.may_read = true;
                self.emit(id, TransportEvent::Readable(STREAM));
                return true;
            }
        }
        false
    }
}

impl Unread {
    /// Gives some of the rest.
    fn give(&mut self, into: &mut [u8]) -> Option<usize> {
        let length = self.rest.len().min(into.len());
        let end = self.rest.start + length;
        into[..length].copy_from_slice(&self.bytes[self.rest.start..end]);
        self.rest.start = end;
        (length > 0).then_some(length)
    }
}
