use core::net::SocketAddr;
use core::num::NonZeroU32;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use lasthop_contract::testing::{STREAM, Wire, WireEnd};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, ConnectionId, FlowId, Layer,
    MessageId, OutgoingMessage, Provenance, ResetReason, Transport, TransportEvent,
    TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::script::Script;

/// An application over streams, and the bytes of a hostile peer in any pieces.
pub(crate) struct StreamExchange<A> {
    application: A,
    transport: WireEnd,
    /// The hostile peer's end: what it says is the script's, and nobody reads what it hears.
    peer: WireEnd,
    wire: Rc<RefCell<Wire>>,
    /// Connections on which the peer has said all.
    ended: BTreeSet<u64>,
    now: Instant,
    deadline: Option<Instant>,
    sent: u32,
}

/// More outputs than this for one input are a loop.
const MOST_OUTPUTS: usize = 100_000;

impl<A: Application> StreamExchange<A> {
    /// The application has started.
    pub(crate) fn new(application: A) -> Self {
        let (transport, peer, wire) = WireEnd::pair();
        (wire.borrow_mut().swallows, wire.borrow_mut().record) = (true, false);
        let mut exchange = Self {
            application,
            transport,
            peer,
            wire,
            ended: BTreeSet::new(),
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
                1 | 2 => self.say(place, script.slice()),
                3 => self.end(place),
                4 => self
                    .peer
                    .reset(self.now, ConnectionId(place), ResetReason::NotNeeded),
                5 => self.pass(Duration::from_millis(u64::from(script.word()) * 100)),
                6 => {
                    let room = usize::from(script.word());
                    self.wire.borrow_mut().set_room([room, usize::MAX]);
                }
                _ => self.send(script.slice()),
            }
            self.drain();
        }
    }

    /// The peer's first bytes on the connection that the application opened.
    pub(crate) fn greet(&mut self, bytes: &[u8]) {
        self.say(0, bytes);
        self.drain();
    }

    fn accept(&mut self, greeting: &[u8]) {
        let client = SocketAddr::from(([10, 0, 0, 1], 4433));
        let opened = self.peer.open(self.now, client, &[]);
        self.say(opened.expect("a wire has no limits").0, greeting);
    }

    fn say(&mut self, place: u64, bytes: &[u8]) {
        let chunk = Chunk {
            bytes,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        if !self.ended.contains(&place) {
            // A connection that is over hears no more.
            let _ = self
                .peer
                .write(self.now, ConnectionId(place), STREAM, &[chunk]);
        }
    }

    fn end(&mut self, place: u64) {
        if self.ended.insert(place) {
            self.peer.finish(self.now, ConnectionId(place), STREAM);
        }
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
        self.application
            .handle(self.now, input, &mut self.transport);
        self.drain();
    }

    fn drain(&mut self) {
        for _ in 0..MOST_OUTPUTS {
            match self.application.poll(self.now, &mut self.transport) {
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    self.hear();
                    let TransportOutput::Event(id, event) = self.transport.poll(self.now) else {
                        return;
                    };
                    let input = ApplicationInput::Transport(id, event);
                    self.application
                        .handle(self.now, input, &mut self.transport);
                }
                ApplicationOutput::Ready(..)
                | ApplicationOutput::Event(_)
                | ApplicationOutput::Received(_) => {}
            }
        }
        panic!("the application does not come to rest");
    }

    /// The peer sees where the application has said all.
    fn hear(&mut self) {
        while let TransportOutput::Event(id, event) = self.peer.poll(self.now) {
            if event == TransportEvent::Readable(STREAM) {
                // A connection that is over says no more.
                let _ = self.peer.read(self.now, id, STREAM, &mut []);
            }
        }
    }
}
