//! Session stores of rustls that keep sessions and tickets with the host.

use std::sync::Arc;

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use rustls::server::StoresServerSessions;

use crate::crypto_context::CryptoContext;

/// A session that a client may resume.
#[derive(Debug)]
pub(crate) enum Remembered {
    /// By its id, again and again (RFC 5246 section 7.3).
    Tls12(Tls12ClientSessionValue),
    /// By a ticket, once (RFC 8446 section 4.6.1).
    Tls13(Box<Tls13ClientSessionValue>),
}

/// The sessions of the client that is worked for, by the address of the server: names may be shared.
#[derive(Debug)]
pub(crate) struct OfClient;

impl OfClient {
    pub(crate) fn shared() -> Arc<dyn ClientSessionStore> {
        Arc::new(Self)
    }
}

impl ClientSessionStore for OfClient {
    fn set_kx_hint(&self, _name: ServerName<'static>, group: NamedGroup) {
        CryptoContext::with(|it| {
            if let Some(peer) = it.peer {
                it.tickets.set_key_exchange(peer, group.into());
            }
        });
    }

    fn kx_hint(&self, _name: &ServerName<'_>) -> Option<NamedGroup> {
        let group = CryptoContext::with(|it| it.tickets.key_exchange(&it.peer?))??;
        Some(group.into())
    }

    fn set_tls12_session(&self, _name: ServerName<'static>, session: Tls12ClientSessionValue) {
        CryptoContext::with(|it| {
            if let Some(peer) = it.peer {
                it.tickets.keep_reusable(peer, Remembered::Tls12(session));
            }
        });
    }

    fn tls12_session(&self, _name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        CryptoContext::with(|it| match it.tickets.reusable(&it.peer?)? {
            Remembered::Tls12(session) => Some(session.clone()),
            Remembered::Tls13(_) => None,
        })?
    }

    fn remove_tls12_session(&self, _name: &ServerName<'static>) {
        CryptoContext::with(|it| {
            if let Some(peer) = it.peer {
                it.tickets.forget_reusable(&peer);
            }
        });
    }

    fn insert_tls13_ticket(&self, _name: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        CryptoContext::with(|it| {
            if let Some(peer) = it.peer {
                it.tickets.keep(peer, Remembered::Tls13(Box::new(ticket)));
            }
        });
    }

    fn take_tls13_ticket(&self, _name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        CryptoContext::with(|it| match it.tickets.take(&it.peer?)? {
            Remembered::Tls13(ticket) => Some(*ticket),
            Remembered::Tls12(_) => None,
        })?
    }
}

/// The sessions of the server that is worked for.
#[derive(Debug)]
pub(crate) struct OfServer;

impl StoresServerSessions for OfServer {
    fn put(&self, id: Vec<u8>, session: Vec<u8>) -> bool {
        CryptoContext::with(|it| Some(it.sessions.as_mut()?.put(&id, &session)))
            .flatten()
            .unwrap_or(false)
    }

    fn get(&self, id: &[u8]) -> Option<Vec<u8>> {
        CryptoContext::with(|it| it.sessions.as_ref()?.get(id).map(<[u8]>::to_vec))?
    }

    fn take(&self, id: &[u8]) -> Option<Vec<u8>> {
        CryptoContext::with(|it| it.sessions.as_mut()?.take(id).map(Vec::from))?
    }

    fn can_cache(&self) -> bool {
        true
    }
}
