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

use crate::Poller;
use crate::poller::{Interest, Lane};

/// A host of a run that is outside of it: whoever is behind a descriptor that gives and takes whole IP packets. That is
/// a TUN device without packet information (`IFF_TUN | IFF_NO_PI`), or one end of a pair of `SOCK_SEQPACKET` sockets.
#[derive(Debug)]
pub struct PacketDevice {
    descriptor: OwnedFd,
    lane: Lane,
    buffer: Box<[u8]>,
    /// How many more packets are read before others get their turn.
    to_read: usize,
    refused: Rc<Cell<u64>>,
}

/// No IP packet without the jumbo payload option is larger.
const LARGEST_PACKET: usize = 65_535;

/// How many packets are taken before others get their turn.
const PACKETS_A_TURN: usize = 64;

/// A foreign stack does not tell what its bytes are for.
const FOREIGN: Provenance = Provenance::new(Layer::Ip, Cause::Opaque);

impl PacketDevice {
    /// A device, which does not block from now on.
    ///
    /// # Errors
    /// When the descriptor does not allow that.
    pub fn new(descriptor: impl AsFd, poller: &Rc<Poller>) -> io::Result<Self> {
        let descriptor = descriptor.as_fd().try_clone_to_owned()?;
        let flags = fcntl_getfl(&descriptor)?;
        fcntl_setfl(&descriptor, flags | OFlags::NONBLOCK)?;
        let lane = poller.lane();
        lane.watch(&descriptor, 0, Interest::Readable)?;
        Ok(Self {
            descriptor,
            lane,
            buffer: vec![0; LARGEST_PACKET].into_boxed_slice(),
            to_read: 0,
            refused: Rc::default(),
        })
    }

    /// How many packets the device did not take, to be asked for while the run goes on.
    #[must_use]
    pub fn refused(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.refused)
    }

    /// Takes the next packet, if one waits.
    fn read(&mut self) -> Option<Packet> {
        match rustix::io::read(&self.descriptor, &mut *self.buffer) {
            Ok(0) => self.fail(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => return Some(Packet::of(&self.buffer[..length], FOREIGN)),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => self.fail(error.into()),
        }
        None
    }

    /// Gives a packet to the device. One that it has no room for, or that its stack refuses, is lost and counted.
    fn write(&mut self, packet: &Packet) {
        match rustix::io::write(&self.descriptor, packet.bytes()) {
            Ok(_) => {}
            Err(Errno::AGAIN | Errno::NOBUFS | Errno::INVAL | Errno::INTR) => {
                self.refused.set(self.refused.get() + 1);
            }
            Err(error) => self.fail(error.into()),
        }
    }

    /// The device is gone, and with it the run.
    fn fail(&self, error: io::Error) {
        self.lane.poller().fail(error);
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
