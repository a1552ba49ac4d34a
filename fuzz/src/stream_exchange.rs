use core::num::NonZeroU32;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, FlowId, MessageId, OutgoingMessage,
    Transport, TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::hostile_peer::HostilePeer;
use crate::script::Script;

/// An application over streams, and the bytes of a hostile peer in any pieces.
pub(crate) struct StreamExchange<A> {
    application: A,
    peer: HostilePeer,
    now: Instant,
    deadline: Option<Instant>,
    sent: u32,
}

/// More outputs than this for one input are a loop.
const MOST_OUTPUTS: usize = 100_000;

impl<A: Application> StreamExchange<A> {
    /// The application has started.
    pub(crate) fn new(application: A) -> Self {
        let mut exchange = Self {
            application,
            peer: HostilePeer::default(),
            now: Instant::ZERO,
            deadline: None,
            sent: 0,
        };
        exchange.inform(ApplicationInput::Start);
        exchange
    }

    /// Plays all of a script. `greeting` is what the peer says first on each connection that it opens.
    pub(crate) fn play(&mut self, script: &mut Script<'_>, greeting: &[u8]) {
        while !script.is_empty() {
            let instruction = script.byte();
            let place = u64::from(instruction >> 5);
            match instruction & 7 {
                0 => self.accept(greeting),
                1 | 2 => self.peer.say(place, script.slice()),
                3 => self.peer.end(place),
                4 => self.peer.vanish(place),
                5 => self.pass(Duration::from_millis(u64::from(script.word()) * 100)),
                6 => self.peer.make_room(usize::from(script.word())),
                _ => self.send(script.slice()),
            }
            self.drain();
        }
    }

    /// The peer's first bytes on the connection that the application opened.
    pub(crate) fn greet(&mut self, bytes: &[u8]) {
        self.peer.say(0, bytes);
        self.drain();
    }

    fn accept(&mut self, greeting: &[u8]) {
        let id = self.peer.add();
        self.peer.say(id.0, greeting);
    }

    fn pass(&mut self, span: Duration) {
        self.now += span;
        if self.deadline.is_some_and(|at| at <= self.now) {
            self.inform(ApplicationInput::Timeout);
        }
    }

    fn send(&mut self, payload: &[u8]) {
        self.sent += 1;
        let Some(number) = NonZeroU32::new(self.sent) else {
            return;
        };
        let flow = FlowId(7);
        let id = MessageId { flow, number };
        self.inform(ApplicationInput::Send(OutgoingMessage {
            id,
            payload,
            asks: false,
        }));
    }

    fn inform(&mut self, input: ApplicationInput<'_>) {
        self.application.handle(self.now, input, &mut self.peer);
        self.drain();
    }

    fn drain(&mut self) {
        for _ in 0..MOST_OUTPUTS {
            match self.application.poll(self.now, &mut self.peer) {
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    let TransportOutput::Event(id, event) = self.peer.poll(self.now) else {
                        return;
                    };
                    let input = ApplicationInput::Transport(id, event);
                    self.application.handle(self.now, input, &mut self.peer);
                }
                ApplicationOutput::Ready(..)
                | ApplicationOutput::Event(_)
                | ApplicationOutput::Received(_) => {}
            }
        }
        panic!("the application does not come to rest");
    }
}
