//! A path of a study between two external ends, in real time.

mod before_server;
mod changeable;
mod control;
mod ledger;
mod merging;
mod pressure;
mod punctuality;
mod spec;
mod summary;
mod watch;

use core::sync::atomic::AtomicBool;
use std::cell::Cell;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lasthop_contract::{Direction, Host};
use lasthop_engine::{HostId, Outcome};
use lasthop_measure::{Capture, CapturedHost};
use lasthop_units::Duration;
use lasthop_world::SpecError;
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

pub use before_server::BeforeServer;
pub use control::{ControlEnd, EmulatorControl, control};
pub use ledger::OfferedBytes;
pub use merging::merge_captures;
pub use spec::{EmulationSpec, LatenessLimit};
pub use summary::{DirectionSummary, EmulationSummary, LatenessSummary, Tally};

use crate::live_run::run_by;
use crate::{LiveRun, PacketDevice, Poller, WallClock, WallTime};
use changeable::Changing;
use control::CaptureEnd;
use pressure::cpu_pressure;
use punctuality::Punctuality;
use watch::EmulatorWatch;

/// A path with two external ends: packets from one end go through the path to the other.
///
/// The near end is the device's, the far end the server's. It runs until a descriptor says that it is enough.
pub struct Emulator {
    run: LiveRun<EmulatorWatch>,
    time: WallTime,
    poller: Rc<Poller>,
    /// How many packets each end did not take.
    refused: [Rc<Cell<u64>>; 2],
    limit: Option<LatenessLimit>,
    changing: Changing,
}

/// Who is at the ends of a path.
struct Ends {
    hosts: [Box<dyn Host>; 2],
    refused: [Rc<Cell<u64>>; 2],
    /// Beside the path.
    beside: Option<Box<dyn Host>>,
}

/// Why a path cannot be emulated, or why the emulation stopped.
#[derive(Debug, Error)]
pub enum EmulatorError {
    /// The configuration of the path is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A capture could not be written.
    #[error("{path}: {source}", path = path.display())]
    Capture {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An end or the kernel failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The order is invalid.
    #[error("{0}")]
    Order(String),
    /// The models request the same instant again and again.
    #[error("the emulated path makes no progress beyond {0} s")]
    Stalled(f64),
}

/// How long the machine may leave it alone unnoticed.
const BEAT: Duration = Duration::from_millis(20);

/// It takes about so long to wake up.
const AWAKE: Duration = Duration::from_nanos(60_000);

impl Emulator {
    /// Creates a path between two ends. Their descriptors read and write packets as for a [`PacketDevice`].
    ///
    /// # Errors
    /// [`EmulatorError`], when the path, a capture or a descriptor cannot be.
    pub fn new(
        spec: &EmulationSpec,
        near: impl AsFd,
        far: impl AsFd,
    ) -> Result<Self, EmulatorError> {
        Self::between(spec, |poller| {
            Ends::of_devices(near.as_fd(), far.as_fd(), poller)
        })
    }

    /// A path between the ends that are made by a poller.
    fn between(
        spec: &EmulationSpec,
        make: impl FnOnce(&Rc<Poller>) -> io::Result<Ends>,
    ) -> Result<Self, EmulatorError> {
        let (time, poller) = (WallTime::starting_now(), Poller::new()?);
        let files = [
            (CaptureEnd::Near, &spec.capture_near),
            (CaptureEnd::Far, &spec.capture_far),
        ];
        let files = files
            .into_iter()
            .filter_map(|(end, path)| Some((end, path.as_deref()?)));
        let capture = capture_of(spec.path.device, files)?;
        let clock = WallClock::new(time, Rc::clone(&poller)).awake_before(AWAKE);
        let mut run = run_by(clock, EmulatorWatch::new(capture, spec));
        let Ends {
            hosts,
            refused,
            beside,
        } = make(&poller)?;
        let mut ids = [HostId(0); 2];
        for (direction, host) in Direction::ALL.into_iter().zip(hosts) {
            let id = run.add_host(host, direction);
            run.open_to_outside(id);
            let captured = captured_host(spec.path.device, direction);
            run.observer_mut().attach(id, captured);
            ids[direction as usize] = id;
        }
        if let Some(host) = beside {
            let id = run.add_host(host, Direction::Up);
            run.open_to_outside(id);
        }
        let changing = Changing::lay(&spec.path, &mut run, ids)?;
        Ok(Self {
            run,
            time,
            poller,
            refused,
            limit: spec.lateness_limit,
            changing,
        })
    }

    /// Carries packets until this descriptor is readable or closed, and returns the summary.
    ///
    /// # Errors
    /// [`EmulatorError`], when an end fails or a capture cannot be written.
    pub fn run(
        mut self,
        stop: impl AsFd,
        ready: impl FnOnce() -> io::Result<()>,
        control: Option<ControlEnd>,
    ) -> Result<EmulationSummary, EmulatorError> {
        self.poller.stop_by(&stop)?;
        let _punctuality = Punctuality::new()?;
        let never = AtomicBool::new(false);
        let (begin, cpu_before, pressure_before) = (self.time.now(), cpu_time(), cpu_pressure());
        ready()?;
        loop {
            let beat = self.time.now() + BEAT;
            self.run.observer_mut().end = beat;
            match self.run.run(&never) {
                Outcome::Interrupted => break,
                Outcome::Stalled => {
                    return Err(EmulatorError::Stalled(self.run.now().as_secs_f64()));
                }
                Outcome::Idle | Outcome::HorizonReached => {
                    let pause = self.time.now() - beat;
                    self.run.observer_mut().note_pause(pause);
                }
            }
            if let Some(control) = &control {
                let wall = self.time.now() - begin;
                control.serve(|order| self.follow(order, wall, cpu_time() - cpu_before));
            }
        }
        if let Some(error) = self.poller.take_failure() {
            return Err(error.into());
        }
        let wall = self.time.now() - begin;
        let cpu = cpu_time() - cpu_before;
        let pressure = cpu_pressure().zip(pressure_before);
        let refused = self.refused.map(|refused| refused.get());
        let watch = self.run.into_observer();
        let mut summary = watch.finish(wall, cpu, refused, self.limit)?;
        summary.cpu_pressure_seconds =
            pressure.map(|(after, before)| (after - before).as_secs_f64());
        Ok(summary)
    }
}

impl Ends {
    fn of_devices(
        near: BorrowedFd<'_>,
        far: BorrowedFd<'_>,
        poller: &Rc<Poller>,
    ) -> io::Result<Self> {
        let near = PacketDevice::new(near, poller)?;
        let far = PacketDevice::new(far, poller)?;
        Ok(Self {
            refused: [near.refused(), far.refused()],
            hosts: [Box::new(near), Box::new(far)],
            beside: None,
        })
    }
}

/// Captures in these files, each of an end.
fn capture_of<'a>(
    device: u32,
    files: impl IntoIterator<Item = (CaptureEnd, &'a Path)>,
) -> Result<Option<Capture>, EmulatorError> {
    let mut open = Vec::new();
    for (end, path) in files {
        let file = create(path)?;
        let out: Box<dyn Write> = Box::new(BufWriter::new(file));
        let host = captured_host(device, end.direction());
        open.push((host, end.name().into(), out));
    }
    if open.is_empty() {
        return Ok(None);
    }
    let mut capture = Capture::new(open);
    capture.stamp_from(since_1970());
    Ok(Some(capture))
}

/// The end whose packets go this way.
const fn captured_host(device: u32, direction: Direction) -> CapturedHost {
    match direction {
        Direction::Up => CapturedHost::Device(device),
        Direction::Down => CapturedHost::Server(0),
    }
}

#[expect(
    clippy::disallowed_types,
    reason = "this crate does I/O: a capture goes to files"
)]
fn create(path: &Path) -> Result<fs::File, EmulatorError> {
    fs::File::create(path).map_err(|source| EmulatorError::Capture {
        path: path.into(),
        source,
    })
}

fn since_1970() -> Duration {
    time_of(ClockId::Realtime)
}

/// The time that this thread has had a processor.
fn cpu_time() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::from_secs(time.tv_sec as u64) + Duration::from_nanos(time.tv_nsec as u64)
}
