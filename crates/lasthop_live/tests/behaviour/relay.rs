use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use lasthop_link::delay::{Constant, Delay};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_live::{End, PacketDevice, Poller, WallTime, Watch, join, live_run};
use lasthop_units::Duration;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

/// Two ends that keep the borders of packets, as a TUN device does.
pub(crate) fn pair() -> (OwnedFd, OwnedFd) {
    let flags = SocketFlags::NONBLOCK;
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap()
}

/// What waits at an end.
pub(crate) fn packets_at(end: &OwnedFd) -> Vec<Vec<u8>> {
    let mut buffer = [0; 2000];
    let mut packets = Vec::new();
    while let Ok(length) = rustix::io::read(end, &mut buffer) {
        packets.push(buffer[..length].to_vec());
    }
    packets
}

#[test]
fn carries_packets_both_ways_after_the_delay_of_the_link() {
    let delay = Duration::from_millis(20);
    let late = DirectionConfig {
        delay: Some(Delay::from(Constant { delay })),
        ..DirectionConfig::default()
    };
    let config = LinkConfig {
        up: late.clone(),
        down: late,
        ..LinkConfig::default()
    };
    let ((near, near_device), (far, far_device)) = (pair(), pair());
    let (time, poller) = (WallTime::starting_now(), Poller::new().unwrap());
    let devices = [&near_device, &far_device].map(|end| PacketDevice::new(end, &poller).unwrap());
    let refused = devices.each_ref().map(PacketDevice::refused);
    let begin = time.now();
    let watch = Watch::until(begin + Duration::from_millis(1), Rc::default());
    let mut run = live_run(time, &poller, watch);
    let link = Box::new(DuplexLink::new(&config, 1, "path/0"));
    join(&mut run, link, devices.map(End::Outside));
    rustix::io::write(&near, b"to the far end").unwrap();
    rustix::io::write(&far, b"to the near end").unwrap();
    let never = AtomicBool::new(false);
    run.run(&never);
    // A machine that stopped us for so long has let the packets through already.
    if time.now() < begin + delay {
        assert!(packets_at(&near).is_empty() && packets_at(&far).is_empty());
    }
    run.observer_mut().end = time.now() + delay * 2;
    run.run(&never);
    assert_eq!(packets_at(&far), [b"to the far end"]);
    assert_eq!(packets_at(&near), [b"to the near end"]);
    let watch = run.observer();
    assert_eq!((watch.packets(), watch.dropped()), (2, 0));
    assert!(refused.iter().all(|refused| refused.get() == 0));
    assert!((1..=2).contains(&watch.lateness().count()));
}
