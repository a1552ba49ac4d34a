use std::collections::VecDeque;

use lasthop_contract::{ConnectionId, Established};

/// Who accepts the connections that others open to a device: the mailbox of a listening socket, and the turns of the task
/// that takes from it (`acceptmbox` of lwIP, a loop around `select`).
#[derive(Debug, Default)]
pub(super) struct Acceptor {
    mailbox: VecDeque<Place>,
    /// Accepted, and the application has it.
    served: Vec<ConnectionId>,
    /// Opened here, or given up by the application and not yet gone.
    others: Vec<ConnectionId>,
    /// Reset for want of a place, and not yet gone.
    refused: Vec<ConnectionId>,
    turn: Turn,
}

/// What takes a place in the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Connection(ConnectionId, Established),
    /// A connection that there was no room for, or that is gone: nothing to accept.
    Error,
}

/// What is left of a turn: first each reads that had something to read when it began, then one place is taken.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    reads: usize,
    accepts: bool,
}

/// What a task does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It reads.
    Read,
    /// It accepts this connection.
    Accept(ConnectionId, Established),
    /// It learns of an error.
    Error,
    /// It waits.
    Pause,
}

impl Acceptor {
    /// A connection is opened by this end. Those of before that are gone are forgotten.
    pub(super) fn note_opened(
        &mut self,
        connection: ConnectionId,
        is_there: impl Fn(ConnectionId) -> bool,
    ) {
        self.others.retain(|it| is_there(*it));
        self.others.push(connection);
    }

    /// Whether a connection was opened by this end.
    pub(super) fn has_opened(&self, connection: ConnectionId) -> bool {
        self.others.contains(&connection)
    }

    /// A connection came about: it waits for the task where one of so many places is free.
    pub(super) fn put(
        &mut self,
        connection: ConnectionId,
        how: Established,
        places: usize,
    ) -> bool {
        let has_place = self.mailbox.len() < places;
        match has_place {
            true => self.mailbox.push_back(Place::Connection(connection, how)),
            false => self.refused.push(connection),
        }
        has_place
    }

    /// There was no room for a connection, which the task is told where it has a place for that. Nobody is told while all
    /// connections wait to be accepted: then the backlog is full, and what comes is not looked at (`tcp_listen_input`).
    pub(super) fn put_error(&mut self, places: usize, is_there: impl Fn(ConnectionId) -> bool) {
        let mut accepted = self.served.iter().chain(&self.others);
        if self.mailbox.len() < places && accepted.any(|it| is_there(*it)) {
            self.mailbox.push_back(Place::Error);
        }
    }

    /// Whether a connection waits to be accepted.
    pub(super) fn holds(&self, connection: ConnectionId) -> bool {
        let is_it = |place: &Place| matches!(place, Place::Connection(it, _) if *it == connection);
        self.mailbox.iter().any(is_it)
    }

    /// A connection that waits is gone; its place is taken all the same.
    pub(super) fn lose(&mut self, connection: ConnectionId) {
        let is_it =
            |place: &&mut Place| matches!(place, Place::Connection(it, _) if *it == connection);
        if let Some(place) = self.mailbox.iter_mut().find(is_it) {
            *place = Place::Error;
        }
    }

    /// Whether a connection was reset for want of a place.
    pub(super) fn has_refused(&self, connection: ConnectionId) -> bool {
        self.refused.contains(&connection)
    }

    /// A connection that was reset is gone.
    pub(super) fn forget_refused(&mut self, connection: ConnectionId) {
        self.refused.retain(|it| *it != connection);
    }

    /// The application has closed a connection, or knows that it is gone.
    pub(super) fn leave(
        &mut self,
        connection: ConnectionId,
        is_there: impl Fn(ConnectionId) -> bool,
    ) {
        if let Some(place) = self.served.iter().position(|it| *it == connection) {
            self.served.swap_remove(place);
            self.note_opened(connection, is_there);
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.mailbox.is_empty()
    }

    /// Whether a task that serves so many connections at most takes something from the mailbox.
    pub(super) fn may_accept(&self, connections: usize) -> bool {
        !self.mailbox.is_empty() && self.served.len() < connections
    }

    /// What a task does next that serves so many connections at most. So many have something to read.
    pub(super) fn next(&mut self, readable: usize, connections: usize) -> Next {
        if self.turn.reads.min(readable) == 0 && !self.turn.accepts {
            self.turn = Turn {
                reads: readable,
                accepts: self.may_accept(connections),
            };
        }
        if self.turn.reads.min(readable) > 0 {
            self.turn.reads -= 1;
            return Next::Read;
        }
        self.turn.reads = 0;
        if !core::mem::take(&mut self.turn.accepts) {
            return Next::Pause;
        }
        match self.mailbox.pop_front() {
            Some(Place::Connection(connection, how)) => {
                self.served.push(connection);
                Next::Accept(connection, how)
            }
            Some(Place::Error) | None => Next::Error,
        }
    }
}

#[cfg(test)]
mod tests;
