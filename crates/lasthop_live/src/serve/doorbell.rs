use core::net::SocketAddr;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Chunk, ConnectionId, ListenError, OpenError,
    OpenOptions, ResetReason, Transport, TransportInput, TransportOutput, WakeFlag,
};
use lasthop_units::Instant;

use crate::Poller;
use crate::poller::{Interest, Lane};

/// A transport that nobody comes by: it hears what another thread rings, and has the services of its host look what it was.
pub(crate) struct Doorbell {
    lane: Lane,
    bell: Arc<UnixDatagram>,
    wake: WakeFlag,
}

/// The application of a transport that nobody comes by.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Doorbell {
    /// Hears a bell; the flag is that of the host.
    pub(crate) fn new(
        poller: &Rc<Poller>,
        bell: Arc<UnixDatagram>,
        wake: WakeFlag,
    ) -> io::Result<Self> {
        let lane = poller.lane();
        lane.watch(&bell, 0, Interest::Readable)?;
        Ok(Self { lane, bell, wake })
    }
}

impl Transport for Doorbell {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        let mut rings = false;
        while self.lane.next_ready().is_some() {
            rings = true;
        }
        if rings {
            while self.bell.recv(&mut [0; 8]).is_ok() {}
            self.wake.raise();
        }
        TransportOutput::WaitUntil(None)
    }

    fn open_with(
        &mut self,
        _now: Instant,
        _peer: SocketAddr,
        _options: OpenOptions,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Err(OpenError::NoSuchColumn)
    }

    fn listen(&mut self, _port: u16) -> Result<(), ListenError> {
        Ok(())
    }

    fn reset(&mut self, _now: Instant, _connection: ConnectionId, _reason: ResetReason) {}

    fn peer(&self, _connection: ConnectionId) -> Option<SocketAddr> {
        None
    }
}

impl Application for Nobody {
    fn handle(&mut self, _: Instant, _: ApplicationInput<'_>, _: &mut dyn Transport) {}

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(None)
    }
}

/// What is heard, and what another thread rings.
pub(crate) fn bell_and_ringer() -> io::Result<(UnixDatagram, UnixDatagram)> {
    let (bell, ringer) = UnixDatagram::pair()?;
    bell.set_nonblocking(true)?;
    // The bell rings already where it cannot take more.
    ringer.set_nonblocking(true)?;
    Ok((bell, ringer))
}
