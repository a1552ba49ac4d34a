use std::collections::VecDeque;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ConnectionId, Established, Transport,
    TransportEvent,
};
use lasthop_units::{Duration, Instant};

use crate::{Device, Secures};

/// An application of a device whose secured connections cost its task a handshake each, and memory as long as they last.
///
/// The keys are computed when the handshake has come to its end, not in between: the sum is the same.
pub struct HandshakeWork {
    application: Box<dyn Application>,
    device: Device,
    secures: Secures,
    /// Its number among the transports of the device, whose memory is counted by them.
    number: usize,
    secured: Vec<ConnectionId>,
    /// What is told of connections whose keys are not computed yet, in the order in which it happened.
    waiting: VecDeque<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    until: Instant,
    connection: ConnectionId,
    event: TransportEvent,
}

impl HandshakeWork {
    /// The same application, over what secures its connections.
    #[must_use]
    pub fn new(application: Box<dyn Application>, device: Device, secures: Secures) -> Self {
        Self {
            application,
            number: device.add_transport(),
            device,
            secures,
            secured: Vec::new(),
            waiting: VecDeque::new(),
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
        (connection, event): (ConnectionId, TransportEvent),
        transport: &dyn Transport,
    ) -> Option<Instant> {
        if let TransportEvent::Established(how) = event {
            self.secured.push(connection);
            self.look(transport);
            let (work, begins) = (self.work(how), self.device.busy_until().max(now));
            return (work > Duration::ZERO).then(|| self.device.begin(begins, work));
        }
        if let TransportEvent::Closed(_) = event {
            self.secured.retain(|it| *it != connection);
            self.look(transport);
        }
        let mut latest = self.waiting.iter().rev();
        let before = latest.find(|it| it.connection == connection)?;
        Some(before.until)
    }

    /// Looks what is in memory; a connection that was reset here is told of no more.
    fn look(&mut self, transport: &dyn Transport) {
        self.secured.retain(|it| transport.peer(*it).is_some());
        let memory = self.device.constraints().heap.secured.as_bytes();
        let used = memory * self.secured.len() as u64;
        self.device.note_used(self.number, used);
        if !self.device.has_room(0) {
            self.device.run_out_of_memory();
        }
    }

    /// Tells what is due.
    fn tell(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(place) = self.waiting.iter().position(|it| it.until <= now) {
            if let Some(due) = self.waiting.remove(place) {
                let told = ApplicationInput::Transport(due.connection, due.event);
                self.application.handle(now, told, transport);
            }
        }
    }
}

impl Application for HandshakeWork {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Transport(connection, event) => {
                if let Some(until) = self.note(now, (connection, event), transport) {
                    self.waiting.push_back(Waiting {
                        until,
                        connection,
                        event,
                    });
                    return;
                }
            }
            ApplicationInput::Crash(_) | ApplicationInput::Stop => {
                self.secured.clear();
                self.waiting.clear();
            }
            ApplicationInput::Timeout => self.tell(now, transport),
            ApplicationInput::Start | ApplicationInput::Send(_) => {}
        }
        self.application.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        match self.application.poll(now, transport) {
            ApplicationOutput::WaitUntil(deadline) => {
                let told = self.waiting.iter().map(|it| it.until);
                ApplicationOutput::WaitUntil(told.chain(deadline).min())
            }
            output => output,
        }
    }
}
