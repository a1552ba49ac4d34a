use std::io;
use std::os::fd::BorrowedFd;

use lasthop_contract::{Cause, Layer, Packet, Provenance};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

/// A descriptor that gives and takes whole IP packets: a TUN device without packet information
/// (`IFF_TUN | IFF_NO_PI`), or one end of a pair of `SOCK_SEQPACKET` sockets.
#[derive(Debug)]
pub struct PacketDevice<'fd> {
    descriptor: BorrowedFd<'fd>,
    buffer: Box<[u8]>,
    refused: u64,
}

/// No IP packet without the jumbo payload option is larger.
const LARGEST_PACKET: usize = 65_535;

/// A foreign stack does not tell what its bytes are for.
const FOREIGN: Provenance = Provenance::new(Layer::Ip, Cause::Opaque);

impl<'fd> PacketDevice<'fd> {
    /// A device, which does not block from now on.
    ///
    /// # Errors
    /// When the descriptor does not allow that.
    pub fn new(descriptor: BorrowedFd<'fd>) -> io::Result<Self> {
        let flags = fcntl_getfl(descriptor)?;
        fcntl_setfl(descriptor, flags | OFlags::NONBLOCK)?;
        Ok(Self {
            descriptor,
            buffer: vec![0; LARGEST_PACKET].into_boxed_slice(),
            refused: 0,
        })
    }

    /// Takes the next packet, if one waits.
    ///
    /// # Errors
    /// When the device is gone.
    pub fn read(&mut self) -> io::Result<Option<Packet>> {
        match rustix::io::read(self.descriptor, &mut *self.buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => Ok(Some(Packet::of(&self.buffer[..length], FOREIGN))),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a packet to the device. One that it has no room for, or that its stack refuses, is lost and counted.
    ///
    /// # Errors
    /// When the device is gone.
    pub fn write(&mut self, packet: &Packet) -> io::Result<()> {
        match rustix::io::write(self.descriptor, packet.bytes()) {
            Ok(_) => Ok(()),
            Err(Errno::AGAIN | Errno::NOBUFS | Errno::INVAL | Errno::INTR) => {
                self.refused += 1;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// How many packets the device did not take.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// What to wait for until a packet can be read.
    #[must_use]
    pub fn readable(&self) -> PollFd<'fd> {
        PollFd::from_borrowed_fd(self.descriptor, PollFlags::IN)
    }
}
