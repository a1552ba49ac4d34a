use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_dtls::PreSharedKeys;
use lasthop_tls::{Chain, RootCertStore};

/// How secured clients on sockets know servers that are none of the run. Of keys nothing is printed.
#[derive(Clone, Default)]
pub struct SocketTrust {
    /// Whose certificates they believe.
    pub roots: Option<Arc<RootCertStore>>,
    /// What they show to a server that asks.
    pub presented: Option<Chain>,
    /// The keys that DTLS has in common with its server, by the names of devices; a lone one is that of all.
    pub keys: Option<PreSharedKeys>,
    /// The host of each server and its authority, by the layers of stacks without IP: `mqtt/tls/tcp`.
    pub servers: BTreeMap<String, (String, String)>,
}

/// A server that is none of the run, as the layers of a stack on sockets know it.
#[derive(Clone, Copy, Debug)]
pub struct SocketServer<'a> {
    /// Its host, whose certificate it shows.
    pub host: &'a str,
    /// The host with its port, as it is asked for on the web.
    pub authority: &'a str,
    /// How it is known.
    pub trust: &'a SocketTrust,
    /// When the run begins, in seconds since 1970.
    pub today: u64,
}

impl SocketTrust {
    /// A server that stacks of these layers are for.
    #[must_use]
    pub fn server<'a>(&'a self, layers: &str, today: u64) -> Option<SocketServer<'a>> {
        let (host, authority) = self.servers.get(layers)?;
        Some(SocketServer {
            host,
            authority,
            trust: self,
            today,
        })
    }
}

impl SocketServer<'_> {
    /// Whose certificates are believed.
    ///
    /// # Errors
    /// When nobody's are known, in words.
    pub fn roots(&self) -> Result<Arc<RootCertStore>, String> {
        let roots = self.trust.roots.clone();
        roots.ok_or_else(|| format!("nobody is known who vouches for {}", self.authority))
    }

    /// What is shown to it, which a stack may insist on.
    ///
    /// # Errors
    /// When there is nothing to show, in words.
    pub fn presented(&self, insists: bool) -> Result<Option<Chain>, String> {
        match &self.trust.presented {
            None if insists => Err("client_certificate=on, and no certificate is given".to_owned()),
            presented => Ok(presented.clone()),
        }
    }
}

impl fmt::Debug for SocketTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = &self.servers;
        f.debug_struct("SocketTrust")
            .field("servers", servers)
            .finish_non_exhaustive()
    }
}
