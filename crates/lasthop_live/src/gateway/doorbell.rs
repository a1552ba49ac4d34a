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

use super::DurableStore;
use crate::Poller;
use crate::poller::{Interest, Lane};

/// A transport that nobody comes by: it hears the bell of a store, and has the services of its host look what it was.
pub(crate) struct Doorbell {
    lane: Lane,
    bell: Arc<UnixDatagram>,
    wake: WakeFlag,
}

/// The application of a transport that nobody comes by.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Doorbell {
    /// That of a store; the flag is that of the host.
    pub(crate) fn new(
        poller: &Rc<Poller>,
        store: &DurableStore,
        wake: WakeFlag,
    ) -> io::Result<Self> {
        let lane = poller.lane();
        let bell = store.bell();
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
