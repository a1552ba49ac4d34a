use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, Expectation, Packet, Refusal,
    Transport, TransportInput, TransportOutput, forward_transport,
};
use lasthop_units::Instant;

/// Release assistance for the radio of a device: the device declares with the last packet of an exchange what it
/// expects next.
///
/// This needs an answer from all clients of the device.
///
/// A packet is held back until its client has nothing else to say at that instant, so it has seen what came with it.
#[derive(Clone, Debug, Default)]
pub struct ReleaseAssistance {
    clients: Rc<RefCell<Vec<Client>>>,
}

#[derive(Clone, Copy, Debug)]
struct Client {
    awaited: Awaited,
    /// Its transport has nothing under way by itself.
    is_quiet: bool,
}

/// The transport of a client.
struct Telling {
    transport: Box<dyn Transport>,
    of_device: ReleaseAssistance,
    place: usize,
    held: Option<Packet>,
}

/// The application of a client.
struct Asked {
    application: Box<dyn Application>,
    of_device: ReleaseAssistance,
    place: usize,
}

impl ReleaseAssistance {
    /// Creates release assistance for a device without clients.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a client. Returns its transport and its application, which now report what they expect.
    #[must_use]
    pub fn of(
        &self,
        transport: Box<dyn Transport>,
        application: Box<dyn Application>,
    ) -> (Box<dyn Transport>, Box<dyn Application>) {
        let mut clients = self.clients.borrow_mut();
        let place = clients.len();
        clients.push(Client {
            awaited: Awaited::Nothing,
            is_quiet: true,
        });
        let transport = Telling {
            transport,
            of_device: self.clone(),
            place,
            held: None,
        };
        let application = Asked {
            application,
            of_device: self.clone(),
            place,
        };
        (Box::new(transport), Box::new(application))
    }

    fn are_others_quiet(&self, place: usize) -> bool {
        let clients = self.clients.borrow();
        let mut others = clients.iter().enumerate().filter(|(it, _)| *it != place);
        others.all(|(_, client)| client.is_quiet && client.awaited == Awaited::Nothing)
    }
}

impl Telling {
    fn expectation_now(&self) -> Option<Expectation> {
        let awaited = self.of_device.clients.borrow()[self.place].awaited;
        let expectation = self.transport.expectation(awaited)?;
        (self.of_device.are_others_quiet(self.place)).then_some(expectation)
    }

    /// Gives the last packet of a turn.
    fn release(&self, mut packet: Packet) -> TransportOutput {
        if packet.expectation().is_none()
            && let Some(expectation) = self.expectation_now()
        {
            packet.expect(expectation);
        }
        TransportOutput::Transmit(packet)
    }
}

impl Transport for Telling {
    forward_transport! {
        self => self.transport;
        open_with listen join initial_stream own_stream open_stream write read send_datagram expect expectation
        receive_datagram finish reset_stream prioritise outlast_streams close reset forget unanswered peer held
        local_address
    }

    fn handle(&mut self, now: Instant, input: TransportInput) {
        if let TransportInput::Crash(_) = input {
            self.held = None;
        }
        self.transport.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            match self.transport.poll(now) {
                TransportOutput::Transmit(packet) => {
                    if let Some(before) = self.held.replace(packet) {
                        return TransportOutput::Transmit(before);
                    }
                }
                TransportOutput::WaitUntil(deadline) => {
                    let quiet = Some(Expectation::NothingMore);
                    let is_quiet = self.transport.expectation(Awaited::Nothing) == quiet;
                    self.of_device.clients.borrow_mut()[self.place].is_quiet = is_quiet;
                    return match self.held.take() {
                        Some(packet) => self.release(packet),
                        None => TransportOutput::WaitUntil(deadline),
                    };
                }
                output => return output,
            }
        }
    }
}

impl Application for Asked {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.application.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        let output = self.application.poll(now, transport);
        if let ApplicationOutput::WaitUntil(_) = output {
            let awaited = self.application.awaits();
            self.of_device.clients.borrow_mut()[self.place].awaited = awaited;
        }
        output
    }

    fn awaits(&self) -> Awaited {
        self.application.awaits()
    }

    fn refusal(&self) -> Option<Refusal> {
        self.application.refusal()
    }
}
