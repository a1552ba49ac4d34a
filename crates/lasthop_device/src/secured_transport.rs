mod early_writes;
mod layer;

use std::collections::VecDeque;

use lasthop_contract::{ConnectionId, Established, Transport, TransportEvent, TransportOutput};
use lasthop_units::{Duration, Instant};

use crate::{Device, Secures};
use early_writes::EarlyWrites;

/// The security layer of a device. Each connection costs the task a handshake, and memory while it is open.
///
/// The keys are computed when the handshake has come to its end, not in between: the sum is the same. Until then nothing is
/// told above of the connection, and datagrams for it wait.
pub struct SecuredTransport {
    inner: Box<dyn Transport>,
    device: Device,
    secures: Secures,
    /// How much of the device's memory it uses.
    used: u64,
    secured: Vec<ConnectionId>,
    /// What is told of connections whose keys are not computed yet, in the order in which it happened.
    waiting: VecDeque<Waiting>,
    early_writes: EarlyWrites,
    inner_deadline: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    until: Instant,
    connection: ConnectionId,
    event: TransportEvent,
}

impl SecuredTransport {
    /// Wraps a transport that secures the connections of a device.
    #[must_use]
    pub fn new(inner: Box<dyn Transport>, device: Device, secures: Secures) -> Self {
        Self {
            inner,
            used: 0,
            device,
            secures,
            secured: Vec::new(),
            waiting: VecDeque::new(),
            early_writes: EarlyWrites::default(),
            inner_deadline: None,
        }
    }

    /// How long a handshake takes.
    fn work(&self, how: Established) -> Duration {
        let constraints = self.device.constraints();
        match (how, self.secures) {
            (Established::Full, Secures::ByCertificates) => constraints.handshake_time,
            _ => constraints.resumption_time,
        }
    }

    /// Notes what happens to a connection; until when it is not told, where that is later than now.
    fn note(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
    ) -> Option<Instant> {
        if let TransportEvent::Established(how) = event {
            self.secured.push(connection);
            self.look();
            let (work, begins) = (self.work(how), self.device.busy_until().max(now));
            return (work > Duration::ZERO).then(|| self.device.begin(begins, work));
        }
        if let TransportEvent::Closed(_) = event {
            self.secured.retain(|it| *it != connection);
            self.look();
        }
        let mut latest = self.waiting.iter().rev();
        let before = latest.find(|it| it.connection == connection)?;
        Some(before.until)
    }

    /// Looks what is in memory; a connection that was reset here is told of no more.
    fn look(&mut self) {
        self.secured.retain(|it| self.inner.peer(*it).is_some());
        let memory = self.device.constraints().heap.secured.as_bytes();
        let used = memory * self.secured.len() as u64;
        self.device.note_used(&mut self.used, used);
        if !self.device.has_room(0) {
            self.device.run_out_of_memory();
        }
    }

    /// Tells of a connection. With its keys what was said before them leaves.
    fn tell(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
    ) -> TransportOutput {
        match event {
            TransportEvent::Established(_) => {
                self.early_writes.leave(now, connection, &mut *self.inner);
            }
            TransportEvent::Closed(_) => self.early_writes.forget(connection),
            _ => {}
        }
        TransportOutput::Event(connection, event)
    }

    fn advance(&mut self, now: Instant) -> TransportOutput {
        loop {
            let due = self.waiting.iter().position(|it| it.until <= now);
            if let Some(it) = due.and_then(|place| self.waiting.remove(place)) {
                return self.tell(now, it.connection, it.event);
            }
            match self.inner.poll(now) {
                TransportOutput::Event(connection, event) => {
                    let Some(until) = self.note(now, connection, event) else {
                        return self.tell(now, connection, event);
                    };
                    self.waiting.push_back(Waiting {
                        until,
                        connection,
                        event,
                    });
                }
                TransportOutput::WaitUntil(deadline) => {
                    self.inner_deadline = deadline;
                    let told = self.waiting.iter().map(|it| it.until);
                    return TransportOutput::WaitUntil(told.chain(deadline).min());
                }
                output => return output,
            }
        }
    }

    /// Nobody is told any more of a connection.
    fn drop_untold(&mut self, connection: ConnectionId) {
        self.waiting.retain(|it| it.connection != connection);
        self.early_writes.forget(connection);
    }

    fn forget_all(&mut self) {
        self.device.note_used(&mut self.used, 0);
        self.secured.clear();
        self.waiting.clear();
        self.early_writes = EarlyWrites::default();
    }
}
