//! What a device may do that speaks for others, and what it is told when it may not.

use lasthop_broker::{Authority, Client, Credentials, Identity, Keeper, KeeperOutput, NotKept};
use lasthop_broker::{Origin, Publication, Qos, TopicFilter};
use lasthop_gateway::{
    Attaches, Change, DeviceLimits, DevicePath, DeviceRecord, Gateway, GatewayConfig, GatewayPort,
    MemoryStore, UnixTime,
};
use lasthop_units::{Duration, Instant};

use super::signer::{DEVICE, EcSigner, NOW};

const GATEWAY: &str = "projects/p1/locations/eu/registries/r1/devices/g1";
const SECOND: &str = "projects/p1/locations/eu/registries/r1/devices/g2";

/// A device, and two that speak for others.
struct World {
    port: GatewayPort,
    store: MemoryStore,
    now: Instant,
}

impl World {
    fn new(attaches: Attaches) -> Self {
        let config = GatewayConfig {
            starts: UnixTime(NOW),
            limits: DeviceLimits::default(),
        };
        let store = MemoryStore::default();
        let gateway = Gateway::new(config, Box::new(store.clone()));
        let world = Self {
            port: GatewayPort::new(gateway),
            store,
            now: Instant::ZERO,
        };
        for (path, signer, attaches) in [
            (DEVICE, 1, None),
            (GATEWAY, 2, Some(attaches)),
            (SECOND, 3, Some(attaches)),
        ] {
            world.add(path, signer, attaches);
        }
        world
    }

    fn add(&self, path: &str, signer: u8, attaches: Option<Attaches>) {
        self.store.change(Change::Device(DeviceRecord {
            path: path_of(path),
            keys: vec![EcSigner::new(signer).public()],
            attaches,
            is_blocked: false,
        }));
    }

    fn bind(&self, gateway: &str) {
        let change = Change::Bound(path_of(gateway), path_of(DEVICE));
        self.store.change(change);
    }

    fn connect(&self, path: &str, signer: u8) -> Identity {
        let token = EcSigner::new(signer).honest();
        let credentials = Credentials {
            client_id: path.as_bytes(),
            password: Some(token.as_bytes()),
            ..Credentials::default()
        };
        self.port.identify(self.now, &credentials).unwrap().identity
    }

    /// What a client is told of what it publishes.
    fn say(&mut self, identity: Identity, topic: &str, payload: &str) -> Vec<String> {
        let publication = Publication {
            topic,
            payload: payload.as_bytes(),
            properties: &[],
            qos: Qos::AtLeastOnce,
            retain: false,
            expires_at: None,
            id: None,
            origin: Origin::Gone,
        };
        let client = Client {
            identity,
            client_id: "",
        };
        match self.port.take(self.now, client, &publication) {
            Ok(_) => self.outputs(),
            Err(why) => vec![format!("{why:?}")],
        }
    }

    fn outputs(&mut self) -> Vec<String> {
        let said = core::iter::from_fn(|| self.port.poll(self.now));
        said.map(|output| match output {
            KeeperOutput::Settled(_, outcome) => format!("{outcome:?}"),
            KeeperOutput::Publish(message) => {
                let said = message.publication();
                let text = String::from_utf8_lossy(said.payload);
                format!("{} {text}", said.topic)
            }
            KeeperOutput::Reconsider(client) => {
                format!("reconsider {}", path_of(&client).device())
            }
            KeeperOutput::Disconnect(client) => format!("away {}", path_of(&client).device()),
            KeeperOutput::End(client) => format!("end {}", path_of(&client).device()),
        })
        .collect()
    }

    fn may_hear(&self, identity: Identity, filter: &str) -> bool {
        let client = Client {
            identity,
            client_id: "",
        };
        let filter = TopicFilter::parse(filter).unwrap();
        self.port.may_subscribe(client, &filter)
    }
}

fn path_of(text: &str) -> DevicePath {
    DevicePath::parse(text).unwrap()
}

fn authorization(token: &str) -> String {
    format!("{{\"authorization\": \"{token}\"}}")
}

const ATTACH: &str = "/devices/d1/attach";
const DETACH: &str = "/devices/d1/detach";
const EVENTS: &str = "/devices/d1/events/alarm";
const DONE: [&str; 1] = ["Ok(())"];

/// What is told of a device that cannot be attached.
const REFUSED: &str = "/devices/g1/errors {\"description\":\"the device cannot be attached by this gateway\",\
    \"device_id\":\"d1\",\"error_type\":\"GATEWAY_ATTACHMENT_ERROR\",\
    \"message_info\":{\"message_type\":\"attach\",\"topic\":\"/devices/d1/attach\"}}";

#[test]
fn it_speaks_for_a_bound_device_from_attach_to_detach() {
    let mut world = World::new(Attaches::Bound);
    let gateway = world.connect(GATEWAY, 2);
    assert_eq!(world.say(gateway, ATTACH, ""), [REFUSED, DONE[0]]);
    world.bind(GATEWAY);
    assert!(world.outputs().is_empty());
    // To be bound is not to be attached.
    let told = world.say(gateway, EVENTS, "x");
    assert!(told[0].contains("GATEWAY_DEVICE_NOT_FOUND"), "{told:?}");
    assert_eq!(told[1], "Err(Denied)");
    assert!(!world.may_hear(gateway, "/devices/d1/config"));
    assert_eq!(world.say(gateway, ATTACH, ""), DONE);
    for topic in [EVENTS, "/devices/d1/state", "/devices/g1/events"] {
        assert_eq!(world.say(gateway, topic, "x"), DONE, "{topic}");
    }
    for (filter, may) in [
        ("/devices/d1/config", true),
        ("/devices/d1/commands/#", true),
        ("/devices/d1/errors", false),
        ("/devices/g1/errors", true),
        ("/devices/d1/#", false),
        ("/devices/+/config", false),
    ] {
        assert_eq!(world.may_hear(gateway, filter), may, "{filter}");
    }
    assert_eq!(world.say(gateway, DETACH, ""), ["reconsider g1", "Ok(())"]);
    assert!(!world.may_hear(gateway, "/devices/d1/config"));
    let told = world.say(gateway, DETACH, "");
    assert!(told[0].contains("GATEWAY_DETACHMENT_DEVICE_ERROR"));
    let log = world.store.messages_from(1);
    let said: Vec<&str> = log.iter().map(|it| &*it.device).collect();
    assert_eq!(said, [DEVICE, DEVICE, GATEWAY]);
}

#[test]
fn a_token_of_the_device_is_asked_for_where_the_gateway_is_not_believed_alone() {
    for attaches in Attaches::ALL {
        for (is_bound, shows_token) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let mut world = World::new(attaches);
            if is_bound {
                world.bind(GATEWAY);
            }
            let gateway = world.connect(GATEWAY, 2);
            let token = authorization(&EcSigner::new(1).honest());
            let said = world.say(gateway, ATTACH, if shows_token { &token } else { "" });
            let may = match attaches {
                Attaches::Bound => is_bound,
                Attaches::WithToken => shows_token,
                Attaches::BoundWithToken => is_bound && shows_token,
            };
            assert_eq!(said == DONE, may, "{attaches:?} {is_bound} {shows_token}");
            assert!(may || said[0] == REFUSED);
        }
    }
}

#[test]
fn what_is_no_token_of_the_device_attaches_nothing() {
    let mut world = World::new(Attaches::WithToken);
    let gateway = world.connect(GATEWAY, 2);
    let token = EcSigner::new(1).honest();
    let twice = format!(
        "{{\"authorization\": \"x\", {}",
        &authorization(&token)[1..]
    );
    for payload in [
        String::new(),
        token.clone(),
        authorization(&EcSigner::new(2).honest()),
        authorization(&token[..token.len() - 4]),
        authorization(&"x".repeat(100_000)),
        format!("[{}]", authorization(&token)),
        twice,
        "{\"authorization\": 7}".into(),
        "\0".into(),
    ] {
        assert_eq!(world.say(gateway, ATTACH, &payload), [REFUSED, DONE[0]]);
    }
    for device in ["d9", "g1", "g2", "", "+", "#", "../d1"] {
        let topic = format!("/devices/{device}/attach");
        assert_ne!(world.say(gateway, &topic, &authorization(&token)), DONE);
    }
    assert_eq!(world.say(gateway, ATTACH, &authorization(&token)), DONE);
}

#[test]
fn an_attachment_ends_with_the_token_that_made_it() {
    let mut world = World::new(Attaches::WithToken);
    let gateway = world.connect(GATEWAY, 2);
    let token = authorization(&EcSigner::new(1).honest());
    assert_eq!(world.say(gateway, ATTACH, &token), DONE);
    world.now = Instant::ZERO + Duration::from_secs(3600 + 599);
    assert_eq!(world.say(gateway, EVENTS, "x"), DONE);
    world.now = Instant::ZERO + Duration::from_secs(3600 + 600);
    // What it is told now is not for who spoke for it.
    let command = Change::Commanded(path_of(DEVICE), String::new(), b"open".into());
    world.store.change(command);
    let told = ["reconsider g1", "/devices/d1/commands open"];
    assert_eq!(world.outputs(), told);
    assert!(world.say(gateway, EVENTS, "x")[0].contains("GATEWAY_DEVICE_NOT_FOUND"));
}

#[test]
fn one_speaks_for_a_device_at_a_time() {
    let mut world = World::new(Attaches::Bound);
    world.bind(GATEWAY);
    world.bind(SECOND);
    let (first, second) = (world.connect(GATEWAY, 2), world.connect(SECOND, 3));
    assert_eq!(world.say(first, ATTACH, ""), DONE);
    assert_eq!(world.say(first, ATTACH, ""), DONE);
    assert_eq!(world.say(second, ATTACH, ""), ["reconsider g1", "Ok(())"]);
    assert!(!world.may_hear(first, "/devices/d1/config"));
    assert!(world.may_hear(second, "/devices/d1/config"));
    assert_eq!(world.say(second, EVENTS, "x"), DONE);
    // A device that comes itself speaks for itself.
    world.connect(DEVICE, 1);
    assert_eq!(world.outputs(), ["reconsider g2"]);
    assert!(!world.may_hear(second, "/devices/d1/config"));
}

#[test]
fn whoever_loses_the_right_loses_the_device() {
    let losses: [fn(&World); 5] = [
        |world| {
            let change = Change::Unbound(path_of(GATEWAY), path_of(DEVICE));
            world.store.change(change);
        },
        |world| world.store.change(Change::Removed(path_of(GATEWAY))),
        |world| world.store.change(Change::Removed(path_of(DEVICE))),
        |world| world.add(GATEWAY, 2, None),
        |world| {
            world.connect(GATEWAY, 2);
        },
    ];
    for (number, loss) in losses.into_iter().enumerate() {
        let mut world = World::new(Attaches::Bound);
        world.bind(GATEWAY);
        let gateway = world.connect(GATEWAY, 2);
        assert_eq!(world.say(gateway, ATTACH, ""), DONE);
        loss(&world);
        world.outputs();
        assert!(!world.may_hear(gateway, "/devices/d1/config"), "{number}");
        assert_ne!(world.say(gateway, EVENTS, "x"), DONE, "{number}");
        assert!(world.store.messages_from(1).is_empty());
    }
}

#[test]
fn a_device_that_speaks_for_nobody_is_cut_off_for_trying() {
    let mut world = World::new(Attaches::Bound);
    let device = world.connect(DEVICE, 1);
    for topic in [ATTACH, DETACH, "/devices/g1/attach", "/devices/g1/events"] {
        assert_eq!(world.say(device, topic, ""), ["Denied"], "{topic}");
    }
}

#[test]
fn trying_in_vain_is_limited() {
    let mut world = World::new(Attaches::Bound);
    let gateway = world.connect(GATEWAY, 2);
    let limit = format!("{:?}", NotKept::Limit);
    let told = (0..150).filter(|_| world.say(gateway, ATTACH, "") != [&*limit]);
    assert_eq!(told.count(), 100);
    assert_eq!(world.say(gateway, EVENTS, "x"), [&*limit]);
}

#[test]
fn a_device_of_another_registry_is_never_attached() {
    let mut world = World::new(Attaches::WithToken);
    let other = DEVICE.replace("/r1/", "/r2/").replace("/d1", "/d7");
    world.add(&other, 1, None);
    let gateway = world.connect(GATEWAY, 2);
    let token = authorization(&EcSigner::new(1).honest());
    let told = world.say(gateway, "/devices/d7/attach", &token);
    assert!(told[0].contains("GATEWAY_ATTACHMENT_ERROR"), "{told:?}");
}
