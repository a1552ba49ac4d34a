use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Chunk, ConnectionId, DatagramError, Payload,
    ReadOutcome, ResetReason, StreamError, StreamId, Transport, forward_transport,
};
use lasthop_units::Instant;

use super::{Panic, Turn, attempt};

/// An application wrapper. A panic of the application ends the connection that was being processed.
pub(crate) struct ContainedApplication {
    name: &'static str,
    application: Box<dyn Application>,
    /// Of each transport that it has, in their order.
    turns: Vec<Rc<Turn>>,
}

/// A transport in the hands of an application: the connection that this used last is the one that it was about.
struct Noting<'a> {
    transport: &'a mut dyn Transport,
    connection: Option<ConnectionId>,
}

impl ContainedApplication {
    pub(crate) fn new(
        name: &'static str,
        application: Box<dyn Application>,
        turns: Vec<Rc<Turn>>,
    ) -> Self {
        Self {
            name,
            application,
            turns,
        }
    }

    fn fail(&self, panic: Panic, connection: Option<ConnectionId>, transport: &mut dyn Transport) {
        // With one transport the application knows connections as that one does.
        let column = connection.map_or(0, |id| usize::from(id.column()));
        let Some(turn) = self.turns.get(column).or(self.turns.first()) else {
            return;
        };
        let layer = turn.take_layer(self.name);
        let peer = connection.and_then(|id| attempt(|| transport.peer(id)).ok().flatten());
        turn.fail(layer, panic, peer);
    }
}

impl Application for ContainedApplication {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        let connection = match input {
            ApplicationInput::Transport(connection, _) => Some(connection),
            _ => None,
        };
        let mut noting = Noting {
            transport,
            connection,
        };
        let application = &mut self.application;
        if let Err(panic) = attempt(|| application.handle(now, input, &mut noting)) {
            // An event is of a connection, whoever else hears of it.
            let connection = connection.or(noting.connection);
            self.fail(panic, connection, noting.transport);
        }
    }

    #[inline]
    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        let mut noting = Noting {
            transport,
            connection: None,
        };
        let application = &mut self.application;
        match attempt(|| application.poll(now, &mut noting)) {
            Ok(output) => output,
            Err(panic) => {
                self.fail(panic, noting.connection, noting.transport);
                ApplicationOutput::WaitUntil(Some(now))
            }
        }
    }
}

impl Transport for Noting<'_> {
    forward_transport! {
        self => self.transport;
        handle poll open_with listen join initial_stream own_stream open_stream expect prioritise outlast_streams close
        forget unanswered peer held local_address
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        self.connection = Some(id);
        self.transport.write(now, id, stream, chunks)
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        self.connection = Some(id);
        self.transport.read(now, id, stream, into)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.connection = Some(id);
        self.transport.send_datagram(now, id, chunks)
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        self.connection = Some(id);
        self.transport.receive_datagram(id)
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        self.connection = Some(id);
        self.transport.finish(now, id, stream);
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        self.connection = Some(id);
        self.transport.reset_stream(now, id, stream, code)
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.connection = Some(id);
        self.transport.reset(now, id, reason);
    }
}
