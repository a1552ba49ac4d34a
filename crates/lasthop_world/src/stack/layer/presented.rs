use std::sync::Arc;

use lasthop_contract::RandomStream;
use lasthop_tls::{Authority, Chain, ChainFiles, Given, Issue, KeyKind, RUN_STARTS, RootCertStore};

/// The name of every server of a run whose credentials are made from its seed.
const SERVER: &str = "server.example";
const CLIENT: &str = "device.example";

/// The credential files of a server as PEM (RFC 7468), for external software. `Debug` does not print them.
#[derive(Clone, Debug)]
pub struct ServerFiles {
    /// The certificate chain and its key.
    pub chain: ChainFiles,
    /// The root certificate of both ends' certificates.
    pub roots: String,
    /// Whether clients must present a certificate.
    pub asks_clients: bool,
    /// The server name that clients request.
    pub name: String,
}

/// What the ends of a run show each other, and whom they believe.
pub(super) struct Presented {
    pub(super) server: Chain,
    /// The name that clients ask for.
    pub(super) name: String,
    /// What clients show to a server that asks, where they have something.
    pub(super) client: Option<Chain>,
    pub(super) roots: Arc<RootCertStore>,
    /// The same as a file.
    roots_file: String,
    /// When the run starts, in seconds since 1970.
    pub(super) starts: u64,
}

impl Presented {
    /// What is given, or else what `stream` makes: keys of a kind, so many certificates of the server, one of clients.
    pub(super) fn new(
        given: Option<&Given>,
        (key, length, of_client): (KeyKind, u8, bool),
        stream: RandomStream,
    ) -> Self {
        if let Some(given) = given {
            return Self {
                server: given.server.clone(),
                name: given.name.clone(),
                client: given.client.clone().filter(|_| of_client),
                roots: Arc::clone(&given.roots),
                roots_file: given.roots_file.clone(),
                starts: given.starts,
            };
        }
        let mut authority = Authority::new(key, stream);
        Self {
            roots: Arc::new(authority.roots()),
            roots_file: authority.roots_file(),
            server: authority.issue(&Issue::of_server(SERVER, length)),
            name: SERVER.to_owned(),
            client: of_client.then(|| authority.issue(&Issue::of_client(CLIENT))),
            starts: RUN_STARTS,
        }
    }

    /// The same without certificates: public keys alone (RFC 7250).
    pub(super) fn bare(self) -> Self {
        let bare = |chain: &Chain| chain.bare().expect("its certificate can be read");
        Self {
            server: bare(&self.server),
            client: self.client.as_ref().map(bare),
            ..self
        }
    }

    /// What the server shows as files, and whether it `asks_clients` for theirs.
    pub(super) fn server_files(self, asks_clients: bool) -> Option<ServerFiles> {
        Some(ServerFiles {
            chain: self.server.to_files()?,
            roots: self.roots_file,
            asks_clients,
            name: self.name,
        })
    }
}
