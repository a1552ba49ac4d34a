mod crowd_listener;
mod crowd_socket;
mod failing;
mod member;
mod ownership;
mod set_up;

use core::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use lasthop_contract::{
    ApplicationInput, ApplicationOutput, DeviceEvent, Host, HostEvent, HostInput, HostOutput,
    MessageEvent, TimerQueue, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;
use lasthop_world::{SocketClient, SocketEnd, SocketKind};

use crate::containment::{Failures, attempt};
use crate::gateway::LogForm;
use crate::{KernelTcp, KernelUdp, Poller, WallTime};
use crowd_listener::{CrowdClient, CrowdListener};
use member::{Hosted, Member, Telling};
use ownership::{Owned, Owners};
use set_up::SetUp;

/// Many clients on kernel sockets as one host. They share three transports and cost almost nothing while idle. A client
/// can have its own layers between socket and application, for example TLS. It can also be a resource-constrained
/// device, with processing times, crashes and boots.
///
/// What a schedule has due is told with the instant at which it was due, however late the host comes to it: a server that
/// is slow, or a generator that is, does not thin out the load unseen.
pub struct Crowd {
    /// Of each kind of socket, the transport that all of its clients have.
    transports: [Rc<RefCell<Carrier>>; 3],
    clients: Vec<Client>,
    timers: TimerQueue<u32>,
    /// Clients that were told something, and have not said what they wait for.
    unsettled: VecDeque<(u32, Instant)>,
    set_up: SetUp,
    time: WallTime,
    listener: Rc<CrowdListener>,
    poller: Rc<Poller>,
    failures: Rc<Failures>,
}

struct Carrier {
    transport: Box<dyn Transport>,
    owners: Owners,
    /// Nothing before this; `None` until something comes.
    deadline: Option<Instant>,
}

/// Why a client tells nothing of a message.
enum Waits {
    Until(Option<Instant>),
    ToldDevice(DeviceEvent),
}

struct Client {
    member: Member,
    kind: SocketKind,
    deadline: Option<Instant>,
}

impl Crowd {
    /// Creates a crowd on sockets that this poller watches, in the time of the run.
    #[must_use]
    pub fn new(clients: Vec<SocketClient<'_>>, time: WallTime, poller: &Rc<Poller>) -> Self {
        let carrier = |transport| {
            Rc::new(RefCell::new(Carrier {
                transport,
                owners: Owners::default(),
                deadline: None,
            }))
        };
        let transports: [Rc<RefCell<Carrier>>; 3] = [
            carrier(Box::new(KernelTcp::client(poller))),
            carrier(Box::new(KernelUdp::client(poller))),
            carrier(Box::new(KernelUdp::client(poller).never_in_fragments())),
        ];
        let listener = Rc::<CrowdListener>::default();
        let client = |(client, number): (SocketClient<'_>, u32)| {
            let kind = client.kind;
            let mut crowd_client = CrowdClient::at(&listener, &client);
            let member = match client.end {
                SocketEnd::Application(application) => {
                    Member::Plain(Box::new(Telling::of(application, crowd_client)))
                }
                SocketEnd::Host(host) => {
                    let carrier = Rc::clone(&transports[kind as usize]);
                    crowd_client.secures = host.secures();
                    Member::Hosted(Hosted::new(host, (carrier, number), crowd_client))
                }
            };
            Client {
                member,
                kind,
                deadline: None,
            }
        };
        Self {
            set_up: SetUp::of(clients.iter().map(|client| client.only_hears)),
            clients: clients.into_iter().zip(0..).map(client).collect(),
            transports,
            timers: TimerQueue::new(),
            unsettled: VecDeque::new(),
            time,
            listener,
            poller: Rc::clone(poller),
            failures: Failures::new(poller, LogForm::Text),
        }
    }

    /// Tells a client something at an instant.
    fn inform(&mut self, at: Instant, number: u32, input: ApplicationInput<'_>) {
        let client = &mut self.clients[number as usize];
        let told = attempt(|| match &mut client.member {
            Member::Plain(application) => {
                let carrier = &mut *self.transports[client.kind as usize].borrow_mut();
                let mut transport =
                    Owned::new(&mut *carrier.transport, number, &mut carrier.owners);
                carrier.deadline = Some(Instant::ZERO);
                application.handle(at, input, &mut transport);
            }
            Member::Hosted(host) => host.handle(at, input),
            Member::Failed => {}
        });
        if let Err(panic) = told {
            self.fail(at, number, &panic);
        }
        self.unsettled.push_back((number, at));
    }

    /// What the clients have to tell that were told something.
    fn settle(&mut self) -> Option<HostOutput> {
        while let Some((number, at)) = self.unsettled.front().copied() {
            let told = attempt(|| self.ask(number, at));
            if let Some(refusal) = self.listener.take_refusal() {
                self.poller.fail(io::Error::other(refusal));
            }
            for late in self.listener.take_late() {
                self.failures
                    .refused_client(&late.client, late.server, &late.why);
            }
            let told = told.unwrap_or_else(|panic| {
                self.fail(at, number, &panic);
                Err(Waits::Until(None))
            });
            match told {
                Ok(event) => {
                    let at = match event {
                        MessageEvent::Intended { .. } | MessageEvent::TrafficEnded { .. } => at,
                        _ => self.time.now().max(at),
                    };
                    return Some(HostOutput::Event(HostEvent::MessageAt(at, event)));
                }
                Err(Waits::ToldDevice(event)) => {
                    return Some(HostOutput::Event(HostEvent::Device(event)));
                }
                Err(Waits::Until(deadline)) => {
                    self.unsettled.pop_front();
                    let client = &mut self.clients[number as usize];
                    if deadline != client.deadline {
                        if let Some(before) = client.deadline {
                            self.timers.disarm(before, number);
                        }
                        if let Some(at) = deadline {
                            self.timers.arm(at, number);
                        }
                        client.deadline = deadline;
                    }
                }
            }
        }
        None
    }

    /// What happened to a message of a client, or why nothing did.
    fn ask(&mut self, number: u32, at: Instant) -> Result<MessageEvent, Waits> {
        let client = &mut self.clients[number as usize];
        match &mut client.member {
            Member::Plain(application) => loop {
                let carrier = &mut *self.transports[client.kind as usize].borrow_mut();
                let mut transport =
                    Owned::new(&mut *carrier.transport, number, &mut carrier.owners);
                match application.poll(at, &mut transport) {
                    ApplicationOutput::Event(event) => return Ok(event),
                    ApplicationOutput::Ready(..) => self.set_up.heard_of(number),
                    // The outermost application is the traffic, which keeps these to itself.
                    ApplicationOutput::Received(_) => {}
                    ApplicationOutput::WaitUntil(deadline) => return Err(Waits::Until(deadline)),
                }
            },
            Member::Hosted(host) => loop {
                let polled = host.poll(at);
                if host.take_ready() {
                    self.set_up.heard_of(number);
                }
                match polled {
                    Ok(HostEvent::Message(event) | HostEvent::MessageAt(_, event)) => {
                        return Ok(event);
                    }
                    Ok(HostEvent::Device(event)) => return Err(Waits::ToldDevice(event)),
                    Ok(_) => {}
                    Err(deadline) => return Err(Waits::Until(deadline)),
                }
            },
            Member::Failed => Err(Waits::Until(None)),
        }
    }

    /// Wakes the next client whose time has come, at its time.
    fn wake_due(&mut self, now: Instant) -> bool {
        let due = self.timers.next_deadline().filter(|at| *at <= now);
        let Some((at, number)) = due.zip(self.timers.pop_due(now)) else {
            return false;
        };
        self.clients[number as usize].deadline = None;
        self.inform(at, number, ApplicationInput::Timeout);
        true
    }

    /// Starts the next client, where there is room for its connection.
    fn start_next(&mut self, now: Instant) -> bool {
        let Some(number) = self.set_up.next() else {
            return false;
        };
        self.inform(now, number, ApplicationInput::Start);
        true
    }

    /// Takes the next event of a transport to its client.
    fn carry(&mut self, now: Instant) -> bool {
        for place in 0..self.transports.len() {
            loop {
                let mut carrier = self.transports[place].borrow_mut();
                if carrier.deadline.is_none_or(|at| at > now) {
                    break;
                }
                match carrier.transport.poll(now) {
                    TransportOutput::Event(connection, event) => {
                        let Some(owner) = carrier.owners.of(connection) else {
                            continue;
                        };
                        drop(carrier);
                        let is_closed = matches!(event, TransportEvent::Closed(_));
                        if is_closed || matches!(event, TransportEvent::Established(_)) {
                            self.set_up.settled(owner);
                        }
                        let at = self.time.now().max(now);
                        self.inform(at, owner, ApplicationInput::Transport(connection, event));
                        return true;
                    }
                    TransportOutput::WaitUntil(deadline) => carrier.deadline = deadline,
                    TransportOutput::Transmit(_)
                    | TransportOutput::Discard(..)
                    | TransportOutput::Evicted => {}
                }
            }
        }
        false
    }
}

impl Host for Crowd {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Start => self.set_up.begin(),
            HostInput::Stop => {
                self.set_up.end();
                for number in 0..self.clients.len() as u32 {
                    self.inform(now, number, ApplicationInput::Stop);
                }
            }
            HostInput::Timeout => {
                for carrier in &self.transports {
                    let mut carrier = carrier.borrow_mut();
                    if carrier.deadline.is_some_and(|at| at <= now) {
                        carrier.transport.handle(now, TransportInput::Timeout);
                    }
                    carrier.deadline = Some(Instant::ZERO);
                }
            }
            // It is on no path of ours.
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        loop {
            if let Some(output) = self.settle() {
                return output;
            }
            if !self.wake_due(now) && !self.carry(now) && !self.start_next(now) {
                let deadlines = self.transports.iter();
                let deadlines = deadlines.filter_map(|it| it.borrow().deadline);
                let next = deadlines.chain(self.timers.next_deadline()).min();
                return HostOutput::WaitUntil(next);
            }
        }
    }
}
