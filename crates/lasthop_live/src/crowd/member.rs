use core::cell::{Cell, RefCell};
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Host, HostEvent, HostInput, HostOutput,
    Transport,
};
use lasthop_units::Instant;
use lasthop_world::SocketDevice;

use super::Carrier;
use super::portal::{Inbox, Portal};

/// A client: what it says and hears, or a device that does.
pub(super) enum Member {
    /// It has as much as it needs.
    Plain(Box<dyn Application>),
    /// It has little of everything, but sockets of the kernel.
    Device(Device),
}

/// A host of its own on the transport of all.
pub(super) struct Device {
    host: Box<dyn Host>,
    inbox: Inbox,
    is_ready: Rc<Cell<bool>>,
}

/// An application of which one is told that it is ready, whatever stands around it.
struct Telling {
    application: Box<dyn Application>,
    is_ready: Rc<Cell<bool>>,
}

impl Device {
    pub(super) fn new(
        device: SocketDevice,
        application: Box<dyn Application>,
        (carrier, owner): (Rc<RefCell<Carrier>>, u32),
    ) -> Self {
        let (inbox, is_ready) = (Inbox::default(), Rc::new(Cell::new(false)));
        let portal = Portal::new(carrier, owner, Rc::clone(&inbox));
        let telling = Telling {
            application,
            is_ready: Rc::clone(&is_ready),
        };
        Self {
            host: device.host(Box::new(portal), Box::new(telling)),
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

    /// What it has to tell, or until when it waits; nothing else leaves it but by the kernel.
    pub(super) fn poll(&mut self, at: Instant) -> Result<HostEvent, Option<Instant>> {
        loop {
            match self.host.poll(at) {
                HostOutput::Event(event) => return Ok(event),
                HostOutput::WaitUntil(deadline) => return Err(deadline),
                HostOutput::Transmit { .. } | HostOutput::Discard { .. } => {}
            }
        }
    }

    /// Whether it has become ready since it was asked.
    pub(super) fn take_ready(&self) -> bool {
        self.is_ready.take()
    }
}

impl Application for Telling {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.application.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        let output = self.application.poll(now, transport);
        if let ApplicationOutput::Ready(..) = output {
            self.is_ready.set(true);
        }
        output
    }
}
