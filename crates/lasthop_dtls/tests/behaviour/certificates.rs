use std::sync::Arc;

use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Cause, CloseReason, RandomStream};
use lasthop_dtls::{ClientProfile, ServerProfile, Settings, Version};
use lasthop_tls::{Authority, Chain, Issue, KeyKind, Trust};

use crate::world::World;

const SERVER: &str = "server.example";

// RFC 5246 section 7.2.
const HANDSHAKE_FAILURE: u8 = 40;
const BAD_CERTIFICATE: u8 = 42;
const UNSUPPORTED_CERTIFICATE: u8 = 43;
const CERTIFICATE_EXPIRED: u8 = 45;
const UNKNOWN_CA: u8 = 48;

/// Who shows what, and who believes whom.
pub(crate) struct Ends {
    version: Version,
    trust: Option<Trust>,
    shown: Option<Chain>,
    server: Chain,
    clients: Option<Trust>,
}

fn authority(seed: u64) -> Authority {
    Authority::new(KeyKind::EcdsaP256, RandomStream::named(seed, "credentials"))
}

impl Ends {
    /// The client believes the server; the server wants nothing.
    pub(crate) fn usual(version: Version, seed: u64) -> Self {
        let mut authority = authority(seed);
        Self {
            version,
            trust: Trust::in_server(Arc::new(authority.roots()), SERVER),
            shown: None,
            server: authority.issue(&Issue::of_server(SERVER, 1)),
            clients: None,
        }
    }

    /// Both show who they are.
    pub(crate) fn both(version: Version, seed: u64) -> Self {
        let mut authority = authority(seed);
        let roots = Arc::new(authority.roots());
        Self {
            version,
            trust: Trust::in_server(Arc::clone(&roots), SERVER),
            server: authority.issue(&Issue::of_server(SERVER, 1)),
            shown: Some(authority.issue(&Issue::of_client("device.example"))),
            clients: Some(Trust::in_clients(roots)),
        }
    }

    pub(crate) fn server(self) -> Chain {
        self.server
    }

    pub(crate) fn world(self, seed: u64) -> World {
        self.world_of(seed, &Settings::default(), true)
    }

    pub(crate) fn world_of(self, seed: u64, settings: &Settings, cookie: bool) -> World {
        let (client, server) = self.profiles(settings, cookie);
        World::of(seed, client, server)
    }

    pub(crate) fn profiles(
        self,
        settings: &Settings,
        cookie: bool,
    ) -> (ClientProfile, ServerProfile) {
        let Self {
            version,
            trust,
            shown,
            server,
            clients,
        } = self;
        let client = ClientProfile::with_certificates(settings, version, trust, shown);
        let server = ServerProfile::with_certificate(settings, version, server, clients, cookie);
        (client.unwrap(), server.unwrap())
    }
}

const VERSIONS: [Version; 2] = [Version::V1_2, Version::V1_3];

#[test]
fn a_session_comes_about_by_the_certificate_of_the_server_and_by_those_of_both() {
    let ends = VERSIONS.map(|version| [Ends::usual(version, 1), Ends::both(version, 1)]);
    for ends in ends.into_iter().flatten() {
        let mut world = ends.world(1);
        let (here, there) = world.connect();
        world.send(Up, here, b"there");
        world.send(Down, there, b"and back");
        world.run(1);
        assert_eq!(world.received(Down, there), [b"there"]);
        assert_eq!(world.received(Up, here), [b"and back"]);
    }
}

#[test]
fn two_runs_of_a_seed_agree_in_every_byte_of_certificates_too() {
    let bytes = |version, seed| {
        let mut world = Ends::both(version, seed).world(seed);
        world.ends.lost = vec![(Up, 1), (Down, 1), (Up, 3)];
        world.open();
        world.run(60);
        assert!(world.established(Up).is_some());
        (world.sent(Up), world.sent(Down))
    };
    for version in VERSIONS {
        assert_eq!(bytes(version, 1), bytes(version, 1));
        assert_ne!(bytes(version, 1), bytes(version, 2));
    }
}

#[test]
fn certificates_stand_in_the_ledger_with_their_length() {
    for (version, context_and_extensions) in [(Version::V1_2, 0), (Version::V1_3, 1 + 2)] {
        let ends = Ends::usual(version, 1);
        let length = ends.server.certificates()[0].len();
        let mut world = ends.world(1);
        world.connect();
        let told: usize = world
            .sent(Down)
            .iter()
            .flat_map(|it| &it.spans)
            .filter(|(provenance, _)| provenance.cause == Cause::Certificates)
            .map(|(_, count)| count)
            .sum();
        // The header of the message, the length of the list and that of its one certificate (RFC 5246 section 7.4.2, RFC
        // 8446 section 4.4.2).
        assert_eq!(told, 12 + 3 + 3 + context_and_extensions + length);
    }
}

#[test]
fn a_server_that_cannot_be_believed_is_refused_with_the_reason() {
    let day = 24 * 3600;
    for (issue, roots, alert) in [
        (
            Issue::of_server(SERVER, 1),
            authority(2).roots(),
            UNKNOWN_CA,
        ),
        (
            Issue {
                valid_until: -day / 2,
                ..Issue::of_server(SERVER, 1)
            },
            authority(1).roots(),
            CERTIFICATE_EXPIRED,
        ),
        (
            Issue::of_server("other.example", 1),
            authority(1).roots(),
            BAD_CERTIFICATE,
        ),
        (
            Issue {
                is_for_client: true,
                ..Issue::of_server(SERVER, 1)
            },
            authority(1).roots(),
            UNSUPPORTED_CERTIFICATE,
        ),
    ] {
        let roots = Arc::new(roots);
        for version in VERSIONS {
            let ends = Ends {
                version,
                trust: Trust::in_server(Arc::clone(&roots), SERVER),
                shown: None,
                server: authority(1).issue(&issue),
                clients: None,
            };
            let mut world = ends.world(1);
            let id = world.open();
            world.send(Up, id, b"for nobody");
            world.run(5);
            let refused = Some(CloseReason::Refused(alert));
            assert_eq!(world.closed(Up), refused, "{version:?} {issue:?}");
            let told = Some(CloseReason::PeerAlert(alert));
            assert_eq!(world.closed(Down), told, "{version:?} {issue:?}");
            assert!(world.established(Up).is_none());
        }
    }
}

#[test]
fn a_server_without_a_name_to_be_believed_by_is_taken_as_it_is() {
    let ends = Ends {
        trust: None,
        ..Ends::usual(Version::V1_2, 1)
    };
    ends.world(1).connect();
}

/// Clients that a server does not believe, each with the alert that tells it so.
fn unbelievable() -> [(Option<Chain>, u8); 3] {
    let stranger = authority(2).issue(&Issue::of_client("device.example"));
    let server = authority(1).issue(&Issue::of_server(SERVER, 1));
    [
        (None, HANDSHAKE_FAILURE),
        (Some(stranger), UNKNOWN_CA),
        (Some(server), UNSUPPORTED_CERTIFICATE),
    ]
}

#[test]
fn a_client_that_cannot_be_believed_is_told_why_and_nothing_of_it_is_taken() {
    for (shown, alert) in unbelievable() {
        // Its flight in two datagrams, and in many.
        for largest_datagram in [1_200, 200] {
            let settings = Settings {
                largest_datagram,
                ..Settings::default()
            };
            let ends = Ends {
                shown: shown.clone(),
                ..Ends::both(Version::V1_2, 1)
            };
            let mut world = ends.world_of(1, &settings, true);
            let id = world.open();
            world.send(Up, id, b"for nobody");
            world.run(5);
            assert_eq!(world.closed(Down), Some(CloseReason::Refused(alert)));
            assert_eq!(world.closed(Up), Some(CloseReason::PeerAlert(alert)));
            assert!(world.established(Down).is_none());
            assert!(world.established(Up).is_none());
        }
    }
}

#[test]
fn a_client_that_loses_its_refusal_tries_until_its_timers_end() {
    let refused = || {
        let (shown, _) = unbelievable()[1].clone();
        Ends {
            shown,
            ..Ends::both(Version::V1_2, 1)
        }
        .world(1)
    };
    let mut world = refused();
    world.open();
    world.run(5);
    let alert = world.sent(Down).len() as u64 - 1;
    let tried = world.sent(Up).len();
    let mut world = refused();
    world.ends.lost = vec![(Down, alert)];
    world.open();
    world.run(300);
    assert_eq!(world.closed(Up), Some(CloseReason::TimedOut));
    assert!(world.established(Up).is_none());
    assert!(world.sent(Up).len() > tried);
}

#[test]
fn an_end_with_a_key_and_one_with_a_certificate_do_not_meet() {
    let key = crate::world::Setting::new(1);
    let client = ClientProfile::with_key(&key.common, key.key).unwrap();
    let version = Version::V1_2;
    let server = Ends::usual(version, 1).server;
    let server = ServerProfile::with_certificate(&key.common, version, server, None, true);
    let server = server.unwrap();
    let mut world = World::of(1, client, server);
    world.open();
    world.run(5);
    assert!(world.established(Up).is_none());
    assert!(matches!(world.closed(Up), Some(CloseReason::PeerAlert(_))));
}
