use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::sync::Arc;

use lasthop_contract::{ClientSessions, RandomStream, Survives};
use lasthop_units::Instant;
use rustls::{ClientConfig, ServerConfig};

use crate::crypto_context::{self, CryptoContext, RUN_STARTS, store_of};
use crate::{ClientProfile, ServerProfile};

/// The random numbers, time and sessions of a host, for libraries that implement TLS sessions themselves, such as QUIC.
pub struct Workplace {
    host: Option<Box<CryptoContext>>,
    room: usize,
}

impl Workplace {
    /// Creates it for a host that remembers `room` sessions as a server. Without a stream the system gives random
    /// numbers.
    #[must_use]
    pub fn new(random: Option<RandomStream>, room: usize) -> Self {
        Self {
            host: Some(Box::new(CryptoContext {
                now: Instant::ZERO,
                random,
                peer: None,
                notes_data: true,
                tickets: ClientSessions::new(),
                sessions: store_of(room),
            })),
            room,
        }
    }

    /// Works for the host, on a connection that leads to the peer.
    pub fn enter<R>(
        &mut self,
        now: Instant,
        peer: Option<SocketAddr>,
        work: impl FnOnce() -> R,
    ) -> R {
        if let Some(host) = &mut self.host {
            host.now = now;
            host.peer = peer;
        }
        CryptoContext::enter(&mut self.host, work)
    }

    /// Handles a power failure: sessions are lost unless they are in flash.
    pub fn crash(&mut self, survives: Survives) {
        if let Some(host) = &mut self.host
            && !survives.tickets.is_durable()
        {
            host.tickets = ClientSessions::new();
            host.sessions = store_of(self.room);
        }
    }

    /// Fills bytes with random numbers of the run, within [`Workplace::enter`]; returns whether there are any.
    #[must_use]
    pub fn draw(bytes: &mut [u8]) -> bool {
        crypto_context::fill(bytes)
    }

    /// The time of a run on a calendar, since 1970, within [`Workplace::enter`].
    #[must_use]
    pub fn calendar() -> Option<Duration> {
        let time = CryptoContext::with(|it| it.calendar(RUN_STARTS))?;
        Some(Duration::from_secs(time.as_secs()))
    }
}

impl fmt::Debug for Workplace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workplace")
    }
}

impl ClientProfile {
    /// Returns the configuration for the library.
    #[must_use]
    pub fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.config)
    }

    /// The name of the server.
    #[must_use]
    pub fn server_name(&self) -> String {
        self.server.to_str().into_owned()
    }
}

impl ServerProfile {
    /// Returns the configuration for the library.
    #[must_use]
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    /// Returns the number of sessions that it remembers.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }
}
