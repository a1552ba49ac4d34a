use core::net::SocketAddr;

use lasthop_contract::{
    ClientSessions, CloseReason, ConnectionId, Established, ServerSessions, Transport,
};
use lasthop_units::{Duration, Instant};

use crate::Dtls;

/// What a host keeps of sessions so that a later handshake resumes them by their identifiers (RFC 5246 section 7.3). It
/// outlives connections.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// Of a client, by the address of the server.
    of_servers: ClientSessions<SocketAddr, Kept>,
    of_clients: ServerSessions,
    room: usize,
    lifetime: Duration,
}

/// A session, and when it was made.
#[derive(Debug)]
struct Kept {
    session: dimpl::Session,
    since: Instant,
}

/// Of the identifiers that a server gives, in bytes: the most that there may be, as others give.
const ID_LENGTH: usize = 32;
const TIME_LENGTH: usize = 8;

/// An identifier that nothing else is known by.
pub(crate) type NewId = [u8; ID_LENGTH];

impl Sessions {
    /// Room for so many sessions of clients, none of which is resumed when it is older than its lifetime.
    pub(crate) const fn new(room: usize, lifetime: Duration) -> Self {
        Self {
            of_servers: ClientSessions::new(),
            of_clients: ServerSessions::new(room),
            room,
            lifetime,
        }
    }

    /// The same without any session.
    pub(crate) fn forget_all(&mut self) {
        *self = Self::new(self.room, self.lifetime);
    }

    /// Whether sessions of clients are kept at all.
    pub(crate) const fn has_room(&self) -> bool {
        self.room > 0
    }

    /// What a client offers a server.
    pub(crate) fn of_server(&mut self, server: SocketAddr, now: Instant) -> Option<dimpl::Session> {
        let kept = self.of_servers.reusable(&server)?;
        if now - kept.since > self.lifetime {
            self.forget_server(server);
            return None;
        }
        Some(kept.session.clone())
    }

    /// Keeps the session that a client has made with a server.
    pub(crate) fn keep_of_server(
        &mut self,
        server: SocketAddr,
        session: dimpl::Session,
        now: Instant,
    ) {
        let kept = Kept {
            session,
            since: now,
        };
        self.of_servers.keep_reusable(server, kept);
    }

    /// Forgets the session with a server, which did not go on with it or ended it by an alert.
    pub(crate) fn forget_server(&mut self, server: SocketAddr) {
        self.of_servers.forget_reusable(&server);
    }

    /// The session of a client that a hello names.
    pub(crate) fn of_client(&mut self, id: &[u8], now: Instant) -> Option<dimpl::Session> {
        let (since, session) = self
            .of_clients
            .get(id)?
            .split_first_chunk::<TIME_LENGTH>()?;
        let since = Instant::ZERO + Duration::from_nanos(u64::from_be_bytes(*since));
        if now - since > self.lifetime {
            self.forget_client(id);
            return None;
        }
        dimpl::Session::from_bytes(id, session)
    }

    /// Keeps the session that a server has made with a client.
    pub(crate) fn keep_of_client(&mut self, session: &dimpl::Session, now: Instant) {
        let mut bytes = (now - Instant::ZERO).as_nanos().to_be_bytes().to_vec();
        bytes.extend(session.to_bytes());
        self.of_clients.put(session.id(), &bytes);
    }

    /// Forgets the session of a client whose connection ended by an alert (RFC 5246 section 7.2.2).
    pub(crate) fn forget_client(&mut self, id: &[u8]) {
        self.of_clients.take(id);
    }
}

/// What the session of a connection may be resumed by.
#[derive(Debug)]
pub(crate) enum Resumable {
    /// By nothing.
    Never,
    /// By the client here, with this server.
    WithServer(SocketAddr),
    /// By the client there, which names it so; empty before it is made.
    ByClient(Box<[u8]>),
}

impl<T: Transport> Dtls<T> {
    /// Keeps the session of a connection that is there now, and tells how that came about.
    pub(crate) fn keep_session(
        &mut self,
        now: Instant,
        id: ConnectionId,
        session: Option<dimpl::Session>,
    ) -> Established {
        let Some(connection) = self.connections.get_mut(&id) else {
            return Established::Full;
        };
        let is_resumed = connection.is_resumed();
        if let Some(sessions) = &mut self.sessions {
            match (&mut connection.resumable, session) {
                (Resumable::WithServer(server), Some(session)) if !is_resumed => {
                    sessions.keep_of_server(*server, session, now);
                }
                (Resumable::WithServer(server), None) => sessions.forget_server(*server),
                (Resumable::ByClient(name), Some(session)) => {
                    *name = session.id().into();
                    if !is_resumed {
                        sessions.keep_of_client(&session, now);
                    }
                }
                _ => {}
            }
        }
        match is_resumed {
            true => Established::Resumed,
            false => Established::Full,
        }
    }

    /// Forgets the session of a connection that an alert ended (RFC 5246 section 7.2.2), or that a server would go on with
    /// and could not. A server does so for who has shown that it has the session's keys alone: its identifier is no secret.
    pub(crate) fn forget_failed_session(&mut self, id: ConnectionId, reason: CloseReason) {
        let (Some(connection), Some(sessions)) = (self.connections.get(&id), &mut self.sessions)
        else {
            return;
        };
        let is_alert = matches!(reason, CloseReason::Refused(_) | CloseReason::PeerAlert(_));
        let has_failed = !connection.is_established && connection.is_resumed();
        match &connection.resumable {
            Resumable::WithServer(server) if is_alert || has_failed => {
                sessions.forget_server(*server);
            }
            Resumable::ByClient(name) if is_alert => sessions.forget_client(name),
            _ => {}
        }
    }
}
