use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, HostEvent, HostOutput, Transport,
    TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use crate::{Column, HostNetwork, Routes, TransportSet};

/// An application of a host over its transports: a server, a client, or both.
pub struct Service {
    application: Box<dyn Application>,
    columns: Vec<Column>,
}

/// A service at work.
pub(crate) struct Running {
    transport: Box<dyn Transport>,
    application: Box<dyn Application>,
    /// [`AT_ONCE`] while it may have something to say, as the next one.
    transport_deadline: Instant,
    application_deadline: Instant,
}

const AT_ONCE: Instant = Instant::ZERO;

/// Packs a deadline into one word: [`Instant::FAR_FUTURE`] for none.
///
/// A deadline at that instant is stored as the instant before.
#[inline]
fn packed(deadline: Option<Instant>) -> Instant {
    const LAST: Instant = Instant::from_nanos(u64::MAX - 1);
    deadline.map_or(Instant::FAR_FUTURE, |at| at.min(LAST))
}

/// A host waits for a deadline of this form.
#[inline]
pub(crate) fn wait_until(deadline: Instant) -> HostOutput {
    HostOutput::WaitUntil((deadline < Instant::FAR_FUTURE).then_some(deadline))
}

impl Service {
    /// Creates a service: an application over transports, indexed by their order ([`TransportSet`]).
    #[must_use]
    pub fn new(application: Box<dyn Application>, columns: Vec<Column>) -> Self {
        Self {
            application,
            columns,
        }
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn start(self, network: &HostNetwork) -> Running {
        let mut columns = self.columns;
        let transport = match columns.pop() {
            Some(only) if columns.is_empty() && !only.is_settled() => only.transport,
            last => {
                columns.extend(last);
                Box::new(TransportSet::new(network, columns))
            }
        };
        Running::new(transport, self.application)
    }
}

impl Running {
    pub(crate) fn new(transport: Box<dyn Transport>, application: Box<dyn Application>) -> Self {
        Self {
            transport,
            application,
            transport_deadline: Instant::FAR_FUTURE,
            application_deadline: AT_ONCE,
        }
    }

    /// Tells the transport something.
    #[inline]
    pub(crate) fn hand(&mut self, now: Instant, input: TransportInput) {
        self.transport_deadline = AT_ONCE;
        self.transport.handle(now, input);
    }

    /// Tells the application something.
    #[inline]
    pub(crate) fn inform(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.wake();
        self.application.handle(now, input, &mut *self.transport);
    }

    /// Has the application asked what it has to do.
    #[inline]
    pub(crate) fn wake(&mut self) {
        self.application_deadline = AT_ONCE;
        self.transport_deadline = AT_ONCE;
    }

    /// Has the transport asked: something may have come to it from outside the run.
    pub(crate) fn look(&mut self) {
        self.transport_deadline = AT_ONCE;
    }

    #[inline]
    pub(crate) fn timeout(&mut self, now: Instant) {
        if self.transport_deadline <= now {
            self.hand(now, TransportInput::Timeout);
        }
        if self.application_deadline <= now {
            self.inform(now, ApplicationInput::Timeout);
        }
    }

    /// Lets the application and the transport talk to each other until one has something for the outside, or both wait.
    ///
    /// The application comes first: what it says of a message precedes the packets that carry it.
    #[expect(clippy::inline_always, reason = "it is the loop of every host")]
    #[inline(always)]
    pub(crate) fn advance(&mut self, now: Instant, routes: &Routes) -> HostOutput {
        loop {
            if self.application_deadline <= now {
                match self.application.poll(now, &mut *self.transport) {
                    ApplicationOutput::Event(event) => {
                        return HostOutput::Event(HostEvent::Message(event));
                    }
                    // The outermost application is the traffic, which keeps these to itself.
                    ApplicationOutput::Ready(..) | ApplicationOutput::Received(_) => continue,
                    ApplicationOutput::WaitUntil(deadline) => {
                        self.application_deadline = packed(deadline);
                    }
                }
            }
            match self.transport.poll(now) {
                TransportOutput::Transmit(packet) => {
                    let interface = routes.interface_of(&packet);
                    return HostOutput::Transmit { interface, packet };
                }
                TransportOutput::Event(connection, event) => {
                    self.inform(now, ApplicationInput::Transport(connection, event));
                }
                TransportOutput::Discard(packet, reason) => {
                    return HostOutput::Event(HostEvent::Discarded { packet, reason });
                }
                TransportOutput::Evicted => return HostOutput::Event(HostEvent::Evicted),
                TransportOutput::WaitUntil(deadline) => {
                    self.transport_deadline = packed(deadline);
                    return wait_until(self.deadline());
                }
            }
        }
    }

    /// The same for one of several: nothing where it waits.
    pub(crate) fn advance_in_turn(&mut self, now: Instant, routes: &Routes) -> Option<HostOutput> {
        let output = self.advance(now, routes);
        (!matches!(output, HostOutput::WaitUntil(_))).then_some(output)
    }

    /// Whether it may have something to say.
    #[inline]
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.deadline() <= now
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Instant {
        self.transport_deadline.min(self.application_deadline)
    }
}
