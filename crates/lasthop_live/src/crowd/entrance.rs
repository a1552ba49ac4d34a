use core::cell::{Cell, RefCell};
use core::net::SocketAddr;
use std::rc::Rc;

use lasthop_contract::CloseReason;
use lasthop_world::{Secures, SocketKind};

use crate::{dtls, secured};

/// Whether the secured clients of a load are let in: where the first is refused, and none is in, none will be.
#[derive(Debug, Default)]
pub(super) struct Entrance {
    is_open: Cell<bool>,
    refusal: RefCell<Option<String>>,
}

/// A client at the entrance.
#[derive(Debug)]
pub(super) struct Knock {
    entrance: Rc<Entrance>,
    server: SocketAddr,
    secures: Secures,
    kind: SocketKind,
    is_heard: bool,
}

impl Entrance {
    /// Why nobody is let in, told once.
    pub(super) fn take_refusal(&self) -> Option<String> {
        self.refusal.borrow_mut().take()
    }
}

impl Knock {
    pub(super) fn at(
        entrance: &Rc<Entrance>,
        server: SocketAddr,
        secures: Secures,
        kind: SocketKind,
    ) -> Self {
        Self {
            entrance: Rc::clone(entrance),
            server,
            secures,
            kind,
            is_heard: false,
        }
    }

    /// Its connection is there. A server of TLS 1.3 may refuse what it is shown after that.
    pub(super) fn is_heard(&mut self) {
        self.is_heard = true;
    }

    /// Its application speaks with that of the server.
    pub(super) fn goes_in(&self) {
        if self.is_heard {
            self.entrance.is_open.set(true);
        }
    }

    pub(super) fn is_refused(&self, reason: CloseReason) {
        if self.entrance.is_open.get() {
            return;
        }
        if let Some(why) = self.why(reason) {
            let server = self.server;
            let refusal = &mut *self.entrance.refusal.borrow_mut();
            refusal.get_or_insert_with(|| format!("{server}: {why}"));
        }
    }

    fn why(&self, reason: CloseReason) -> Option<String> {
        match (self.kind, reason) {
            (SocketKind::Stream, _) => secured::why_it_ended(reason),
            (_, CloseReason::PeerReset) => Some("nobody listens there".to_owned()),
            (SocketKind::Datagram, _) => {
                dtls::why_it_ended(self.secures == Secures::BySharedKey, reason)
            }
            (SocketKind::WholeDatagram, _) => secured::why_it_ended(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knock(entrance: &Rc<Entrance>, kind: SocketKind) -> Knock {
        let server = "127.0.0.1:8883".parse().expect("it is an address");
        Knock::at(entrance, server, Secures::ByCertificates, kind)
    }

    #[test]
    fn the_first_who_is_refused_tells_why_if_nobody_is_in() {
        let entrance = Rc::<Entrance>::default();
        let first = knock(&entrance, SocketKind::Stream);
        first.is_refused(CloseReason::Finished);
        assert_eq!(entrance.take_refusal(), None, "it went by itself");
        first.is_refused(CloseReason::Refused(48));
        let told = entrance.take_refusal().expect("it is refused");
        assert!(told.starts_with("127.0.0.1:8883: ") && told.contains("CA file"));
        knock(&entrance, SocketKind::WholeDatagram).is_refused(CloseReason::PeerReset);
        let told = entrance.take_refusal().expect("it is refused");
        assert!(told.ends_with("nobody listens there"));
    }

    #[test]
    fn who_is_refused_later_is_an_event_of_the_load() {
        let entrance = Rc::<Entrance>::default();
        let (mut first, second) = (
            knock(&entrance, SocketKind::Stream),
            knock(&entrance, SocketKind::Stream),
        );
        first.goes_in();
        assert!(!entrance.is_open.get(), "what it said has gone nowhere yet");
        first.is_heard();
        first.goes_in();
        second.is_refused(CloseReason::PeerAlert(116));
        assert_eq!(entrance.take_refusal(), None);
    }
}
