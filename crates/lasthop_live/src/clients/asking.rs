use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;

use lasthop_contract::{Application, Direction, Transport};
use lasthop_engine::Outcome;
use lasthop_transport::{Routes, StackHost};
use lasthop_units::{Duration, Instant};
use thiserror::Error;

use crate::containment::attempt;
use crate::{Poller, WallTime, Watch, live_run};

/// The server of a client, and its timeout.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'fd> {
    /// The address of the server.
    pub server: SocketAddr,
    /// The timeout; `None` for no timeout.
    pub patience: Option<Duration>,
    /// A descriptor that stops the client when it becomes readable.
    pub stop: BorrowedFd<'fd>,
    /// The seed of the client's random numbers.
    pub seed: u64,
}

/// Why a client failed.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The kernel reported an error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The server refused the client or closed the connection.
    #[error("{0}")]
    Refused(String),
    /// The server did not answer in time.
    #[error("no answer in time")]
    NoAnswer,
    /// The client was stopped.
    #[error("stopped")]
    Stopped,
}

/// The outcome of a client, which its application sets when it is done or has failed.
#[derive(Clone, Debug, Default)]
pub(super) struct Ending {
    is_done: Rc<Cell<bool>>,
    fault: Rc<RefCell<Option<ClientError>>>,
}

impl Ending {
    pub(super) fn set_done(&self) {
        self.is_done.set(true);
    }

    pub(super) fn fail(&self, error: ClientError) {
        self.fault.borrow_mut().get_or_insert(error);
        self.set_done();
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done.get()
    }
}

impl Asking<'_> {
    /// Runs an application on a transport until it is done.
    pub(super) fn run(
        &self,
        poller: &Rc<Poller>,
        transport: impl Transport + 'static,
        application: impl Application + 'static,
        ending: &Ending,
    ) -> Result<(), ClientError> {
        poller.stop_by(self.stop)?;
        let time = WallTime::starting_now();
        let end = self
            .patience
            .map_or(Instant::FAR_FUTURE, |patience| time.now() + patience);
        let mut run = live_run(time, poller, Watch::until(end, Rc::clone(&ending.is_done)));
        let host = StackHost::new(Box::new(transport), application, Routes::OneInterface);
        let host = run.add_host(Box::new(host), Direction::Up);
        run.open_to_outside(host);
        let never = AtomicBool::new(false);
        let outcome = attempt(|| run.run(&never));
        let outcome =
            outcome.map_err(|panic| io::Error::other(format!("lasthop failed: {panic}")))?;
        if let Some(error) = poller.take_failure() {
            return Err(error.into());
        }
        if let Some(fault) = ending.fault.borrow_mut().take() {
            return Err(fault);
        }
        match outcome {
            _ if ending.is_done() => Ok(()),
            Outcome::Interrupted => Err(ClientError::Stopped),
            _ => Err(ClientError::NoAnswer),
        }
    }
}
