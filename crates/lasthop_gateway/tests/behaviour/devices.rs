//! What a device may do once it is believed, and what becomes of what it says.

use lasthop_broker::{Credentials, Identity, KeeperOutput, NotKept, Ticket};
use lasthop_gateway::{
    Change, DeviceLimits, DevicePath, DeviceRecord, Gateway, GatewayConfig, Kind, MemoryStore,
    Protocol, UnixTime,
};
use lasthop_units::{Duration, Instant};

use super::signer::{DEVICE, ES256, EcSigner, NOW};

const OTHER: &str = "projects/p1/locations/eu/registries/r1/devices/d2";

struct World {
    gateway: Gateway,
    store: MemoryStore,
}

impl World {
    fn new(store: MemoryStore) -> Self {
        let config = GatewayConfig {
            starts: UnixTime(NOW),
            limits: DeviceLimits::default(),
        };
        let gateway = Gateway::new(config, Box::new(store.clone()));
        let mut world = Self { gateway, store };
        world.add(DEVICE, 1);
        world.add(OTHER, 2);
        world
    }

    fn add(&mut self, path: &str, signer: u8) {
        self.store.change(Change::Device(DeviceRecord {
            path: path_of(path),
            keys: vec![EcSigner::new(signer).public()],
            attaches: None,
            is_blocked: false,
        }));
    }

    fn admit(&mut self, now: Instant, path: &str, signer: u8) -> Option<Identity> {
        let token = EcSigner::new(signer).honest();
        let credentials = Credentials {
            client_id: path.as_bytes(),
            password: Some(token.as_bytes()),
            ..Credentials::default()
        };
        let admitted = self.gateway.admit(now, Protocol::Mqtt, &credentials).ok()?;
        Some(admitted.identity)
    }

    fn outputs(&mut self) -> Vec<String> {
        let said = core::iter::from_fn(|| self.gateway.poll(Instant::ZERO));
        said.map(|output| match output {
            KeeperOutput::Settled(Ticket(number), outcome) => format!("{number} {outcome:?}"),
            KeeperOutput::Publish(message) => {
                let said = message.publication();
                let text = String::from_utf8_lossy(said.payload);
                format!("{} {text} {}", said.topic, said.retain)
            }
            KeeperOutput::Reconsider(client) => format!("reconsider {client}"),
            KeeperOutput::Disconnect(client) => format!("away {client}"),
            KeeperOutput::End(client) => format!("end {client}"),
        })
        .collect()
    }
}

fn path_of(text: &str) -> DevicePath {
    DevicePath::parse(text).unwrap()
}

/// The server was started again meanwhile.
#[test]
fn a_token_that_was_over_before_the_start_ends_within_the_skew() {
    let mut world = World::new(MemoryStore::default());
    let claims = format!(r#"{{"iat":{},"exp":{},"aud":"p1"}}"#, NOW - 3600, NOW - 598);
    let token = EcSigner::new(1).token(ES256, &claims);
    let credentials = Credentials {
        client_id: DEVICE.as_bytes(),
        password: Some(token.as_bytes()),
        ..Credentials::default()
    };
    let admitted = world
        .gateway
        .admit(Instant::ZERO, Protocol::Mqtt, &credentials);
    let end = Instant::ZERO + Duration::from_secs(2);
    assert_eq!(admitted.unwrap().ends_at, Some(end));
}

#[test]
fn a_connection_ends_ten_minutes_after_its_token() {
    let mut world = World::new(MemoryStore::default());
    let token = EcSigner::new(1).honest();
    let credentials = Credentials {
        client_id: DEVICE.as_bytes(),
        password: Some(token.as_bytes()),
        ..Credentials::default()
    };
    let end = Instant::ZERO + Duration::from_secs(3600 + 600);
    for seconds in [0, 10, 4199] {
        let now = Instant::ZERO + Duration::from_secs(seconds);
        let admitted = world
            .gateway
            .admit(now, Protocol::Mqtt, &credentials)
            .unwrap();
        assert_eq!(admitted.ends_at, Some(end));
    }
    // What was believed once is not believed for ever.
    assert!(
        world
            .gateway
            .admit(end, Protocol::Mqtt, &credentials)
            .is_err()
    );
}

#[test]
fn a_device_has_its_own_topics_alone() {
    let mut world = World::new(MemoryStore::default());
    let device = world.admit(Instant::ZERO, DEVICE, 1).unwrap();
    for (topic, may) in [
        ("/devices/d1/events", true),
        ("/devices/d1/events/alarm", true),
        ("/devices/d1/events/a/b", true),
        ("/devices/d1/state", true),
        ("/devices/d1/events/", false),
        ("/devices/d1/eventsx", false),
        ("/devices/d1/state/x", false),
        ("/devices/d1/config", false),
        ("/devices/d1/commands", false),
        ("/devices/d2/events", false),
        ("/devices/d2/state", false),
        ("/devices/../d1/events", false),
        ("/devices//d1/events", false),
        ("devices/d1/events", false),
        ("$SYS/broker", false),
        ("", false),
    ] {
        assert_eq!(world.gateway.may_publish(device, topic), may, "{topic}");
        let taken = world.gateway.take(Instant::ZERO, device, topic, b"x");
        assert_eq!(taken == Err(NotKept::Denied), !may, "{topic} {taken:?}");
    }
    for (filter, may) in [
        ("/devices/d1/config", true),
        ("/devices/d1/commands/#", true),
        ("/devices/d1/errors", true),
        ("/devices/d1/commands/+", false),
        ("/devices/d1/#", false),
        ("/devices/+/config", false),
        ("/devices/d2/config", false),
        ("/devices/d2/commands/#", false),
        ("/devices/#", false),
        ("/+/d1/config", false),
        ("+/devices/d1/config", false),
        ("#", false),
        ("+", false),
        ("$SYS/#", false),
        ("/devices/d1/events", false),
    ] {
        assert_eq!(world.gateway.may_subscribe(device, filter), may, "{filter}");
    }
    let nobody = Identity::ANONYMOUS;
    assert!(!world.gateway.may_publish(nobody, "/devices/d1/events"));
}

#[test]
fn what_is_settled_is_in_the_log() {
    let mut world = World::new(MemoryStore::with_capacity(2));
    let device = world.admit(Instant::ZERO, DEVICE, 1).unwrap();
    let now = Instant::ZERO + Duration::from_secs(5);
    for (topic, payload) in [
        ("/devices/d1/events/alarm", "smoke"),
        ("/devices/d1/state", "up"),
        ("/devices/d1/events", "lost"),
    ] {
        let taken = world.gateway.take(now, device, topic, payload.as_bytes());
        assert!(taken.is_ok());
    }
    assert_eq!(world.outputs(), ["1 Ok(())", "2 Ok(())", "3 Err(Failed)"]);
    let log = world.store.messages_from(1);
    let kept: Vec<_> = log
        .iter()
        .map(|it| (it.offset, it.kind, &*it.folder, &*it.payload, it.at.0 - NOW))
        .collect();
    assert_eq!(
        kept,
        [
            (1, Kind::Event, "alarm", &b"smoke"[..], 5),
            (2, Kind::State, "", b"up", 5)
        ]
    );
    assert_eq!(log[0].device, DEVICE);
    let counted = world.gateway.counters();
    assert_eq!((counted.kept, counted.failed), (2, 1));
}

#[test]
fn a_device_that_sends_too_much_is_told_so() {
    let mut world = World::new(MemoryStore::default());
    let device = world.admit(Instant::ZERO, DEVICE, 1).unwrap();
    let gateway = &mut world.gateway;
    let events = "/devices/d1/events";
    let mut take = |seconds, topic, size: usize| {
        let now = Instant::ZERO + Duration::from_secs(seconds);
        gateway.take(now, device, topic, &vec![0; size])
    };
    assert!(take(0, events, 256 << 10).is_ok());
    assert_eq!(take(10, events, (256 << 10) + 1), Err(NotKept::Limit));
    let state = "/devices/d1/state";
    assert!(take(20, state, 64 << 10).is_ok());
    assert_eq!(take(20, state, 1), Err(NotKept::Limit));
    assert_eq!(take(30, state, (64 << 10) + 1), Err(NotKept::Limit));
    let taken = (0..150).filter(|_| take(40, events, 0).is_ok()).count();
    assert_eq!(taken, 100);
    assert!(take(50, events, 256 << 10).is_ok() && take(50, events, 256 << 10).is_ok());
    assert_eq!(take(50, events, 1), Err(NotKept::Limit));
}

#[test]
fn devices_come_change_and_go() {
    let mut world = World::new(MemoryStore::default());
    assert!(world.admit(Instant::ZERO, DEVICE, 1).is_some());
    let before = world.admit(Instant::ZERO, OTHER, 2).unwrap();
    world.add(DEVICE, 3);
    assert!(world.admit(Instant::ZERO, DEVICE, 1).is_none());
    assert!(world.admit(Instant::ZERO, DEVICE, 3).is_some());
    // Topics do not name the registry.
    let namesake = DEVICE.replace("/r1/", "/r2/");
    world.add(&namesake, 4);
    assert!(world.admit(Instant::ZERO, &namesake, 4).is_none());
    let config = Change::Configured(path_of(OTHER), 1, b"slow".into());
    world.store.change(config);
    let command = Change::Commanded(path_of(OTHER), "door".into(), b"open".into());
    world.store.change(command);
    let said = [
        "/devices/d2/config slow true",
        "/devices/d2/commands/door open false",
    ];
    assert_eq!(world.outputs(), said);
    world.store.change(Change::Removed(path_of(OTHER)));
    let away = format!("away {OTHER}");
    assert_eq!(world.outputs(), ["/devices/d2/config  true", &away]);
    assert!(world.admit(Instant::ZERO, OTHER, 2).is_none());
    assert!(!world.gateway.may_publish(before, "/devices/d2/events"));
    world.add(OTHER, 2);
    let again = world.admit(Instant::ZERO, OTHER, 2).unwrap();
    assert_ne!(again, before, "a number is nobody else's");
    assert_eq!(world.gateway.device_count(), 2);
}
