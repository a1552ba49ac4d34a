use core::net::SocketAddr;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lasthop_contract::ConnectionId;

use super::Panic;

/// What a stack of layers is working on, as these note it for who contains a panic.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The innermost layer at work.
    layer: Cell<&'static str>,
    /// The connection of the sockets that was worked on last.
    connection: Cell<Option<ConnectionId>>,
    /// What panicked and is to be followed by the end of a connection.
    failed: RefCell<Vec<Failed>>,
}

/// A turn that panicked.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) layer: &'static str,
    pub(crate) panic: Panic,
    pub(crate) whose: TurnOwner,
}

/// Whose turn it was.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TurnOwner {
    /// That of a connection of the sockets.
    Connection(ConnectionId),
    /// That of who is at this address.
    Peer(SocketAddr),
    Nobody,
}

impl Turn {
    /// Of a stack whose outermost user has this name.
    pub(crate) fn of(name: &'static str) -> Rc<Self> {
        Rc::new(Self {
            layer: Cell::new(name),
            connection: Cell::default(),
            failed: RefCell::default(),
        })
    }

    /// Works in a layer. After a panic the layer is still noted.
    #[inline]
    pub(crate) fn within<R>(&self, layer: &'static str, work: impl FnOnce() -> R) -> R {
        let before = self.layer.replace(layer);
        let result = work();
        self.layer.set(before);
        result
    }

    /// The layer that panicked, in place of which another one works from now on.
    pub(crate) fn take_layer(&self, outermost: &'static str) -> &'static str {
        self.layer.replace(outermost)
    }

    /// Notes what is worked on.
    #[inline]
    pub(crate) fn touch(&self, connection: ConnectionId) {
        self.connection.set(Some(connection));
    }

    /// Nothing is worked on yet.
    #[inline]
    pub(crate) fn begin(&self) {
        self.connection.set(None);
    }

    /// Has the sockets end the connection of a turn that panicked.
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
