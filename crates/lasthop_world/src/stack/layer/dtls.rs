use core::cell::OnceCell;

use lasthop_contract::Transport;
use lasthop_dtls::{ClientProfile, Dtls, PreSharedKey, PreSharedKeys, ServerProfile, Settings};

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options};

/// DTLS 1.2 (RFC 6347).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "dtls",
    summary: "secured datagrams",
    carries: &[Carriage::Datagrams],
    over: &[Carriage::Datagrams],
    options: OPTIONS,
    kind: LayerKind::Transport(|_, options| Box::new(Secured::new(options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "auth",
        OptionKind::Word(&["psk"]),
        "how the ends show who they are",
    )
    .default("psk")
    .credentials(&[("psk", "pre-shared key")]),
    OptionEntry::new(
        "cookie",
        OptionKind::Switch,
        "a server holds nothing for a client that has not shown its address",
    )
    .default("on"),
    OptionEntry::new(
        "cid",
        OptionKind::Size(0, 32),
        "length of the connection ID in the records to the server; 0B for none",
    )
    .default("0B"),
    OptionEntry::new(
        "timeout",
        OptionKind::Time,
        "how long a flight of the handshake waits for its answer at first",
    )
    .default("1s"),
    OptionEntry::new(
        "retries",
        OptionKind::Count(0, 20),
        "how often a flight is sent again",
    )
    .default("5"),
];

/// How DTLS behaves at both ends.
struct Secured {
    settings: Settings,
    asks_for_cookie: bool,
    server: OnceCell<ServerProfile>,
}

const FITS: &str = "what the catalogue allows fits together";

impl Secured {
    fn new(options: Options<'_>) -> Self {
        Self {
            settings: Settings {
                first_timeout: options.time("timeout"),
                retries: options.small("retries") as u8,
                connection_id: options.small("cid") as u8,
                ..Settings::default()
            },
            asks_for_cookie: options.switch("cookie"),
            server: OnceCell::new(),
        }
    }

    fn client(&self, host: &HostEnd<'_>) -> ClientProfile {
        let identity = format!("{}-{}", host.name, host.number);
        let key = PreSharedKey::of_run(host.seed, &identity);
        ClientProfile::with_key(&self.settings, key).expect(FITS)
    }

    fn server(&self, seed: u64) -> ServerProfile {
        let server = self.server.get_or_init(|| {
            let keys = PreSharedKeys::of_run(seed);
            ServerProfile::with_keys(&self.settings, keys, self.asks_for_cookie).expect(FITS)
        });
        server.clone()
    }
}

impl LayerBuilder for Secured {
    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport> {
        let (client, server) = match role {
            Role::Client => (Some(self.client(host)), None),
            Role::Server => (None, Some(self.server(host.seed))),
        };
        let lower = below.into_transport();
        Box::new(Dtls::new(lower, client, server, Some(host.stream("dtls"))))
    }
}
