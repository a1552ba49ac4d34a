use std::collections::VecDeque;

use lasthop_contract::{Packet, Port};
use lasthop_units::{Duration, Instant};

use crate::device::DeviceKey;

/// The network behind the base stations, as a delay that is the same each way for every packet.
#[derive(Debug)]
pub(crate) struct Core {
    delay: Duration,
    up: VecDeque<(Instant, Port, Packet)>,
    down: VecDeque<(Instant, DeviceKey, Packet)>,
}

impl Core {
    pub(crate) const fn new(delay: Duration) -> Self {
        Self {
            delay,
            up: VecDeque::new(),
            down: VecDeque::new(),
        }
    }

    /// A base station hands over a packet for the port of the core's end.
    pub(crate) fn deliver(&mut self, now: Instant, port: Port, packet: Packet) {
        self.up.push_back((now + self.delay, port, packet));
    }

    /// A packet for a device enters.
    pub(crate) fn send_down(&mut self, now: Instant, key: DeviceKey, packet: Packet) {
        self.down.push_back((now + self.delay, key, packet));
    }

    /// When the next packet leaves.
    pub(crate) fn next(&self) -> Option<Instant> {
        let up = self.up.front().map(|(at, ..)| *at);
        let down = self.down.front().map(|(at, ..)| *at);
        up.into_iter().chain(down).min()
    }

    /// A packet that leaves upwards by now.
    pub(crate) fn arrived_up(&mut self, now: Instant) -> Option<(Port, Packet)> {
        let (_, port, packet) = self.up.pop_front_if(|(at, ..)| *at <= now)?;
        Some((port, packet))
    }

    /// A packet that reaches the base station of a device by now.
    pub(crate) fn arrived_down(&mut self, now: Instant) -> Option<(DeviceKey, Packet)> {
        let (_, key, packet) = self.down.pop_front_if(|(at, ..)| *at <= now)?;
        Some((key, packet))
    }

    /// How many packets are in it.
    pub(crate) fn packets(&self) -> u64 {
        (self.up.len() + self.down.len()) as u64
    }
}
