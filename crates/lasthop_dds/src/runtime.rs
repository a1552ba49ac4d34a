//! Simulated time, timers and a single-threaded executor for the tasks of a participant.

use core::cell::Cell;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Wake;

use dust_dds::infrastructure::time::Time;
use dust_dds::runtime::{Clock, DdsRuntime, Spawner, TaskHandle, Timer};
use lasthop_units::{Duration, Instant};

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// The executor of a participant's tasks.
pub(crate) struct Executor {
    runtime: Runtime,
    tasks: Vec<Slot>,
    /// Places of tasks that have ended.
    free: Vec<usize>,
}

/// A place for a task. It keeps its waker: a channel that is given another one wakes both, which would then wake each
/// other for ever.
struct Slot {
    task: Option<Task>,
    waker: Waker,
}

/// The time, timers and tasks in the interface of `dust_dds`.
#[derive(Clone, Default)]
pub(crate) struct Runtime(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    now: Instant,
    timers: BTreeMap<(Instant, u64), Waker>,
    timers_begun: u64,
    spawned: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
    ready: Arc<Mutex<VecDeque<usize>>>,
}

/// A fixed moment that time stamps count from: 2027-01-15 08:00:00 UTC.
const EPOCH_S: i32 = 1_800_000_000;

/// A timer of no time would be due for ever at the same instant.
const SHORTEST_DELAY: Duration = Duration::from_nanos(1_000);

impl Executor {
    pub(crate) fn new(now: Instant) -> Self {
        let runtime = Runtime::default();
        runtime.state().now = now;
        Self {
            runtime,
            tasks: Vec::new(),
            free: Vec::new(),
        }
    }

    pub(crate) fn runtime(&self) -> Runtime {
        self.runtime.clone()
    }

    /// Runs all tasks that can run at this instant.
    pub(crate) fn run(&mut self, now: Instant) {
        let due = {
            let mut state = self.runtime.state();
            state.now = now;
            let later = state.timers.split_off(&(now, u64::MAX));
            core::mem::replace(&mut state.timers, later)
        };
        due.into_values().for_each(Waker::wake);
        loop {
            let spawned = core::mem::take(&mut self.runtime.state().spawned);
            spawned.into_iter().for_each(|task| self.add(task));
            let Some(place) = self.take_ready() else {
                break;
            };
            self.poll(place);
        }
    }

    /// Runs tasks until a request is answered. Returns `None` if the answer must wait for other input.
    pub(crate) fn answer<T: 'static>(
        &mut self,
        now: Instant,
        request: impl Future<Output = T> + 'static,
    ) -> Option<T> {
        let answer = Rc::new(Cell::new(None));
        let place = Rc::clone(&answer);
        self.add(Box::pin(async move {
            place.set(Some(request.await));
        }));
        self.run(now);
        answer.take()
    }

    /// Returns when the next timer expires.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let state = self.runtime.state();
        state.timers.first_key_value().map(|((at, _), _)| *at)
    }

    fn add(&mut self, task: Task) {
        let place = self.free.pop().unwrap_or_else(|| {
            let place = self.tasks.len();
            let ready = Arc::clone(&self.runtime.state().ready);
            self.tasks.push(Slot {
                task: None,
                waker: Waker::from(Arc::new(Ready { place, ready })),
            });
            place
        });
        self.tasks[place].task = Some(task);
        self.tasks[place].waker.wake_by_ref();
    }

    fn take_ready(&self) -> Option<usize> {
        let ready = Arc::clone(&self.runtime.state().ready);
        locked(&ready).pop_front()
    }

    fn poll(&mut self, place: usize) {
        let slot = &mut self.tasks[place];
        let Some(task) = &mut slot.task else {
            return;
        };
        if task
            .as_mut()
            .poll(&mut Context::from_waker(&slot.waker))
            .is_ready()
        {
            slot.task = None;
            self.free.push(place);
        }
    }
}

impl Runtime {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.0)
    }
}

/// Locks a mutex that is never contended, because everything runs in one thread.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that a task can go on.
struct Ready {
    place: usize,
    ready: Arc<Mutex<VecDeque<usize>>>,
}

impl Wake for Ready {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut ready = locked(&self.ready);
        if !ready.contains(&self.place) {
            ready.push_back(self.place);
        }
    }
}

impl DdsRuntime for Runtime {
    type ClockHandle = Self;
    type TimerHandle = Self;
    type SpawnerHandle = Self;

    fn timer(&self) -> Self {
        self.clone()
    }

    fn clock(&self) -> Self {
        self.clone()
    }

    fn spawner(&self) -> Self {
        self.clone()
    }
}

impl Clock for Runtime {
    fn now(&self) -> Time {
        let nanos = self.state().now.as_nanos();
        let seconds = i32::try_from(nanos / 1_000_000_000).unwrap_or(i32::MAX);
        Time::new(
            EPOCH_S.saturating_add(seconds),
            (nanos % 1_000_000_000) as u32,
        )
    }
}

impl Timer for Runtime {
    fn delay(&mut self, delay: core::time::Duration) -> impl Future<Output = ()> + Send {
        let nanos = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        let delay = Duration::from_nanos(nanos).max(SHORTEST_DELAY);
        let mut state = self.state();
        state.timers_begun += 1;
        Sleep {
            key: (state.now + delay, state.timers_begun),
            runtime: self.clone(),
        }
    }
}

impl Spawner for Runtime {
    type TaskHandle = Detached;

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Detached {
        self.state().spawned.push(Box::pin(task));
        Detached
    }
}

/// A task without a waiting caller.
pub(crate) struct Detached;

impl TaskHandle for Detached {
    fn join(&self) {}
}

/// Waits until an instant.
struct Sleep {
    key: (Instant, u64),
    runtime: Runtime,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.runtime.state();
        if self.key.0 <= state.now {
            return Poll::Ready(());
        }
        state.timers.insert(self.key, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.runtime.state().timers.remove(&self.key);
    }
}
