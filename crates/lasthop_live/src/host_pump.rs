use std::io;

use lasthop_contract::{
    Direction, DiscardReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, Link, LinkInput,
    LinkOutput, Packet, Port,
};
use lasthop_units::Instant;

use crate::{PacketDevice, WallClock};

/// A host of ours on a device, with a link of ours between them: the host is at port 0, the device at port 1.
#[derive(Debug)]
pub struct HostPump<'fd, H, L> {
    clock: WallClock,
    host: H,
    host_deadline: Option<Instant>,
    link: L,
    link_deadline: Option<Instant>,
    device: PacketDevice<'fd>,
    packets: u64,
    damaged: u64,
}

/// How many packets are taken before deadlines get their turn again.
const PACKETS_A_TURN: usize = 64;

const HOST: Port = Port(0);
const DEVICE: Port = Port(1);

impl<'fd, H: Host, L: Link> HostPump<'fd, H, L> {
    /// A host that has not begun.
    pub fn new(clock: WallClock, host: H, link: L, device: PacketDevice<'fd>) -> Self {
        Self {
            clock,
            host,
            host_deadline: None,
            link,
            link_deadline: None,
            device,
            packets: 0,
            damaged: 0,
        }
    }

    /// Starts the host and runs it until it is done, or until `end`.
    ///
    /// # Errors
    /// When the device is gone.
    pub fn run(&mut self, end: Instant, mut is_done: impl FnMut() -> bool) -> io::Result<()> {
        self.host.handle(self.clock.now(), HostInput::Start);
        loop {
            let now = self.clock.now();
            if self.host_deadline.is_some_and(|at| at <= now) {
                self.host.handle(now, HostInput::Timeout);
            }
            if self.link_deadline.is_some_and(|at| at <= now) {
                self.link.handle(now, LinkInput::Timeout);
            }
            self.settle(now)?;
            if is_done() || now >= end {
                return Ok(());
            }
            if self.take_packets()? == 0 {
                let deadlines = [self.host_deadline, self.link_deadline, Some(end)];
                let deadline = deadlines.into_iter().flatten().min();
                self.clock.wait(&mut [self.device.readable()], deadline)?;
            }
        }
    }

    /// How many packets the host could not read: malformed, or with a wrong checksum.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    fn take_packets(&mut self) -> io::Result<usize> {
        for taken in 0..PACKETS_A_TURN {
            let Some(packet) = self.device.read()? else {
                return Ok(taken);
            };
            let now = self.clock.now();
            self.offer(now, DEVICE, Direction::Down, packet);
            self.settle(now)?;
        }
        Ok(PACKETS_A_TURN)
    }

    fn offer(&mut self, now: Instant, port: Port, direction: Direction, mut packet: Packet) {
        packet.enter(self.packets, direction);
        self.packets += 1;
        self.link.handle(now, LinkInput::Offered { port, packet });
    }

    /// Polls both machines until both wait.
    fn settle(&mut self, now: Instant) -> io::Result<()> {
        loop {
            self.host_deadline = self.drain_host(now);
            let mut touched_host = false;
            self.link_deadline = loop {
                match self.link.poll(now) {
                    LinkOutput::Deliver { port, packet } if port == HOST => {
                        let interface = InterfaceId(0);
                        let input = HostInput::Received { interface, packet };
                        self.host.handle(now, input);
                        touched_host = true;
                    }
                    LinkOutput::Deliver { packet, .. } => self.device.write(&packet)?,
                    LinkOutput::WaitUntil(deadline) => break deadline,
                    _ => {}
                }
            };
            if !touched_host {
                return Ok(());
            }
        }
    }

    fn drain_host(&mut self, now: Instant) -> Option<Instant> {
        loop {
            match self.host.poll(now) {
                HostOutput::Transmit { packet, .. } => {
                    self.offer(now, HOST, Direction::Up, packet);
                }
                HostOutput::Event(HostEvent::Discarded {
                    reason: DiscardReason::Malformed | DiscardReason::BadChecksum,
                    ..
                }) => self.damaged += 1,
                HostOutput::Event(_) => {}
                HostOutput::WaitUntil(deadline) => return deadline,
            }
        }
    }
}
