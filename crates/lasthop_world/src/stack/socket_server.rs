use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_dtls::PreSharedKeys;
use lasthop_tls::{Chain, RootCertStore};

/// The trust settings of secured clients for external servers. `Debug` does not print keys.
#[derive(Clone, Default)]
pub struct SocketTrust {
    /// The trusted roots.
    pub roots: Option<Arc<RootCertStore>>,
    /// The certificate chain for servers that request one.
    pub presented: Option<Chain>,
    /// The pre-shared keys of DTLS by device name. A single key is for all devices.
    pub keys: Option<PreSharedKeys>,
    /// The host and the authority of each server, by the layers of its stack without IP: `mqtt/tls/tcp`.
    pub servers: BTreeMap<String, (String, String)>,
}

/// An external server, as the layers of a stack see it.
#[derive(Clone, Copy, Debug)]
pub struct SocketServer<'a> {
    /// The host name of the server, which its certificate must contain.
    pub host: &'a str,
    /// The authority of the server: its host with its port, as in a URL.
    pub authority: &'a str,
    /// The trust settings.
    pub trust: &'a SocketTrust,
    /// The start of the run in seconds since 1970.
    pub today: u64,
}

impl SocketTrust {
    /// Returns the server for stacks with these layers, if there is one.
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
    /// Returns the trusted roots.
    ///
    /// # Errors
    /// When nobody's are known, in words.
    pub fn roots(&self) -> Result<Arc<RootCertStore>, String> {
        let roots = self.trust.roots.clone();
        roots.ok_or_else(|| format!("nobody is known who vouches for {}", self.authority))
    }

    /// Returns the certificate chain to present. With `insists`, having none is an error.
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
