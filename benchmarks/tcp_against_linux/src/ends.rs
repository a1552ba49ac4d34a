//! The workloads as applications of ours.

use core::cell::RefCell;
use core::net::SocketAddr;
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, ConnectionId, Layer,
    Provenance, ReadOutcome, Transport, TransportEvent,
};
use lasthop_transport::Tcp;
use lasthop_units::Instant;

use crate::{Flow, Workload};

/// When things happened to a flow. It begins at 0, when the client opens the connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// When the client's connection was there.
    pub established: Option<Instant>,
    /// When the last byte of each write was read, and the end of the stream where it matters.
    pub arrivals: Vec<Instant>,
}

/// The client: connects and writes.
pub(crate) struct Sender {
    server: SocketAddr,
    workload: Workload,
    connection: Option<ConnectionId>,
    written: usize,
    times: Rc<RefCell<Times>>,
}

/// The server: reads.
pub(crate) struct Receiver {
    workload: Workload,
    read: usize,
    buffer: Box<[u8]>,
    times: Rc<RefCell<Times>>,
}

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

static ZEROS: [u8; 1_000_000] = [0; 1_000_000];

impl Sender {
    pub(crate) fn new(server: SocketAddr, workload: Workload, times: Rc<RefCell<Times>>) -> Self {
        Self {
            server,
            workload,
            connection: None,
            written: 0,
            times,
        }
    }

    /// Writes what is due and the transport takes.
    fn write(&mut self, now: Instant, transport: &mut dyn Transport) {
        let established = self.times.borrow().established;
        let (Some(connection), Some(established)) = (self.connection, established) else {
            return;
        };
        let due = self.workload.written_after(now - established);
        while self.written < due {
            let size = self.workload.write_size() - self.written % self.workload.write_size();
            let chunk = Chunk {
                bytes: &ZEROS[..size],
                provenance: PAYLOAD,
            };
            match transport.write(now, connection, Tcp::STREAM, &[chunk]) {
                Ok(taken) if taken > 0 => self.written += taken,
                _ => return,
            }
        }
        if self.workload.ends_stream() && self.written == self.workload.total_size() {
            transport.finish(now, connection, Tcp::STREAM);
        }
    }

    /// When the next write is due, unless it waits for room.
    fn next_write(&self) -> Option<Instant> {
        let established = self.times.borrow().established?;
        let whole = self.written.is_multiple_of(self.workload.write_size());
        let writes = self.written / self.workload.write_size();
        let is_due_later = whole && writes > 0 && writes < self.workload.writes();
        is_due_later.then(|| established + self.workload.due(writes))
    }
}

impl Application for Sender {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => {
                self.connection = transport.open(now, self.server, &[]).ok();
            }
            ApplicationInput::Transport(_, TransportEvent::Established(_)) => {
                self.times.borrow_mut().established = Some(now);
                self.write(now, transport);
            }
            _ => self.write(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(self.next_write())
    }
}

impl Receiver {
    pub(crate) fn new(workload: Workload, times: Rc<RefCell<Times>>) -> Self {
        Self {
            workload,
            read: 0,
            buffer: vec![0; 1 << 16].into_boxed_slice(),
            times,
        }
    }
}

impl Application for Receiver {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => {
                // No other application of this host takes a port.
                let _ = transport.listen(Flow::SERVER_PORT);
            }
            ApplicationInput::Transport(connection, TransportEvent::Readable(stream)) => {
                let mut is_finished = false;
                loop {
                    match transport.read(now, connection, stream, &mut self.buffer) {
                        Ok(ReadOutcome::Read(length)) => self.read += length,
                        Ok(ReadOutcome::Finished) => break is_finished = true,
                        _ => break,
                    }
                }
                let whole = self.read / self.workload.write_size();
                let end = usize::from(self.workload.ends_stream() && is_finished);
                self.times.borrow_mut().arrivals.resize(whole + end, now);
            }
            _ => {}
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(None)
    }
}
