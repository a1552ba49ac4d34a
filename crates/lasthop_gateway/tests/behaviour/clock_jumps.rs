//! A clock that is set while devices are served: what goes by it, and what goes by the time that passes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lasthop_broker::{Admission, Credentials};
use lasthop_gateway::{
    Calendar, Change, DeviceLimits, DevicePath, DeviceRecord, Gateway, GatewayConfig, GatewayEvent,
    Journal, Kind, MemoryStore, Protocol, UnixTime,
};
use lasthop_units::{Duration, Instant};

use super::signer::{DEVICE, ES256, EcSigner, NOW};

const DAY: i64 = 24 * 3600;
const TOPIC: &str = "/devices/d1/events";

/// A clock that is ahead of the right time by so many seconds.
#[derive(Clone, Debug, Default)]
struct SetClock(Rc<Cell<i64>>);

impl Calendar for SetClock {
    fn at(&self, now: Instant) -> Duration {
        let right = Duration::from_secs(NOW) + now.since_start();
        let by = Duration::from_secs(self.0.get().unsigned_abs());
        if self.0.get() < 0 {
            right - by
        } else {
            right + by
        }
    }
}

/// What was written down of clocks.
#[derive(Clone, Debug, Default)]
struct Told(Rc<RefCell<Vec<i64>>>);

impl Journal for Told {
    fn tell(&mut self, event: &GatewayEvent<'_>) {
        if let GatewayEvent::ClockWasSet(by) = event {
            self.0.borrow_mut().push(*by);
        }
    }
}

struct World {
    gateway: Gateway,
    store: MemoryStore,
    clock: SetClock,
    told: Told,
}

impl World {
    fn new() -> Self {
        let config = GatewayConfig {
            starts: UnixTime(0),
            limits: DeviceLimits::default(),
        };
        let (store, clock, told) = <(MemoryStore, SetClock, Told)>::default();
        store.change(Change::Device(DeviceRecord {
            path: DevicePath::parse(DEVICE).unwrap(),
            keys: vec![EcSigner::new(1).public()],
            attaches: None,
            is_blocked: false,
        }));
        let gateway = Gateway::new(config, Box::new(store.clone()))
            .by_calendar(Box::new(clock.clone()))
            .written_down_by(Box::new(told.clone()));
        Self {
            gateway,
            store,
            clock,
            told,
        }
    }

    fn show(&mut self, seconds: u64, token: &str) -> Option<Admission> {
        let credentials = Credentials {
            client_id: DEVICE.as_bytes(),
            password: Some(token.as_bytes()),
            ..Credentials::default()
        };
        let admitted = self
            .gateway
            .admit(after(seconds), Protocol::Mqtt, &credentials);
        admitted.ok()
    }
}

fn after(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(seconds)
}

/// A token that is good for an hour from a time on.
fn token(begins: i64) -> String {
    let begins = NOW.checked_add_signed(begins).unwrap();
    let claims = format!(r#"{{"iat":{begins},"exp":{},"aud":"p1"}}"#, begins + 3600);
    EcSigner::new(1).token(ES256, &claims)
}

#[test]
fn tokens_are_held_against_the_clock_as_it_is_now() {
    for (by, good, bad) in [(DAY, DAY, 0), (-DAY, -DAY, 0), (3600, 3600, -700)] {
        let mut world = World::new();
        assert!(world.show(1, &token(0)).is_some());
        world.clock.0.set(by);
        assert!(world.show(2, &token(good)).is_some(), "{by}");
        assert!(world.show(3, &token(bad)).is_none(), "{by}");
        // One that was believed before the clock was set is asked again.
        assert_eq!(world.show(4, &token(0)).is_some(), by == 3600, "{by}");
        world.clock.0.set(0);
        assert!(world.show(5, &token(0)).is_some(), "{by}");
        assert_eq!(*world.told.0.borrow(), [by, -by]);
    }
}

#[test]
fn a_connection_lasts_as_long_as_its_token_had_left_whatever_becomes_of_the_clock() {
    for by in [DAY, -DAY] {
        let mut world = World::new();
        let admitted = world.show(100, &token(0)).unwrap();
        assert_eq!(admitted.ends_at, Some(after(4200)));
        world.clock.0.set(by);
        let taken = world
            .gateway
            .take(after(200), admitted.identity, TOPIC, b"x");
        assert!(taken.is_ok());
        // What comes by the new clock has the rest of its own token.
        let later = world.show(300, &token(by)).unwrap();
        assert_eq!(later.ends_at, Some(after(4200)));
    }
}

#[test]
fn the_log_tells_the_time_of_the_clock_and_keeps_its_order() {
    let mut world = World::new();
    let device = world.show(0, &token(0)).unwrap().identity;
    for (second, by) in [(1, 0), (2, DAY), (3, -DAY)] {
        world.clock.0.set(by);
        let now = after(second);
        world.gateway.take(now, device, TOPIC, b"x").unwrap();
    }
    let said = world.store.messages_from(1);
    let times: Vec<(u64, i64, Kind)> = said
        .iter()
        .map(|it| (it.offset, it.at.0.cast_signed() - NOW as i64, it.kind))
        .collect();
    let event = Kind::Event;
    assert_eq!(
        times,
        [(1, 1, event), (2, DAY + 2, event), (3, 3 - DAY, event)]
    );
}

#[test]
fn rates_know_nothing_of_the_clock() {
    let mut world = World::new();
    let device = world.show(0, &token(0)).unwrap().identity;
    for by in [0, DAY, -DAY] {
        world.clock.0.set(by);
        let mut say = |_| world.gateway.take(after(1), device, TOPIC, b"x").is_ok();
        let taken = (0..150).filter(|it| say(*it)).count();
        assert_eq!(taken, if by == 0 { 100 } else { 0 }, "{by}");
    }
}

#[test]
fn a_clock_that_is_corrected_bit_by_bit_is_nothing_to_write_down() {
    let mut world = World::new();
    for step in 0..100 {
        world.clock.0.set(step * 20);
        while world.gateway.poll(after(step as u64)).is_some() {}
    }
    assert!(world.told.0.borrow().is_empty());
}
