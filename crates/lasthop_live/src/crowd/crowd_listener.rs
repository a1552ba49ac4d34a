use core::cell::{Cell, RefCell};
use core::net::SocketAddr;
use std::rc::Rc;

use lasthop_contract::{CloseReason, Refusal};
use lasthop_world::{Secures, SocketClient, SocketKind};

use crate::{dtls, secured};

/// Decides whether the load ends because its clients are refused: if the first client is refused before any is
/// accepted, all will be.
#[derive(Debug, Default)]
pub(super) struct CrowdListener {
    is_open: Cell<bool>,
    /// Whether a message was acknowledged: a server of HTTP asks with each request who it is of.
    has_answered: Cell<bool>,
    refusal: RefCell<Option<String>>,
    /// Clients that were refused after others were let in.
    late: RefCell<Vec<LateRefusal>>,
}

/// A client that was refused although others were accepted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LateRefusal {
    pub(super) client: String,
    pub(super) server: SocketAddr,
    pub(super) why: String,
}

/// A client as seen by the listener.
#[derive(Debug)]
pub(super) struct CrowdClient {
    listener: Rc<CrowdListener>,
    name: String,
    server: SocketAddr,
    kind: SocketKind,
    /// How the client and its server authenticate each other, if they do.
    pub(super) secures: Option<Secures>,
    is_heard: bool,
    /// Its application has spoken with that of the server.
    is_in: bool,
    is_leaving: bool,
    /// It was told of as one that is not let in.
    is_told: bool,
}

impl CrowdListener {
    /// Returns why all clients are refused, once.
    pub(super) fn take_refusal(&self) -> Option<String> {
        self.refusal.borrow_mut().take()
    }

    /// Returns the clients refused later, each once.
    pub(super) fn take_late(&self) -> Vec<LateRefusal> {
        self.late.take()
    }
}

impl CrowdClient {
    pub(super) fn at(listener: &Rc<CrowdListener>, client: &SocketClient<'_>) -> Self {
        Self {
            listener: Rc::clone(listener),
            name: client.name.clone(),
            server: client.server,
            kind: client.kind,
            secures: None,
            is_heard: false,
            is_in: false,
            is_leaving: false,
            is_told: false,
        }
    }

    /// Records an established connection. A server with TLS 1.3 can still refuse the client's certificate afterwards.
    pub(super) fn is_heard(&mut self) {
        self.is_heard = true;
    }

    /// Records that the client disconnects, so that the end of its connection is not a refusal.
    pub(super) fn leaves(&mut self) {
        self.is_leaving = true;
    }

    /// Records that the client's application has a session with the server.
    pub(super) fn goes_in(&mut self) {
        if self.is_heard {
            self.is_in = true;
            self.listener.is_open.set(true);
        }
    }

    /// Records an acknowledged message of the client.
    pub(super) fn is_answered(&mut self) {
        self.goes_in();
        self.listener.has_answered.set(true);
    }

    /// Records the end of the client's connection.
    pub(super) fn is_refused(&mut self, reason: CloseReason) {
        if self.is_in || self.is_leaving {
            return;
        }
        if let Some(why) = self.why(reason) {
            self.tell(why, self.listener.is_open.get());
        }
    }

    /// Records a refusal in the server's answer.
    pub(super) fn is_turned_away(&mut self, refusal: Refusal) {
        let is_late = match refusal {
            Refusal::Connack(_) => self.listener.is_open.get(),
            Refusal::Status(_) => self.listener.has_answered.get(),
        };
        if !self.is_leaving {
            self.tell(in_words(refusal), is_late);
        }
    }

    fn tell(&mut self, why: String, is_late: bool) {
        let Self { server, name, .. } = self;
        if !is_late {
            let refusal = &mut *self.listener.refusal.borrow_mut();
            refusal.get_or_insert_with(|| format!("{server}: {name} is not let in: {why}"));
        } else if !core::mem::replace(&mut self.is_told, true) {
            self.listener.late.borrow_mut().push(LateRefusal {
                client: name.clone(),
                server: *server,
                why,
            });
        }
    }

    fn why(&self, reason: CloseReason) -> Option<String> {
        match (self.kind, self.secures, reason) {
            (SocketKind::Stream, None, CloseReason::PeerReset | CloseReason::Finished)
                if self.is_heard =>
            {
                // Whoever is in needed no TLS.
                let question = match self.listener.is_open.get() {
                    true => "does it limit how many there are?",
                    false => "does it want TLS?",
                };
                let ended = "the server ended the connection before it answered";
                Some(format!("{ended}; {question}"))
            }
            (_, None, _) => None,
            (SocketKind::Stream, ..) => secured::why_it_ended(reason),
            (_, _, CloseReason::PeerReset) => Some(NO_SERVER.to_owned()),
            (SocketKind::Datagram, Some(secures), _) => {
                dtls::why_it_ended(secures == Secures::BySharedKey, reason)
            }
            (SocketKind::WholeDatagram, ..) => secured::why_it_ended(reason),
        }
    }
}

const NO_SERVER: &str = "no server listens there; check the address, or start the server";

/// What a server means by its answer, and what to look at.
fn in_words(refusal: Refusal) -> String {
    const WHO: &str = "look at --user or --devices";
    match refusal {
        Refusal::Connack(code) => {
            let meaning = match code {
                1 | 0x84 => {
                    "it does not speak this version of MQTT; write version=5 or version=3.1.1"
                }
                2 | 0x85 => "it does not take this client identifier",
                3 | 0x88 => "it is not available",
                4 | 0x86 => "bad user name or password",
                5 | 0x87 => "not authorised",
                0x8A => "the client is banned",
                0x97 => "a quota is exceeded",
                0x9F => "connections come too fast",
                _ => "",
            };
            let code = format!("CONNACK with code {code}");
            match meaning {
                "" => code,
                "bad user name or password" | "not authorised" => {
                    format!("{code}, {meaning}; {WHO}")
                }
                _ => format!("{code}, {meaning}"),
            }
        }
        Refusal::Status(code @ 401) => {
            format!("HTTP status {code}, it does not know the token; {WHO}")
        }
        Refusal::Status(code) => format!("HTTP status {code}, not authorised; {WHO}"),
    }
}

#[cfg(test)]
mod tests {
    use lasthop_world::SocketEnd;

    use super::*;
    use crate::serve::Nobody;

    fn crowd_client(
        listener: &Rc<CrowdListener>,
        kind: SocketKind,
        secures: Option<Secures>,
    ) -> CrowdClient {
        let client = SocketClient {
            name: "device-0".into(),
            server: "127.0.0.1:8883".parse().expect("it is an address"),
            end: SocketEnd::Application(Box::new(Nobody)),
            kind,
            only_hears: false,
        };
        CrowdClient {
            secures,
            ..CrowdClient::at(listener, &client)
        }
    }

    const BY_TLS: Option<Secures> = Some(Secures::ByCertificates);

    #[test]
    fn the_first_who_is_refused_tells_why_if_nobody_is_in() {
        let listener = Rc::<CrowdListener>::default();
        let mut first = crowd_client(&listener, SocketKind::Stream, BY_TLS);
        first.is_refused(CloseReason::Finished);
        assert_eq!(listener.take_refusal(), None, "it went by itself");
        first.is_refused(CloseReason::Refused(48));
        let told = listener.take_refusal().expect("it is refused");
        assert!(told.starts_with("127.0.0.1:8883: device-0 ") && told.contains("CA file"));
        crowd_client(&listener, SocketKind::WholeDatagram, BY_TLS)
            .is_refused(CloseReason::PeerReset);
        let told = listener.take_refusal().expect("it is refused");
        assert!(told.ends_with(NO_SERVER));
    }

    #[test]
    fn who_is_refused_later_is_an_event_of_the_load() {
        let listener = Rc::<CrowdListener>::default();
        let (mut first, mut second) = (
            crowd_client(&listener, SocketKind::Stream, BY_TLS),
            crowd_client(&listener, SocketKind::Stream, BY_TLS),
        );
        first.goes_in();
        assert!(!listener.is_open.get(), "what it said has gone nowhere yet");
        first.is_heard();
        first.goes_in();
        second.is_turned_away(Refusal::Connack(5));
        second.is_refused(CloseReason::PeerAlert(116));
        assert_eq!(listener.take_refusal(), None);
        let [late] = &listener.take_late()[..] else {
            panic!("it is told once");
        };
        assert!(late.why.starts_with("CONNACK with code 5"), "{}", late.why);
        first.is_refused(CloseReason::PeerReset);
        assert_eq!(
            listener.take_late(),
            [],
            "it was in, and lost its connection"
        );
        // A request of HTTP has left, and its answer is that nobody is known.
        second.is_turned_away(Refusal::Status(401));
        let told = listener.take_refusal().expect("nobody was answered");
        assert!(told.contains("HTTP status 401"), "{told}");
        first.is_answered();
        second.is_turned_away(Refusal::Status(401));
        assert_eq!(listener.take_refusal(), None);
    }

    #[test]
    fn an_answer_of_a_broker_and_an_end_without_one_are_refusals() {
        let listener = Rc::<CrowdListener>::default();
        let mut first = crowd_client(&listener, SocketKind::Stream, None);
        first.is_turned_away(Refusal::Connack(5));
        let told = listener.take_refusal().expect("it is refused");
        assert!(
            told.contains("device-0 is not let in: CONNACK with code 5, not authorised"),
            "{told}"
        );
        first.is_refused(CloseReason::PeerReset);
        assert_eq!(listener.take_refusal(), None, "nobody was there to refuse");
        first.is_heard();
        first.is_refused(CloseReason::PeerReset);
        let told = listener.take_refusal().expect("it is refused");
        assert!(told.contains("before it answered"), "{told}");
        first.leaves();
        first.is_refused(CloseReason::Finished);
        assert_eq!(listener.take_refusal(), None, "it has said good-bye");
    }
}
