use lasthop_contract::{CloseReason, TransportEvent};
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, send, shutdown};

use super::{KernelTcp, STREAM};
use crate::kernel::tcp_flow::Phase;

/// A buffer that grew larger is not kept.
const SPARE_SIZE: usize = 4 << 10;
const SPARE_BUFFERS: usize = 64;

impl KernelTcp {
    /// Writes queued bytes to the kernel. Returns whether there are events to take.
    pub(super) fn flush(&mut self) -> bool {
        while let Some(id) = self.unflushed.pop() {
            let Some(flow) = self.flows.get_mut(id) else {
                continue;
            };
            if flow.phase == Phase::Broken {
                self.end(id, CloseReason::PeerReset);
                continue;
            }
            let sending = &mut flow.sending;
            if flow.phase == Phase::Connecting || sending.is_blocked {
                continue;
            }
            if !sending.waiting.is_empty() {
                match send(&flow.socket, &sending.waiting, SendFlags::NOSIGNAL) {
                    Ok(sent) if sent < sending.waiting.len() => {
                        sending.waiting.drain(..sent);
                        sending.is_blocked = true;
                    }
                    Ok(_) => recycle(&mut self.spare, &mut sending.waiting),
                    Err(Errno::AGAIN) => sending.is_blocked = true,
                    Err(Errno::INTR) => self.unflushed.push(id),
                    Err(error) => {
                        self.broken(id, error);
                        continue;
                    }
                }
            }
            if sending.waiting.is_empty() {
                let is_awaited = core::mem::take(&mut sending.is_awaited);
                if flow.is_over() && !is_awaited {
                    // What is closed needs no word of its end before that.
                    self.end(id, CloseReason::Finished);
                    continue;
                }
                if flow.sending.is_finished {
                    let _ = shutdown(&flow.socket, Shutdown::Write);
                }
                if is_awaited {
                    self.emit(id, TransportEvent::Writable(STREAM));
                }
            }
        }
        !self.outputs.is_empty()
    }
}

/// Keeps a buffer for the next one who has something to send.
fn recycle(spare: &mut Vec<Vec<u8>>, buffer: &mut Vec<u8>) {
    let mut buffer = core::mem::take(buffer);
    if buffer.capacity() <= SPARE_SIZE && spare.len() < SPARE_BUFFERS {
        buffer.clear();
        spare.push(buffer);
    }
}
