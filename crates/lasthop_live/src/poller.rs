use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use lasthop_units::Duration;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Polls descriptors for the clock. Each user of descriptors has a separate [`Lane`].
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
    lanes: RefCell<Vec<VecDeque<Ready>>>,
    is_stopped: Cell<bool>,
    failure: RefCell<Option<io::Error>>,
}

/// The part of a poller that belongs to one user.
#[derive(Debug)]
pub struct Lane {
    poller: Rc<Poller>,
    number: u16,
}

/// A descriptor that is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    /// The token with which the descriptor was added, without its upper 16 bits.
    pub(crate) token: u64,
    pub(crate) is_readable: bool,
    pub(crate) is_writable: bool,
    /// Whether the other end has finished.
    pub(crate) is_finished: bool,
    /// Whether an error occurred.
    pub(crate) is_broken: bool,
}

/// Which events of a descriptor are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Readability, as long as it lasts (level-triggered).
    Readable,
    /// Each change to readable or writable (edge-triggered).
    Changes,
}

/// How many descriptors are told of at a time.
const READY_AT_A_TIME: usize = 256;

const TOKEN_BITS: u32 = 48;

/// The lane of what ends a run.
const STOP: u64 = u64::MAX >> TOKEN_BITS;

/// Below this the kernel's wait for descriptors, which knows milliseconds, is too coarse.
const COARSE: Duration = Duration::from_millis(2);

impl Poller {
    /// Creates a poller without descriptors.
    ///
    /// # Errors
    /// When the kernel gives no `epoll`.
    pub fn new() -> io::Result<Rc<Self>> {
        Ok(Rc::new(Self {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            lanes: RefCell::default(),
            is_stopped: Cell::new(false),
            failure: RefCell::default(),
        }))
    }

    /// Creates a lane for another user.
    #[must_use]
    pub fn lane(self: &Rc<Self>) -> Lane {
        let mut lanes = self.lanes.borrow_mut();
        lanes.push(VecDeque::new());
        Lane {
            poller: Rc::clone(self),
            number: (lanes.len() - 1) as u16,
        }
    }

    /// Stops the run when this descriptor becomes readable or closed.
    ///
    /// # Errors
    /// When the descriptor cannot be watched.
    pub fn stop_by(&self, descriptor: impl AsFd) -> io::Result<()> {
        let data = EventData::new_u64(STOP << TOKEN_BITS);
        // Told once: who goes on after that has heard it.
        let flags = EventFlags::IN | EventFlags::ONESHOT;
        Ok(epoll::add(&self.epoll, descriptor, data, flags)?)
    }

    /// Stops the run because of an external error.
    pub fn fail(&self, error: io::Error) {
        self.failure.borrow_mut().get_or_insert(error);
        self.is_stopped.set(true);
    }

    /// Returns the error of a failed poll, if any.
    pub fn take_failure(&self) -> Option<io::Error> {
        self.failure.borrow_mut().take()
    }

    /// Whether the run must stop. The call clears the request.
    pub(crate) fn take_stop(&self) -> bool {
        self.is_stopped.take()
    }

    /// Waits at most this long until a descriptor is ready. Returns whether one is.
    pub(crate) fn wait(&self, longest: Option<Duration>) -> io::Result<bool> {
        let mut longest = longest;
        if let Some(wait) = longest.filter(|wait| *wait > Duration::ZERO && *wait < COARSE) {
            let mut ready = [PollFd::new(&self.epoll, PollFlags::IN)];
            match poll(&mut ready, Some(&timespec(wait.as_nanos()))) {
                Ok(0) | Err(Errno::INTR) => return Ok(false),
                Ok(_) => longest = Some(Duration::ZERO),
                Err(error) => return Err(error.into()),
            }
        }
        // The kernel rounds up to milliseconds; the rest is waited for by the finer way.
        let timeout = longest.map(|wait| timespec(wait.as_nanos() / 1_000_000 * 1_000_000));
        let mut room = [MaybeUninit::<epoll::Event>::uninit(); READY_AT_A_TIME];
        let (told, _) = match epoll::wait(&self.epoll, &mut room, timeout.as_ref()) {
            Ok(told) => told,
            Err(Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let mut lanes = self.lanes.borrow_mut();
        for event in told.iter() {
            let (data, flags) = (event.data.u64(), event.flags);
            if data >> TOKEN_BITS == STOP {
                self.is_stopped.set(true);
            } else if let Some(lane) = lanes.get_mut((data >> TOKEN_BITS) as usize) {
                lane.push_back(Ready {
                    token: data & ((1 << TOKEN_BITS) - 1),
                    is_readable: flags.contains(EventFlags::IN),
                    is_writable: flags.contains(EventFlags::OUT),
                    is_finished: flags.intersects(EventFlags::RDHUP | EventFlags::HUP),
                    is_broken: flags.contains(EventFlags::ERR),
                });
            }
        }
        Ok(!told.is_empty())
    }
}

impl Lane {
    /// Watches a descriptor until it is closed.
    pub(crate) fn watch(
        &self,
        descriptor: impl AsFd,
        token: u64,
        interest: Interest,
    ) -> io::Result<()> {
        let flags = match interest {
            Interest::Readable => EventFlags::IN,
            Interest::Changes => {
                EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET
            }
        };
        let token = token & ((1 << TOKEN_BITS) - 1);
        let data = EventData::new_u64(u64::from(self.number) << TOKEN_BITS | token);
        Ok(epoll::add(&self.poller.epoll, descriptor, data, flags)?)
    }

    /// Returns the next descriptor that is ready.
    pub(crate) fn next_ready(&self) -> Option<Ready> {
        self.poller.lanes.borrow_mut()[usize::from(self.number)].pop_front()
    }

    /// Returns the poller of the lane.
    pub(crate) fn poller(&self) -> &Poller {
        &self.poller
    }
}

fn timespec(nanos: u64) -> Timespec {
    const NANOS_A_SECOND: u64 = 1_000_000_000;
    Timespec {
        tv_sec: i64::try_from(nanos / NANOS_A_SECOND).unwrap_or(i64::MAX),
        tv_nsec: (nanos % NANOS_A_SECOND) as i64,
    }
}
