use std::io;

use lasthop_contract::{Direction, Link, LinkInput, LinkOutput, Port};
use lasthop_measure::Histogram;
use lasthop_units::Instant;

use crate::{PacketDevice, WallClock};

/// Two devices joined by a link of ours: the first device is at port 0, the second at port 1.
#[derive(Debug)]
pub struct Relay<'fd, L> {
    clock: WallClock,
    link: L,
    devices: [PacketDevice<'fd>; 2],
    deadline: Option<Instant>,
    packets: u64,
    dropped: u64,
    lateness: Histogram,
}

/// How many packets of a device are taken before the other one and deadlines get their turn.
const PACKETS_A_TURN: usize = 32;

impl<'fd, L: Link> Relay<'fd, L> {
    /// A relay with nothing on its way.
    pub fn new(clock: WallClock, link: L, devices: [PacketDevice<'fd>; 2]) -> Self {
        Self {
            clock,
            link,
            devices,
            deadline: None,
            packets: 0,
            dropped: 0,
            lateness: Histogram::new(),
        }
    }

    /// Carries packets until `end`.
    ///
    /// # Errors
    /// When a device is gone.
    pub fn run_until(&mut self, end: Instant) -> io::Result<()> {
        loop {
            let now = self.clock.now();
            if now >= end {
                return Ok(());
            }
            if let Some(deadline) = self.deadline.filter(|at| *at <= now) {
                self.lateness.record(now - deadline);
                self.link.handle(now, LinkInput::Timeout);
            }
            self.settle(now)?;
            let taken = self.take_packets(0)? + self.take_packets(1)?;
            if taken == 0 {
                let mut ready = [self.devices[0].readable(), self.devices[1].readable()];
                let next = self.deadline.map_or(end, |at| at.min(end));
                self.clock.wait(&mut ready, Some(next))?;
            }
        }
    }

    /// How many packets entered.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// How many packets the link dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many packets a device did not take.
    pub fn refused(&self) -> u64 {
        self.devices.iter().map(PacketDevice::refused).sum()
    }

    /// How late deadlines of the link were served.
    pub fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    fn take_packets(&mut self, side: usize) -> io::Result<usize> {
        for taken in 0..PACKETS_A_TURN {
            let Some(mut packet) = self.devices[side].read()? else {
                return Ok(taken);
            };
            let now = self.clock.now();
            packet.enter(self.packets, Direction::ALL[side]);
            self.packets += 1;
            let port = Port(side as u32);
            self.link.handle(now, LinkInput::Offered { port, packet });
            self.settle(now)?;
        }
        Ok(PACKETS_A_TURN)
    }

    fn settle(&mut self, now: Instant) -> io::Result<()> {
        loop {
            match self.link.poll(now) {
                LinkOutput::Deliver { port, packet } => {
                    if let Some(device) = self.devices.get_mut(port.0 as usize) {
                        device.write(&packet)?;
                    }
                }
                LinkOutput::Drop { .. } => self.dropped += 1,
                LinkOutput::Duplicated { .. } | LinkOutput::RadioTime { .. } => {}
                LinkOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return Ok(());
                }
            }
        }
    }
}
