//! What ends when a device gets other keys or is blocked, and what goes on.

use lasthop_broker::{Authority, Client, Credentials, Identity, Keeper, KeeperOutput};
use lasthop_gateway::{
    Attaches, Change, DeviceLimits, DevicePath, DeviceRecord, Fingerprint, Gateway, GatewayConfig,
    GatewayPort, MemoryStore, UnixTime,
};
use lasthop_units::Instant;

use super::signer::{DEVICE, EcSigner, NOW};

const GATEWAY: &str = "projects/p1/locations/eu/registries/r1/devices/g1";

struct World {
    port: GatewayPort,
    store: MemoryStore,
}

impl World {
    fn new() -> Self {
        let config = GatewayConfig {
            starts: UnixTime(NOW),
            limits: DeviceLimits::default(),
        };
        let store = MemoryStore::default();
        let gateway = Gateway::new(config, Box::new(store.clone()));
        let port = GatewayPort::new(gateway);
        let world = Self { port, store };
        world.put(DEVICE, &[1], false);
        world
    }

    fn put(&self, path: &str, signers: &[u8], is_blocked: bool) {
        let keys = signers.iter().map(|it| EcSigner::new(*it).public());
        self.store.change(Change::Device(DeviceRecord {
            path: path_of(path),
            keys: keys.collect(),
            attaches: path.ends_with("g1").then_some(Attaches::WithToken),
            is_blocked,
        }));
    }

    fn revoke(&self, signer: u8) {
        let gone = vec![fingerprint(signer)];
        self.store.change(Change::Revoked(path_of(DEVICE), gone));
    }

    fn may_come(&self, signer: u8) -> Option<Identity> {
        let token = EcSigner::new(signer).honest();
        let credentials = shown(DEVICE, &token);
        let admission = self.port.identify(Instant::ZERO, &credentials).ok()?;
        Some(admission.identity)
    }

    fn connect(&mut self, path: &str, signer: u8) -> Identity {
        let token = EcSigner::new(signer).honest();
        let admission = self.port.identify(Instant::ZERO, &shown(path, &token));
        let identity = admission.unwrap().identity;
        let client_id = path;
        self.port.came(Client {
            identity,
            client_id,
        });
        identity
    }

    fn ended(&mut self) -> Vec<String> {
        let outputs = core::iter::from_fn(|| self.port.poll(Instant::ZERO));
        let outputs = outputs.filter_map(|output| match output {
            KeeperOutput::End(client) => Some(client.into()),
            KeeperOutput::Reconsider(client) => Some(format!("reconsider {client}")),
            _ => None,
        });
        outputs.collect()
    }
}

fn shown<'a>(path: &'a str, token: &'a str) -> Credentials<'a> {
    Credentials {
        client_id: path.as_bytes(),
        password: Some(token.as_bytes()),
        ..Credentials::default()
    }
}

fn path_of(text: &str) -> DevicePath {
    DevicePath::parse(text).unwrap()
}

fn fingerprint(signer: u8) -> Fingerprint {
    EcSigner::new(signer).public().fingerprint()
}

#[test]
fn a_connection_by_a_key_that_is_revoked_ends() {
    let mut world = World::new();
    world.connect(DEVICE, 1);
    world.put(DEVICE, &[2], false);
    world.revoke(1);
    assert_eq!(world.ended(), [DEVICE]);
    assert!(world.may_come(1).is_none());
    assert!(world.may_come(2).is_some());
}

#[test]
fn a_connection_that_is_kept_goes_on_and_its_key_serves_no_other_one() {
    let mut world = World::new();
    let identity = world.connect(DEVICE, 1);
    world.put(DEVICE, &[2], false);
    assert!(world.ended().is_empty());
    let client = Client {
        identity,
        client_id: DEVICE,
    };
    assert!(world.port.may_publish(client, "/devices/d1/events"));
    assert!(world.may_come(1).is_none());
    // A later rotation ends what is by the keys that it takes away, and no other.
    world.put(DEVICE, &[3], false);
    world.revoke(2);
    assert!(world.ended().is_empty());
    world.revoke(1);
    assert_eq!(world.ended(), [DEVICE]);
}

#[test]
fn a_device_that_came_again_by_its_new_key_keeps_its_connection() {
    let mut world = World::new();
    world.connect(DEVICE, 1);
    world.put(DEVICE, &[1, 2], false);
    world.connect(DEVICE, 2);
    world.put(DEVICE, &[2], false);
    world.revoke(1);
    assert!(world.ended().is_empty());
    // A token that was shown for a connection which did not come about changes nothing.
    world.put(DEVICE, &[2, 3], false);
    assert!(world.may_come(3).is_some());
    world.put(DEVICE, &[2], false);
    world.revoke(3);
    assert!(world.ended().is_empty());
}

#[test]
fn nobody_speaks_for_a_device_by_a_key_that_is_revoked() {
    let mut world = World::new();
    world.put(GATEWAY, &[5], false);
    let gateway = world.connect(GATEWAY, 5);
    let client = Client {
        identity: gateway,
        client_id: GATEWAY,
    };
    let attach = |world: &mut World, signer| {
        let token = EcSigner::new(signer).honest();
        let payload = format!(r#"{{"authorization":"{token}"}}"#);
        let publication = lasthop_broker::Publication {
            topic: "/devices/d1/attach",
            payload: payload.as_bytes(),
            properties: &[],
            qos: lasthop_broker::Qos::AtLeastOnce,
            retain: false,
            expires_at: None,
            id: None,
            origin: lasthop_broker::Origin::Gone,
        };
        world
            .port
            .take(Instant::ZERO, client, &publication)
            .unwrap();
        world.port.may_publish(client, "/devices/d1/events")
    };
    assert!(attach(&mut world, 1));
    world.put(DEVICE, &[2], false);
    world.revoke(1);
    assert_eq!(world.ended(), [format!("reconsider {GATEWAY}")]);
    assert!(!world.port.may_publish(client, "/devices/d1/events"));
    assert!(attach(&mut world, 2));
    world.put(DEVICE, &[2], true);
    let ended = world.ended();
    assert_eq!(ended, [format!("reconsider {GATEWAY}"), DEVICE.into()]);
    assert!(!attach(&mut world, 2), "a device that is blocked");
}

#[test]
fn a_device_that_is_blocked_is_not_served_until_it_is_not() {
    let mut world = World::new();
    let identity = world.connect(DEVICE, 1);
    let client = Client {
        identity,
        client_id: DEVICE,
    };
    world.put(DEVICE, &[1], true);
    assert_eq!(world.ended(), [DEVICE]);
    assert!(world.may_come(1).is_none());
    assert!(!world.port.may_publish(client, "/devices/d1/events"));
    world.put(DEVICE, &[1], false);
    assert!(world.ended().is_empty());
    assert_eq!(world.may_come(1), Some(identity));
}

#[test]
fn a_key_is_known_by_the_sum_that_openssl_prints() {
    let printed = fingerprint(1).to_string();
    assert_eq!(
        printed,
        "f857ae4ed6e34e33761aea25caaee3fe54a15960fb92dcd63a375ab121deb2a9"
    );
    assert_eq!(Fingerprint::parse(&printed), Some(fingerprint(1)));
    for other in ["", "7c", "é".repeat(32).as_str(), "zz".repeat(32).as_str()] {
        assert_eq!(Fingerprint::parse(other), None, "{other}");
    }
}
