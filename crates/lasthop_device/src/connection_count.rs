use core::cell::Cell;
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, Established, Refusal, Transport,
    TransportEvent,
};
use lasthop_units::Instant;

/// The number of new connections of some applications since the last query.
#[derive(Clone, Debug, Default)]
pub struct ConnectionCount(Rc<Cell<NewConnections>>);

/// Connections by kind of set-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewConnections {
    /// With a full handshake, or without any handshake.
    pub(crate) full: u64,
    /// With a resumed session.
    pub(crate) resumed: u64,
}

/// An application whose connections are counted.
struct Counted {
    application: Box<dyn Application>,
    count: ConnectionCount,
}

impl ConnectionCount {
    /// Wraps an application and counts its connections.
    #[must_use]
    pub fn of(&self, application: Box<dyn Application>) -> Box<dyn Application> {
        Box::new(Counted {
            application,
            count: self.clone(),
        })
    }

    pub(crate) fn take(&self) -> NewConnections {
        self.0.take()
    }

    fn add(&self, how: Established) {
        let mut new = self.0.get();
        match how {
            Established::Full => new.full += 1,
            Established::Resumed | Established::Early => new.resumed += 1,
        }
        self.0.set(new);
    }
}

impl Application for Counted {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        if let ApplicationInput::Transport(_, TransportEvent::Established(how)) = input {
            self.count.add(how);
        }
        self.application.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        self.application.poll(now, transport)
    }

    fn awaits(&self) -> Awaited {
        self.application.awaits()
    }

    fn refusal(&self) -> Option<Refusal> {
        self.application.refusal()
    }
}
