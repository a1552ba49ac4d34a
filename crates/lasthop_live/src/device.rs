use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use lasthop_contract::{
    Cause, Host, HostInput, HostOutput, InterfaceId, Layer, Packet, Provenance,
};
use lasthop_units::Instant;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::net::sockopt::{socket_domain, socket_type};
use rustix::net::{AddressFamily, SocketType};

use crate::Poller;
use crate::frames::{Frames, Read};
use crate::poller::{Interest, Lane};

/// An external host of a run, behind a descriptor that reads and writes whole IP packets. The descriptor is a TUN
/// device without packet information (`IFF_TUN | IFF_NO_PI`), or one end of a pair of `SOCK_SEQPACKET` sockets. A
/// packet socket (`AF_PACKET`, `SOCK_RAW`) on an Ethernet interface works too; the host is then a single station.
#[derive(Debug)]
pub struct PacketDevice {
    descriptor: OwnedFd,
    lane: Lane,
    /// How the descriptor wraps packets, where it does.
    frames: Option<Frames>,
    buffer: Box<[u8]>,
    /// How many more packets are read before others get their turn.
    to_read: usize,
    refused: Rc<Cell<u64>>,
}

/// No IP packet without the jumbo payload option is larger, and no frame of one.
const LARGEST_PACKET: usize = 65_535 + 14;

/// How many packets are taken before others get their turn.
const PACKETS_A_TURN: usize = 64;

/// A foreign stack does not tell what its bytes are for.
const FOREIGN: Provenance = Provenance::new(Layer::Ip, Cause::Opaque);

impl PacketDevice {
    /// Creates a device and makes its descriptor non-blocking.
    ///
    /// # Errors
    /// When the descriptor does not allow that.
    pub fn new(descriptor: impl AsFd, poller: &Rc<Poller>) -> io::Result<Self> {
        let descriptor = descriptor.as_fd().try_clone_to_owned()?;
        let flags = fcntl_getfl(&descriptor)?;
        fcntl_setfl(&descriptor, flags | OFlags::NONBLOCK)?;
        let frames = frames_of(&descriptor)?;
        let lane = poller.lane();
        lane.watch(&descriptor, 0, Interest::Readable)?;
        Ok(Self {
            descriptor,
            lane,
            frames,
            buffer: vec![0; LARGEST_PACKET].into_boxed_slice(),
            to_read: 0,
            refused: Rc::default(),
        })
    }

    /// Returns the counter of packets that the device refused, for reading during the run.
    #[must_use]
    pub fn refused(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.refused)
    }

    /// Takes the next packet, if one waits.
    fn read(&mut self) -> Option<Packet> {
        loop {
            let length = match rustix::io::read(&self.descriptor, &mut *self.buffer) {
                Ok(0) => {
                    self.fail(io::ErrorKind::UnexpectedEof.into());
                    return None;
                }
                Ok(length) => length,
                Err(Errno::AGAIN | Errno::INTR) => return None,
                Err(error) => {
                    self.fail(error.into());
                    return None;
                }
            };
            let bytes = &self.buffer[..length];
            match self.frames.as_mut().map(|frames| frames.read(bytes)) {
                None => return Some(Packet::of(bytes, FOREIGN)),
                Some(Read::Packet(packet)) => return Some(Packet::of(packet, FOREIGN)),
                Some(Read::Answer(answer)) => _ = self.give(&answer),
                Some(Read::Other) => {}
            }
        }
    }

    /// Gives a packet to the device. One that it has no room for, or that its stack refuses, is lost and counted.
    fn write(&mut self, packet: &Packet) {
        let packet = packet.bytes();
        let is_taken = match self.frames.take() {
            None => self.give(packet),
            Some(mut frames) => {
                if let Some(question) = frames.question_for(packet) {
                    self.give(&question);
                }
                let is_taken = self.give(frames.frame_of(packet));
                self.frames = Some(frames);
                is_taken
            }
        };
        if !is_taken {
            self.refused.set(self.refused.get() + 1);
        }
    }

    /// Whether the device takes these bytes.
    fn give(&self, bytes: &[u8]) -> bool {
        match rustix::io::write(&self.descriptor, bytes) {
            Ok(_) => return true,
            Err(Errno::AGAIN | Errno::NOBUFS | Errno::INVAL | Errno::MSGSIZE | Errno::INTR) => {}
            Err(error) => self.fail(error.into()),
        }
        false
    }

    /// The device is gone, and with it the run.
    fn fail(&self, error: io::Error) {
        self.lane.poller().fail(error);
    }
}

/// How a descriptor wraps packets: a packet socket does.
fn frames_of(descriptor: &OwnedFd) -> io::Result<Option<Frames>> {
    match socket_domain(descriptor) {
        Ok(AddressFamily::PACKET) => match socket_type(descriptor)? {
            SocketType::RAW => Ok(Some(Frames::new())),
            _ => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "a packet socket is to be of the type SOCK_RAW",
            )),
        },
        Ok(_) | Err(Errno::NOTSOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Host for PacketDevice {
    fn handle(&mut self, _now: Instant, input: HostInput) {
        match input {
            HostInput::Received { packet, .. } => self.write(&packet),
            HostInput::Timeout => {
                while self.lane.next_ready().is_some() {
                    self.to_read = PACKETS_A_TURN;
                }
            }
            HostInput::Start
            | HostInput::Stop
            | HostInput::Crash(_)
            | HostInput::AddressChanged { .. }
            | HostInput::AddressNoticed
            | HostInput::InterfaceMtu { .. }
            | HostInput::RouteChanged { .. } => {}
        }
    }

    fn poll(&mut self, _now: Instant) -> HostOutput {
        if self.to_read > 0 {
            self.to_read -= 1;
            if let Some(packet) = self.read() {
                let interface = InterfaceId(0);
                return HostOutput::Transmit { interface, packet };
            }
            self.to_read = 0;
        }
        // What is left is told of again.
        HostOutput::WaitUntil(None)
    }
}
