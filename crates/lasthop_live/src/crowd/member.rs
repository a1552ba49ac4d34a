use core::cell::{Cell, RefCell};
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Host, HostEvent, HostInput, HostOutput,
    MessageEvent, Transport, TransportEvent,
};
use lasthop_units::Instant;
use lasthop_world::SocketHost;

use super::Carrier;
use super::crowd_listener::CrowdClient;
use super::crowd_socket::{CrowdSocket, Inbox};

/// A client of the crowd: an application, or a host with an application.
pub(super) enum Member {
    /// An application on the shared transport.
    Plain(Box<dyn Application>),
    /// A host with its own layers or constrained resources on the shared transport.
    Hosted(Hosted),
    /// A client that panicked and has ended.
    Failed,
}

/// A host on the shared transport.
pub(super) struct Hosted {
    host: Box<dyn Host>,
    inbox: Inbox,
    is_ready: Rc<Cell<bool>>,
}

/// An application wrapper that reports readiness and the server's answers to the crowd.
pub(super) struct Telling {
    application: Box<dyn Application>,
    is_ready: Rc<Cell<bool>>,
    crowd_client: CrowdClient,
}

impl Hosted {
    pub(super) fn new(
        host: SocketHost<'_>,
        (carrier, owner): (Rc<RefCell<Carrier>>, u32),
        crowd_client: CrowdClient,
    ) -> Self {
        let (inbox, is_ready) = (Inbox::default(), Rc::new(Cell::new(false)));
        let crowd_socket = CrowdSocket::new(carrier, owner, Rc::clone(&inbox));
        let telling = |application| -> Box<dyn Application> {
            Box::new(Telling {
                is_ready: Rc::clone(&is_ready),
                ..Telling::of(application, crowd_client)
            })
        };
        Self {
            host: host.on(Box::new(crowd_socket), telling),
            inbox,
            is_ready,
        }
    }

    pub(super) fn handle(&mut self, at: Instant, input: ApplicationInput<'_>) {
        let input = match input {
            ApplicationInput::Start => HostInput::Start,
            ApplicationInput::Stop => HostInput::Stop,
            ApplicationInput::Crash(survives) => HostInput::Crash(survives),
            ApplicationInput::Transport(connection, event) => {
                self.inbox.borrow_mut().push_back((connection, event));
                HostInput::Timeout
            }
            ApplicationInput::Timeout | ApplicationInput::Send(_) => HostInput::Timeout,
        };
        self.host.handle(at, input);
    }

    /// Returns the next event, or the next deadline. All other output goes through the kernel.
    pub(super) fn poll(&mut self, at: Instant) -> Result<HostEvent, Option<Instant>> {
        loop {
            match self.host.poll(at) {
                HostOutput::Event(event) => return Ok(event),
                HostOutput::WaitUntil(deadline) => return Err(deadline),
                HostOutput::Transmit { .. } | HostOutput::Discard { .. } => {}
            }
        }
    }

    /// Whether the application has become ready since the last call.
    pub(super) fn take_ready(&self) -> bool {
        self.is_ready.take()
    }
}

impl Telling {
    pub(super) fn of(application: Box<dyn Application>, crowd_client: CrowdClient) -> Self {
        Self {
            application,
            is_ready: Rc::default(),
            crowd_client,
        }
    }
}

impl Application for Telling {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Transport(_, TransportEvent::Established(_)) => {
                self.crowd_client.is_heard();
            }
            ApplicationInput::Transport(_, TransportEvent::Closed(reason)) => {
                self.crowd_client.is_refused(reason);
            }
            // Whose connection ends after that has ended it.
            ApplicationInput::Stop => self.crowd_client.leaves(),
            _ => {}
        }
        self.application.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        let output = self.application.poll(now, transport);
        match &output {
            ApplicationOutput::Ready(..) => {
                self.is_ready.set(true);
                self.crowd_client.goes_in();
            }
            ApplicationOutput::Received(_)
            | ApplicationOutput::Event(MessageEvent::Delivered { .. }) => {
                self.crowd_client.goes_in();
            }
            ApplicationOutput::Event(MessageEvent::Transmitted { .. }) => {
                self.crowd_client.goes_in();
            }
            ApplicationOutput::Event(MessageEvent::Acknowledged { .. }) => {
                self.crowd_client.is_answered();
            }
            ApplicationOutput::WaitUntil(_) => {
                if let Some(refusal) = self.application.refusal() {
                    self.crowd_client.is_turned_away(refusal);
                }
            }
            ApplicationOutput::Event(_) => {}
        }
        output
    }
}
