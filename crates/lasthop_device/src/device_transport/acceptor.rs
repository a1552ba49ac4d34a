use std::collections::VecDeque;

use lasthop_contract::{ConnectionId, Established};

/// The accept queue of a listening device (`acceptmbox` of lwIP), and the order in which its task, a loop around
/// `select`, accepts and reads.
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
    /// A connection that failed: there is nothing to accept.
    Error,
}

/// What is left of a turn: first each reads that had something to read when it began, then one place is taken.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    reads: usize,
    accepts: bool,
}

/// The next action of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Read from a connection.
    Read,
    /// Accept this connection.
    Accept(ConnectionId, Established),
    /// Take an error from the accept queue.
    Error,
    /// Wait.
    Pause,
}

impl Acceptor {
    /// Records a connection that this end opened. Records of closed connections are removed.
    pub(super) fn note_opened(
        &mut self,
        connection: ConnectionId,
        is_there: impl Fn(ConnectionId) -> bool,
    ) {
        self.others.retain(|it| is_there(*it));
        self.others.push(connection);
    }

    /// Whether this end opened a connection.
    pub(super) fn has_opened(&self, connection: ConnectionId) -> bool {
        self.others.contains(&connection)
    }

    /// Queues a new connection to be accepted, if one of `places` places is free.
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

    /// Queues an error for the task, because there was no room for a connection, if a place is free. While all
    /// connections wait to be accepted, the backlog is full and SYNs are ignored without an error (`tcp_listen_input`).
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

    /// Marks a waiting connection as closed. It still uses its place.
    pub(super) fn lose(&mut self, connection: ConnectionId) {
        let is_it =
            |place: &&mut Place| matches!(place, Place::Connection(it, _) if *it == connection);
        if let Some(place) = self.mailbox.iter_mut().find(is_it) {
            *place = Place::Error;
        }
    }

    /// Whether a connection was reset because the queue was full.
    pub(super) fn has_refused(&self, connection: ConnectionId) -> bool {
        self.refused.contains(&connection)
    }

    /// Removes the record of a reset connection.
    pub(super) fn forget_refused(&mut self, connection: ConnectionId) {
        self.refused.retain(|it| *it != connection);
    }

    /// Records that the application has closed a connection, or knows that it is closed.
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

    /// Whether the queue is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.mailbox.is_empty()
    }

    /// Whether a task with this connection limit takes the next entry of the queue.
    pub(super) fn may_accept(&self, connections: usize) -> bool {
        !self.mailbox.is_empty() && self.served.len() < connections
    }

    /// Returns the next action of a task with this connection limit, if `readable` connections have data.
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
