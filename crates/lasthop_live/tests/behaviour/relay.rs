use std::os::fd::{AsFd, OwnedFd};

use lasthop_link::delay::{Constant, Delay};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_live::{PacketDevice, Relay, WallClock};
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
    let clock = WallClock::starting_now();
    let devices = [
        PacketDevice::new(near_device.as_fd()).unwrap(),
        PacketDevice::new(far_device.as_fd()).unwrap(),
    ];
    let mut relay = Relay::new(clock, DuplexLink::new(&config, 1, "path/0"), devices);
    rustix::io::write(&near, b"to the far end").unwrap();
    rustix::io::write(&far, b"to the near end").unwrap();
    let begin = clock.now();
    relay.run_until(begin + Duration::from_millis(1)).unwrap();
    // A machine that stopped us for so long has let the packets through already.
    if clock.now() < begin + delay {
        assert!(packets_at(&near).is_empty() && packets_at(&far).is_empty());
    }
    relay.run_until(clock.now() + delay * 2).unwrap();
    assert_eq!(packets_at(&far), [b"to the far end"]);
    assert_eq!(packets_at(&near), [b"to the near end"]);
    assert_eq!(
        (relay.packets(), relay.dropped(), relay.refused()),
        (2, 0, 0)
    );
    assert!((1..=2).contains(&relay.lateness().count()));
}
