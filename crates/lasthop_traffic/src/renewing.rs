use core::num::NonZeroU32;
use std::collections::VecDeque;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ChannelSet, ConnectionId, DeviceId,
    MessageEvent, MessageId, OutgoingMessage, ResetReason, SessionChange, SessionEvent, ShortQueue,
    Survives, Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};

/// A device's client over secured datagrams that renews its session after a number of messages or a time.
///
/// Each session begins with a message.
///
/// The reports of the device count as messages. A report is finished when it was acknowledged or given up, or, without
/// acknowledgements, when it was sent.
#[derive(Debug)]
pub struct Renewing<P> {
    protocol: P,
    device: DeviceId,
    renewal: Renewal,
    acknowledges: bool,
    state: State,
    /// The connection that was ended here; that it is closed is no news.
    left: Option<ConnectionId>,
    is_ready: bool,
    /// Messages of this session, and those of them that are not done with.
    sent: u32,
    in_flight: u32,
    waiting: VecDeque<(MessageId, bool, Box<[u8]>)>,
    outputs: ShortQueue<ApplicationOutput>,
}

/// When a session is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// After this number of messages, once all messages sent in the meantime have finished.
    Messages(NonZeroU32),
    /// After this time.
    Time(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There is none; another is tried at this instant, or with the next message.
    Away(Option<Instant>),
    /// It is tried, since then.
    Trying(Instant),
    /// It is there; it ends at this instant, or with its last message.
    There(ConnectionId, Option<Instant>),
    /// The connection is gone, and the protocol has not yet given up what went by it.
    Gone,
}

/// How long after a session that failed the next one is tried.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl<P: Application> Renewing<P> {
    /// Creates the client of a device. `acknowledges` tells whether the protocol acknowledges messages.
    pub const fn new(protocol: P, device: DeviceId, renewal: Renewal, acknowledges: bool) -> Self {
        Self {
            protocol,
            device,
            renewal,
            acknowledges,
            state: State::Away(None),
            left: None,
            is_ready: false,
            sent: 0,
            in_flight: 0,
            waiting: VecDeque::new(),
            outputs: ShortQueue::new(),
        }
    }

    fn tell(&mut self, change: SessionChange) {
        let device = self.device;
        let event = MessageEvent::Session(SessionEvent { device, change });
        self.outputs.push(ApplicationOutput::Event(event));
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        match self.renewal {
            Renewal::Messages(_) => {
                let ready = ApplicationOutput::Ready(self.device, ChannelSet::ALL);
                self.outputs.push(ready);
            }
            Renewal::Time(_) => self.begin(now, transport),
        }
    }

    fn begin(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.tell(SessionChange::Tried { again: false });
        self.state = State::Trying(now);
        (self.sent, self.in_flight) = (0, 0);
        let start = ApplicationInput::Start;
        self.protocol.handle(now, start, transport);
    }

    /// There is no session any more; the protocol forgets what it knows of it.
    fn end(&mut self, now: Instant, next: Option<Instant>, transport: &mut dyn Transport) {
        let nothing = ApplicationInput::Crash(Survives::default());
        self.protocol.handle(now, nothing, transport);
        self.is_ready = false;
        self.state = State::Away(next);
    }

    /// When another session is tried behind one that ends now.
    fn next(&self, at: Instant) -> Option<Instant> {
        let is_wanted = matches!(self.renewal, Renewal::Time(_)) || !self.waiting.is_empty();
        is_wanted.then_some(at)
    }

    fn note(&mut self, now: Instant, connection: ConnectionId, event: TransportEvent) {
        match (event, self.state) {
            (TransportEvent::Established(how), State::Trying(since)) => {
                let end = match self.renewal {
                    Renewal::Messages(_) => None,
                    Renewal::Time(span) => Some(now + span),
                };
                self.state = State::There(connection, end);
                self.tell(SessionChange::SetUp { since, how });
            }
            (TransportEvent::Closed(_), _) if self.left == Some(connection) => self.left = None,
            (TransportEvent::Closed(_), State::Trying(_) | State::There(..)) => {
                self.state = State::Gone;
                self.tell(SessionChange::Lost);
            }
            _ => {}
        }
    }

    /// Whether the session has had as many messages as it is for.
    fn is_full(&self) -> bool {
        matches!(self.renewal, Renewal::Messages(most) if self.sent >= most.get())
    }

    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let is_open = matches!(self.state, State::Trying(_) | State::There(..));
        if is_open && self.is_ready {
            return self.pass_on(now, message, transport);
        }
        let waiting = (message.id, message.asks, message.payload.into());
        self.waiting.push_back(waiting);
        if self.state == State::Away(None) {
            self.begin(now, transport);
        }
    }

    fn pass_on(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        self.sent += 1;
        self.in_flight += 1;
        let send = ApplicationInput::Send(message);
        self.protocol.handle(now, send, transport);
    }

    fn pass_on_waiting(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some((id, asks, payload)) = self.waiting.pop_front() {
            let payload = &payload;
            let message = OutgoingMessage { id, payload, asks };
            self.pass_on(now, message, transport);
        }
    }

    /// Ends a session that is done with and begins one that is due; whether there was anything to do.
    fn settle(&mut self, now: Instant, transport: &mut dyn Transport) -> bool {
        match self.state {
            State::There(connection, end)
                if self.in_flight == 0 && (self.is_full() || end.is_some_and(|at| at <= now)) =>
            {
                self.left = Some(connection);
                let next = self.next(now);
                self.end(now, next, transport);
                transport.reset(now, connection, ResetReason::NotNeeded);
                self.tell(SessionChange::Lost);
            }
            State::Gone if self.in_flight == 0 => {
                let next = self.next(now + RETRY_DELAY);
                self.end(now, next, transport);
            }
            State::Away(Some(at)) if at <= now => self.begin(now, transport),
            _ => return false,
        }
        true
    }

    fn attend(&mut self, event: MessageEvent) {
        let is_done = match event {
            MessageEvent::Acknowledged { .. } | MessageEvent::Failed { .. } => true,
            MessageEvent::Transmitted { last, .. } => last && !self.acknowledges,
            _ => false,
        };
        if is_done {
            self.in_flight = self.in_flight.saturating_sub(1);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        match self.state {
            State::Away(at) => at,
            State::There(_, end) if self.in_flight == 0 => end,
            _ => None,
        }
    }
}

impl<P: Application> Application for Renewing<P> {
    /// What ends a session has to be sent.
    fn awaits(&self) -> Awaited {
        match self.state {
            State::Away(None) => Awaited::Nothing,
            State::There(_, Some(_)) if self.waiting.is_empty() => self.protocol.awaits(),
            _ => Awaited::More,
        }
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => return self.start(now, transport),
            ApplicationInput::Send(message) => return self.send(now, message, transport),
            ApplicationInput::Stop | ApplicationInput::Crash(_) => {
                if matches!(self.state, State::Trying(_) | State::There(..)) {
                    self.tell(SessionChange::Lost);
                }
                self.state = State::Away(None);
                self.is_ready = false;
                self.waiting.clear();
            }
            ApplicationInput::Transport(connection, event) => self.note(now, connection, event),
            ApplicationInput::Timeout => {}
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if let Some(output) = self.outputs.pop() {
                return output;
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::WaitUntil(deadline) => {
                    if !self.settle(now, transport) {
                        let deadlines = [deadline, self.next_deadline()];
                        return ApplicationOutput::WaitUntil(deadlines.into_iter().flatten().min());
                    }
                }
                ApplicationOutput::Ready(device, flows) => {
                    self.is_ready = true;
                    self.pass_on_waiting(now, transport);
                    if matches!(self.renewal, Renewal::Time(_)) {
                        return ApplicationOutput::Ready(device, flows);
                    }
                }
                ApplicationOutput::Event(event) => {
                    self.attend(event);
                    return ApplicationOutput::Event(event);
                }
                output => return output,
            }
        }
    }
}
