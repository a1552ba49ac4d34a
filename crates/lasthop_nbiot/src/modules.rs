use std::collections::VecDeque;

use lasthop_contract::{Packet, RadioCause, RadioState};
use lasthop_units::{Duration, Instant};

use crate::config::{ModuleTime, NetworkConfig};
use crate::device::{Device, DeviceKey};

/// The firmware of the modules, as a delay that is the same for every packet of a direction.
#[derive(Debug)]
pub(crate) struct Modules {
    send: Duration,
    receive: Duration,
    up: VecDeque<(Instant, DeviceKey, Packet)>,
    down: VecDeque<(Instant, DeviceKey, Packet)>,
}

impl Modules {
    pub(crate) fn new(time: &ModuleTime) -> Self {
        Self {
            send: Duration::from_millis(time.send_ms.into()),
            receive: Duration::from_millis(time.receive_ms.into()),
            up: VecDeque::new(),
            down: VecDeque::new(),
        }
    }

    /// An application sends a packet: gives it back where that takes no time.
    pub(crate) fn send(&mut self, now: Instant, key: DeviceKey, packet: Packet) -> Option<Packet> {
        if self.send == Duration::ZERO {
            return Some(packet);
        }
        self.up.push_back((now + self.send, key, packet));
        None
    }

    /// A packet has arrived by radio: gives it back where the rest takes no time.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        key: DeviceKey,
        packet: Packet,
    ) -> Option<Packet> {
        if self.receive == Duration::ZERO {
            return Some(packet);
        }
        self.down.push_back((now + self.receive, key, packet));
        None
    }

    /// When the next packet leaves.
    pub(crate) fn next(&self) -> Option<Instant> {
        let up = self.up.front().map(|(at, ..)| *at);
        let down = self.down.front().map(|(at, ..)| *at);
        up.into_iter().chain(down).min()
    }

    /// A packet that is at the radio by now.
    pub(crate) fn sent(&mut self, now: Instant) -> Option<(DeviceKey, Packet)> {
        let (_, key, packet) = self.up.pop_front_if(|(at, ..)| *at <= now)?;
        Some((key, packet))
    }

    /// A packet that is at the application by now.
    pub(crate) fn received(&mut self, now: Instant) -> Option<(DeviceKey, Packet)> {
        let (_, key, packet) = self.down.pop_front_if(|(at, ..)| *at <= now)?;
        Some((key, packet))
    }

    /// Since when a module has worked on a packet that is at the radio now, and until when.
    pub(crate) fn sending_until(&self, now: Instant) -> (Instant, Instant) {
        (before(now, self.send), now)
    }

    /// The same of one that is at the application.
    pub(crate) fn receiving_until(&self, now: Instant) -> (Instant, Instant) {
        (before(now, self.receive), now)
    }

    /// How many packets are in them.
    pub(crate) fn packets(&self) -> u64 {
        (self.up.len() + self.down.len()) as u64
    }

    /// The radio of an idle device whose module was awake for a packet until now.
    pub(crate) fn account_sent(&self, device: &mut Device, config: &NetworkConfig, now: Instant) {
        account(device, config, now, self.send);
    }

    /// The same for a packet that came.
    pub(crate) fn account_received(
        &self,
        device: &mut Device,
        config: &NetworkConfig,
        now: Instant,
    ) {
        account(device, config, now, self.receive);
    }
}

/// Nobody measured a module's work apart from its listening: it draws as much.
fn account(device: &mut Device, config: &NetworkConfig, now: Instant, awake: Duration) {
    if !device.is_idle() || device.is_off {
        return;
    }
    let since = before(now, awake);
    device.account_idle(config, since);
    device
        .radio
        .spend(now, RadioState::Receive, RadioCause::Module);
}

fn before(now: Instant, time: Duration) -> Instant {
    Instant::from_nanos(now.as_nanos().saturating_sub(time.as_nanos()))
}
