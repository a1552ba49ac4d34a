use core::net::SocketAddr;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lasthop_contract::ConnectionId;

use super::Panic;

/// The unit of work that a stack is processing: its connection and layer. It is recorded for the containment of panics.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The innermost layer at work.
    layer: Cell<&'static str>,
    /// The connection of the sockets that was worked on last.
    connection: Cell<Option<ConnectionId>>,
    /// What panicked and is to be followed by the end of a connection.
    failed: RefCell<Vec<Failed>>,
}

/// The panic of a turn, with its connection and layer.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) layer: &'static str,
    pub(crate) panic: Panic,
    pub(crate) whose: TurnOwner,
}

/// The connection or peer that a turn belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TurnOwner {
    /// A connection of the sockets.
    Connection(ConnectionId),
    /// The peer at this address.
    Peer(SocketAddr),
    Nobody,
}

impl Turn {
    /// Creates the turn of a stack whose top user has this name.
    pub(crate) fn of(name: &'static str) -> Rc<Self> {
        Rc::new(Self {
            layer: Cell::new(name),
            connection: Cell::default(),
            failed: RefCell::default(),
        })
    }

    /// Runs `work` as part of a layer. After a panic the layer stays recorded.
    #[inline]
    pub(crate) fn within<R>(&self, layer: &'static str, work: impl FnOnce() -> R) -> R {
        let before = self.layer.replace(layer);
        let result = work();
        self.layer.set(before);
        result
    }

    /// Returns the layer that panicked, and records the outermost one in its place.
    pub(crate) fn take_layer(&self, outermost: &'static str) -> &'static str {
        self.layer.replace(outermost)
    }

    /// Records the connection that is processed.
    #[inline]
    pub(crate) fn touch(&self, connection: ConnectionId) {
        self.connection.set(Some(connection));
    }

    /// Starts a turn without a connection.
    #[inline]
    pub(crate) fn begin(&self) {
        self.connection.set(None);
    }

    /// Tells the sockets to end the connection of a turn that panicked.
    pub(crate) fn fail(&self, layer: &'static str, panic: Panic, peer: Option<SocketAddr>) {
        let connection = self.connection.take().map(TurnOwner::Connection);
        let whose = peer.map(TurnOwner::Peer).or(connection);
        let whose = whose.unwrap_or(TurnOwner::Nobody);
        self.failed.borrow_mut().push(Failed {
            layer,
            panic,
            whose,
        });
    }

    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        !self.failed.borrow().is_empty()
    }

    pub(crate) fn take_failed(&self) -> Vec<Failed> {
        self.failed.take()
    }
}
