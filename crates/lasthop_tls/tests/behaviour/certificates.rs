use lasthop_contract::{CloseReason, Direction, Established, RandomStream};
use lasthop_tls::{
    Authority, Chain, CredentialFiles, Given, Issue, KeyKind, RUN_STARTS, Verify, Version,
};

use crate::world::{NAME, Setting};

// RFC 8446 section 6.
const BAD_CERTIFICATE: u8 = 42;
const CERTIFICATE_EXPIRED: u8 = 45;
const UNKNOWN_CA: u8 = 48;
const CERTIFICATE_REQUIRED: u8 = 116;
const PROTOCOL_VERSION: u8 = 70;
const HANDSHAKE_FAILURE: u8 = 40;
const NO_APPLICATION_PROTOCOL: u8 = 120;

/// Why each end of a connection whose handshake fails ends it.
fn reasons(setting: Setting) -> [Option<CloseReason>; 2] {
    let mut world = setting.world();
    world.open(b"");
    world.run(5);
    Direction::ALL.map(|end| world.closed(end))
}

fn shown(change: impl Fn(&mut Setting) -> Chain) -> [Option<CloseReason>; 2] {
    let mut setting = Setting::new(Version::Tls13);
    setting.server.credentials = change(&mut setting);
    reasons(setting)
}

fn refused_by_client(alert: u8) -> [Option<CloseReason>; 2] {
    [
        Some(CloseReason::Refused(alert)),
        Some(CloseReason::PeerAlert(alert)),
    ]
}

#[test]
fn a_client_refuses_what_it_cannot_believe() {
    let expired = shown(|it| {
        it.authority.issue(&Issue {
            valid_until: -1,
            ..Issue::of_server(NAME, 1)
        })
    });
    assert_eq!(expired, refused_by_client(CERTIFICATE_EXPIRED));
    let not_yet = shown(|it| {
        it.authority.issue(&Issue {
            valid_from: 3600,
            ..Issue::of_server(NAME, 1)
        })
    });
    assert_eq!(not_yet, refused_by_client(CERTIFICATE_EXPIRED));
    let of_another = shown(|it| it.authority.issue(&Issue::of_server("other.example", 1)));
    assert_eq!(of_another, refused_by_client(BAD_CERTIFICATE));
    let stranger = shown(|_| {
        let stream = RandomStream::named(9, "stranger");
        Authority::new(KeyKind::EcdsaP256, stream).issue(&Issue::of_server(NAME, 2))
    });
    assert_eq!(stranger, refused_by_client(UNKNOWN_CA));
    let itself = shown(|_| {
        let mut stream = RandomStream::named(9, "itself");
        Chain::self_signed(KeyKind::EcdsaP256, &Issue::of_server(NAME, 1), &mut stream)
    });
    assert_eq!(itself, refused_by_client(UNKNOWN_CA));
    let of_client = shown(|it| it.authority.issue(&Issue::of_client(NAME)));
    let alert = match of_client[0] {
        Some(CloseReason::Refused(alert)) => alert,
        other => panic!("{other:?}"),
    };
    assert_eq!(of_client, refused_by_client(alert));
}

#[test]
fn a_certificate_that_expires_during_the_run_is_refused_from_then_on() {
    let mut setting = Setting::new(Version::Tls13);
    setting.client.resumes = false;
    setting.server.credentials = setting.authority.issue(&Issue {
        valid_until: 60,
        ..Issue::of_server(NAME, 1)
    });
    let mut world = setting.world();
    assert_eq!(world.connect(b"").2, [Established::Full; 2]);
    world.run(60);
    world.forget();
    world.open(b"");
    world.run(2);
    let reason = Some(CloseReason::Refused(CERTIFICATE_EXPIRED));
    assert_eq!(world.closed(Direction::Up), reason);
}

#[test]
fn who_verifies_nothing_believes_all_of_it() {
    let mut setting = Setting::new(Version::Tls13);
    setting.client.verify = Verify::Nothing;
    let mut stream = RandomStream::named(9, "itself");
    let issue = Issue {
        valid_until: -1,
        ..Issue::of_server("other.example", 1)
    };
    setting.server.credentials = Chain::self_signed(KeyKind::Ed25519, &issue, &mut stream);
    assert_eq!(setting.world().connect(b"").2, [Established::Full; 2]);
}

#[test]
fn a_server_refuses_a_client_without_a_certificate_and_one_of_a_stranger() {
    let mut setting = Setting::new(Version::Tls13);
    setting.server.clients = Some(Verify::Against(setting.authority.roots().into()));
    let [here, there] = reasons(setting);
    assert_eq!(there, Some(CloseReason::Refused(CERTIFICATE_REQUIRED)));
    assert_eq!(here, Some(CloseReason::PeerAlert(CERTIFICATE_REQUIRED)));

    let mut setting = Setting::new(Version::Tls13);
    setting.server.clients = Some(Verify::Against(setting.authority.roots().into()));
    let mut stranger = Authority::new(KeyKind::EcdsaP256, RandomStream::named(9, "stranger"));
    setting.client.credentials = Some(stranger.issue(&Issue::of_client("device.example")));
    let [here, there] = reasons(setting);
    assert_eq!(there, Some(CloseReason::Refused(UNKNOWN_CA)));
    assert_eq!(here, Some(CloseReason::PeerAlert(UNKNOWN_CA)));
}

/// Ends that show bare keys, the client's to a server that asks for it; they believe each other.
fn with_raw_keys() -> Setting {
    let mut setting = Setting::new(Version::Tls13);
    let client = setting.authority.issue(&Issue::of_client("device.example"));
    let [client, server] = [&client, &setting.server.credentials].map(|it| it.bare().unwrap());
    setting.client.verify = Verify::Keys(vec![server.public_key().unwrap()]);
    setting.server.clients = Some(Verify::Keys(vec![client.public_key().unwrap()]));
    setting.client.credentials = Some(client);
    setting.server.credentials = server;
    setting
}

#[test]
fn bare_keys_that_are_known_are_believed_and_resume_as_certificates_do() {
    let mut world = with_raw_keys().world();
    assert_eq!(world.connect(b"").2, [Established::Full; 2]);
    assert_eq!(world.connect(b"").2, [Established::Resumed; 2]);
}

#[test]
fn a_bare_key_is_that_of_the_certificate() {
    let chain = Setting::new(Version::Tls13).server.credentials;
    let bare = chain.bare().unwrap();
    assert_eq!(bare.public_key(), chain.public_key());
    // Of P-256: 26 bytes of algorithm and curve, and a point of 65 (RFC 5480 section 2).
    assert_eq!(bare.public_key().unwrap().len(), 26 + 65);
}

#[test]
fn bare_keys_that_are_not_known_and_certificates_in_their_place_are_refused() {
    let stranger = || {
        let mut stranger = Authority::new(KeyKind::EcdsaP256, RandomStream::named(9, "stranger"));
        stranger.issue(&Issue::of_client("device.example"))
    };
    let mut setting = with_raw_keys();
    setting.server.credentials = stranger().bare().unwrap();
    let [here, there] = reasons(setting);
    assert_eq!(here, Some(CloseReason::Refused(UNKNOWN_CA)));
    assert_eq!(there, Some(CloseReason::PeerAlert(UNKNOWN_CA)));

    let mut setting = with_raw_keys();
    setting.client.credentials = stranger().bare();
    let [here, there] = reasons(setting);
    assert_eq!(there, Some(CloseReason::Refused(UNKNOWN_CA)));
    assert_eq!(here, Some(CloseReason::PeerAlert(UNKNOWN_CA)));

    // A server that has a certificate alone, and one whose client has.
    let mut setting = with_raw_keys();
    setting.server.credentials = stranger();
    let [_, there] = reasons(setting);
    assert_eq!(there, Some(CloseReason::Refused(HANDSHAKE_FAILURE)));
    let mut setting = with_raw_keys();
    setting.client.credentials = Some(stranger());
    let [_, there] = reasons(setting);
    assert_eq!(there, Some(CloseReason::Refused(HANDSHAKE_FAILURE)));
}

#[test]
fn ends_that_have_nothing_in_common_say_so() {
    use lasthop_tls::{ClientProfile, Group};
    let mixed = |change: &dyn Fn(&mut Setting), wanted: u8| {
        let mut other = Setting::new(Version::Tls13);
        change(&mut other);
        let client = ClientProfile::new(&other.common, other.client).unwrap();
        let mut setting = Setting::new(Version::Tls13);
        setting.common.protocols = vec![b"mqtt".to_vec()];
        let reasons = {
            let mut world = setting.world_with(client);
            world.open(b"");
            world.run(5);
            Direction::ALL.map(|end| world.closed(end))
        };
        let expected = [
            Some(CloseReason::PeerAlert(wanted)),
            Some(CloseReason::Refused(wanted)),
        ];
        assert_eq!(reasons, expected);
    };
    mixed(&|it| it.common.version = Version::Tls12, PROTOCOL_VERSION);
    mixed(
        &|it| it.common.groups = vec![Group::P256],
        HANDSHAKE_FAILURE,
    );
    mixed(
        &|it| it.common.protocols = vec![b"h2".to_vec()],
        NO_APPLICATION_PROTOCOL,
    );
}

#[test]
fn what_a_program_is_given_to_show_is_read_again() {
    for kind in [KeyKind::EcdsaP256, KeyKind::Rsa2048, KeyKind::Ed25519] {
        let stream = RandomStream::named(7, "written");
        let mut authority = Authority::new(kind, stream);
        let chain = authority.issue(&Issue::of_server("server.example", 3));
        let files = chain.to_files().expect("its key is one of a run");
        assert_eq!(format!("{files:?}"), "ChainFiles", "a key is never printed");
        let roots = authority.roots_file();
        let read = Given::read(&CredentialFiles {
            server: (files.certificates.as_bytes(), files.key.as_bytes()),
            name: "server.example",
            client: None,
            roots: roots.as_bytes(),
            starts: RUN_STARTS,
        });
        let read = read.expect("its own authority is believed");
        assert_eq!((read.key, read.roots_file), (kind, roots));
        assert_eq!(read.server.certificates(), chain.certificates());
        let by_ring = Chain::of_pem(files.certificates.as_bytes(), files.key.as_bytes());
        assert_eq!(by_ring.expect("ring reads it").to_files(), None);
    }
}
