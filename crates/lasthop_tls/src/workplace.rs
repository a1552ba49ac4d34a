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
    /// Creates the context of a host that remembers up to `room` sessions as a server. Without a stream, random numbers
    /// come from the system.
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

    /// Runs `work` with the random numbers, time and sessions of the host, for a connection to `peer`.
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

    /// Handles a power failure: sessions that are not in flash are lost.
    pub fn crash(&mut self, survives: Survives) {
        if let Some(host) = &mut self.host
            && !survives.tickets.is_durable()
        {
            host.tickets = ClientSessions::new();
            host.sessions = store_of(self.room);
        }
    }

    /// Fills bytes with random numbers of the run. Returns `false` if the host has no random stream, and outside of
    /// [`Workplace::enter`].
    #[must_use]
    pub fn draw(bytes: &mut [u8]) -> bool {
        crypto_context::fill(bytes)
    }

    /// Returns the run's calendar time since 1970. Returns `None` outside of [`Workplace::enter`].
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
    /// Returns the client configuration for rustls.
    #[must_use]
    pub fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.config)
    }

    /// Returns the name of the server.
    #[must_use]
    pub fn server_name(&self) -> String {
        self.server.to_str().into_owned()
    }
}

impl ServerProfile {
    /// Returns the server configuration for rustls.
    #[must_use]
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    /// Returns the number of sessions that the server remembers.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }
}
