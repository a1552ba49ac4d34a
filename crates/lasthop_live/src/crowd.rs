mod ownership;
mod set_up;

use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Host, HostEvent, HostInput, HostOutput,
    MessageEvent, TimerQueue, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;
use lasthop_world::{SocketClient, SocketKind};

use crate::{KernelTcp, KernelUdp, Poller, WallTime};
use ownership::{Owned, Owners};
use set_up::SetUp;

/// Many clients on sockets of the kernel, as one host: they share two transports, and cost nothing while they are idle.
///
/// What a schedule has due is told with the instant at which it was due, however late the host comes to it: a server that
/// is slow, or a generator that is, does not thin out the load unseen.
pub struct Crowd {
    /// Of each kind of socket, the transport that all of its clients have.
    transports: [Carrier; 2],
    clients: Vec<Client>,
    timers: TimerQueue<u32>,
    /// Clients that were told something, and have not said what they wait for.
    unsettled: VecDeque<(u32, Instant)>,
    set_up: SetUp,
    time: WallTime,
}

struct Carrier {
    transport: Box<dyn Transport>,
    owners: Owners,
    /// Nothing before this; `None` until something comes.
    deadline: Option<Instant>,
}

struct Client {
    application: Box<dyn Application>,
    kind: SocketKind,
    deadline: Option<Instant>,
}

impl Crowd {
    /// A crowd on sockets that this poller watches, in the time of the run.
    #[must_use]
    pub fn new(clients: Vec<SocketClient>, time: WallTime, poller: &Rc<Poller>) -> Self {
        let carrier = |transport| Carrier {
            transport,
            owners: Owners::default(),
            deadline: None,
        };
        let client = |client: SocketClient| Client {
            application: client.application,
            kind: client.kind,
            deadline: None,
        };
        Self {
            transports: [
                carrier(Box::new(KernelTcp::client(poller))),
                carrier(Box::new(KernelUdp::client(poller))),
            ],
            set_up: SetUp::of(clients.iter().map(|client| client.only_hears)),
            clients: clients.into_iter().map(client).collect(),
            timers: TimerQueue::new(),
            unsettled: VecDeque::new(),
            time,
        }
    }

    /// Tells a client something at an instant.
    fn inform(&mut self, at: Instant, number: u32, input: ApplicationInput<'_>) {
        let client = &mut self.clients[number as usize];
        let carrier = &mut self.transports[client.kind as usize];
        let mut transport = Owned::new(&mut *carrier.transport, number, &mut carrier.owners);
        client.application.handle(at, input, &mut transport);
        carrier.deadline = Some(Instant::ZERO);
        self.unsettled.push_back((number, at));
    }

    /// What the clients have to tell that were told something.
    fn settle(&mut self) -> Option<HostOutput> {
        while let Some((number, at)) = self.unsettled.front().copied() {
            let client = &mut self.clients[number as usize];
            let carrier = &mut self.transports[client.kind as usize];
            let mut transport = Owned::new(&mut *carrier.transport, number, &mut carrier.owners);
            match client.application.poll(at, &mut transport) {
                ApplicationOutput::Event(event) => {
                    let at = match event {
                        MessageEvent::Intended { .. } | MessageEvent::TrafficEnded { .. } => at,
                        _ => self.time.now().max(at),
                    };
                    return Some(HostOutput::Event(HostEvent::MessageAt(at, event)));
                }
                ApplicationOutput::Ready(..) => self.set_up.heard_of(number),
                // The outermost application is the traffic, which keeps these to itself.
                ApplicationOutput::Received(_) => {}
                ApplicationOutput::WaitUntil(deadline) => {
                    self.unsettled.pop_front();
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
            let carrier = &mut self.transports[place];
            while carrier.deadline.is_some_and(|at| at <= now) {
                match carrier.transport.poll(now) {
                    TransportOutput::Event(connection, event) => {
                        let Some(owner) = carrier.owners.of(connection) else {
                            continue;
                        };
                        let is_closed = matches!(event, TransportEvent::Closed(_));
                        if is_closed || matches!(event, TransportEvent::Established(_)) {
                            self.set_up.settled(owner);
                        }
                        let at = self.time.now().max(now);
                        self.inform(at, owner, ApplicationInput::Transport(connection, event));
                        return true;
                    }
                    TransportOutput::WaitUntil(deadline) => carrier.deadline = deadline,
                    TransportOutput::Transmit(_) | TransportOutput::Discard(..) => {}
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
                for carrier in &mut self.transports {
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
                let deadlines = self.transports.iter().filter_map(|it| it.deadline);
                let next = deadlines.chain(self.timers.next_deadline()).min();
                return HostOutput::WaitUntil(next);
            }
        }
    }
}
