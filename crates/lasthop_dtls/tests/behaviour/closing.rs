use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{CloseReason, ResetReason, Transport, TransportInput};
use lasthop_dtls::{PreSharedKey, PreSharedKeys};

use crate::world::{IDENTITY, Setting};

#[test]
fn both_ends_learn_that_a_connection_is_closed() {
    let mut world = Setting::new(1).world();
    let (here, _) = world.connect();
    let now = world.ends.now();
    world.ends.client.reset(now, here, ResetReason::NotNeeded);
    world.run(1);
    assert_eq!(world.closed(Down), Some(CloseReason::Finished));
    let reset = CloseReason::Reset(ResetReason::NotNeeded);
    assert_eq!(world.closed(Up), Some(reset));
}

#[test]
fn a_host_that_stops_says_so() {
    let mut world = Setting::new(1).world();
    world.connect();
    let now = world.ends.now();
    world.ends.client.handle(now, TransportInput::Stop);
    world.run(1);
    assert_eq!(world.closed(Down), Some(CloseReason::Finished));
}

/// RFC 4279 section 2 and RFC 5246 section 7.2.2.
const DECRYPT_ERROR: u8 = 51;

#[test]
fn another_key_and_an_unknown_name_are_refused_alike() {
    let key = PreSharedKey::given(b"device-0", b"another key");
    let keys = PreSharedKeys::given([PreSharedKey::given(b"device-1", b"a key")]);
    for setting in [
        Setting {
            key,
            ..Setting::new(1)
        },
        Setting {
            keys,
            ..Setting::new(1)
        },
    ] {
        let mut world = setting.world();
        world.open();
        world.run(60);
        assert!(world.established(Up).is_none());
        assert!(world.established(Down).is_none());
        let refused = CloseReason::Refused(DECRYPT_ERROR);
        assert_eq!(world.closed(Down), Some(refused));
        let told = CloseReason::PeerAlert(DECRYPT_ERROR);
        assert_eq!(world.closed(Up), Some(told));
    }
}

#[test]
fn keys_are_not_printed() {
    let key = PreSharedKey::given(IDENTITY.as_bytes(), b"canary");
    let keys = PreSharedKeys::given([key.clone()]);
    let setting = Setting {
        key: key.clone(),
        keys: keys.clone(),
        ..Setting::new(1)
    };
    let world = setting.world();
    let printed = format!("{key:?} {keys:?} {:?}", world.ends.client);
    assert!(!printed.contains("canary") && !printed.contains(&format!("{:?}", b"canary")));
}

#[test]
fn who_hears_nothing_gives_up() {
    let mut world = Setting::new(1).world();
    world.ends.lost = (0..100).map(|number| (Up, number)).collect();
    world.open();
    world.run(600);
    assert_eq!(world.closed(Up), Some(CloseReason::TimedOut));
    // One, and five times again.
    assert_eq!(world.sent(Up).len(), 6);
}
