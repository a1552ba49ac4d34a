//! A gateway on sockets while somebody sets the clock of its machine by a day.

use core::net::{Ipv4Addr, SocketAddr};
use core::sync::atomic::{AtomicI64, Ordering};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

use lasthop_gateway::Calendar;
use lasthop_jwt::TokenKey;
use lasthop_live::WallTime;
use lasthop_live::gateway::{Administration, DataPlace, DurableStore, Revoking, new_key};
use lasthop_live::serve::{Offer, Served, Server};
use lasthop_mqtt::codec::{Connect, PublishHead};
use lasthop_mqtt::{Qos, Version};
use lasthop_units::{Duration, Instant};

const DEVICE: &str = "projects/p1/locations/eu/registries/r1/devices/d1";
const DAY: i64 = 24 * 3600;
const CONNACK: [u8; 4] = [0x20, 2, 0, 0];
const REFUSED: [u8; 4] = [0x20, 2, 0, 4];
const PUBACK: [u8; 4] = [0x40, 2, 0, 1];

/// The clock of the machine, ahead by so many seconds.
#[derive(Clone, Debug, Default)]
struct SetClock(Arc<AtomicI64>);

impl Calendar for SetClock {
    fn at(&self, _now: Instant) -> Duration {
        Duration::from_secs(seconds_now(self.0.load(Ordering::SeqCst)))
    }
}

fn seconds_now(ahead: i64) -> u64 {
    let right = WallTime::calendar_now().as_nanos() / 1_000_000_000;
    right.saturating_add_signed(ahead)
}

/// A device on a connection.
#[expect(
    clippy::disallowed_types,
    reason = "a client that is none of ours, at a real socket"
)]
struct Device(std::net::TcpStream);

#[expect(
    clippy::disallowed_types,
    reason = "a client that is none of ours, at a real socket"
)]
impl Device {
    /// Comes with a token that is good for an hour from so many seconds from now on; and what it is told.
    fn come(server: SocketAddr, key: &TokenKey, begins: i64) -> (Self, [u8; 4]) {
        let issued = seconds_now(begins);
        let token = key.token("p1", issued, issued + 3600);
        let connect = Connect {
            keep_alive: 60,
            user_name: Some("unused"),
            password: Some(token.as_bytes()),
            ..Connect::new(Version::V3_1_1, DEVICE)
        };
        let mut stream = std::net::TcpStream::connect(server).unwrap();
        stream.write_all(&connect.write()).unwrap();
        let mut device = Self(stream);
        let told = device.hear();
        (device, told)
    }

    fn say(&mut self, payload: &str) -> [u8; 4] {
        let head = PublishHead::new("/devices/d1/events", Qos::AtLeastOnce, 1, payload.len());
        let head = head.write(Version::V3_1_1);
        self.0.write_all(&head).unwrap();
        self.0.write_all(payload.as_bytes()).unwrap();
        self.hear()
    }

    fn hear(&mut self) -> [u8; 4] {
        let mut told = [0; 4];
        self.0.read_exact(&mut told).unwrap();
        told
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a server runs beside the devices that it serves"
)]
fn a_clock_that_jumps_by_a_day_sends_nobody_away_and_asks_whoever_comes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clock_jumps");
    let _ = fs::remove_dir_all(&folder);
    let data = DataPlace::folder(&folder).unwrap();
    let (private, public) = new_key().unwrap();
    let key = TokenKey::from_pem(&private).unwrap();
    let mut log = Administration::open(&data).unwrap();
    assert!(
        log.put_device(DEVICE, &[public], None, Revoking::Ends)
            .unwrap()
    );
    let (clock, data) = (SetClock::default(), data);
    let calendar = clock.clone();
    let (stop, stopped) = UnixStream::pair().unwrap();
    let (tells, told) = mpsc::channel();
    let server = thread::spawn(move || {
        let offer = Offer {
            gateway: Some(DurableStore::open(&data).unwrap()),
            gateway_calendar: Some(Box::new(calendar)),
            ..Offer::default()
        };
        let anywhere = (Ipv4Addr::LOCALHOST, 0).into();
        let server = Server::bind(&[(Served::Mqtt, vec![anywhere])], offer, 1).unwrap();
        tells.send(server.addresses().next().unwrap().1).unwrap();
        server.run(stopped).unwrap();
    });
    let place = told.recv().unwrap();
    let (mut first, told) = Device::come(place, &key, 0);
    assert_eq!(told, CONNACK);
    assert_eq!(first.say("before"), PUBACK);

    clock.0.store(DAY, Ordering::SeqCst);
    assert_eq!(first.say("a day ahead"), PUBACK);
    assert_eq!(Device::come(place, &key, 0).1, REFUSED);
    let (mut second, told) = Device::come(place, &key, DAY);
    assert_eq!((told, second.say("of that day")), (CONNACK, PUBACK));

    clock.0.store(-DAY, Ordering::SeqCst);
    assert_eq!(second.say("a day behind"), PUBACK);
    assert_eq!(Device::come(place, &key, 0).1, REFUSED);
    assert_eq!(Device::come(place, &key, DAY).1, REFUSED);

    clock.0.store(0, Ordering::SeqCst);
    let (mut third, told) = Device::come(place, &key, 0);
    assert_eq!((told, third.say("right again")), (CONNACK, PUBACK));
    drop(stop);
    server.join().unwrap();
    let logged = log.messages(1, 100).unwrap();
    let said: Vec<_> = logged.iter().map(|it| it.payload.as_slice()).collect();
    let all: [&[u8]; 5] = [
        b"before",
        b"a day ahead",
        b"of that day",
        b"a day behind",
        b"right again",
    ];
    assert_eq!(said, all);
    assert!(logged[1].at.0 - logged[0].at.0 >= DAY as u64);
    assert!(logged[3].at < logged[0].at && logged[0].at <= logged[4].at);
}
