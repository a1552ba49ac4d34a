use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use lasthop_contract::Direction;
use lasthop_units::Duration;
use lasthop_world::PathSpec;
use serde::Deserialize;

use super::{Emulator, EmulatorError, capture_of, captured_host};

/// Sends orders to a running emulator from another thread.
#[derive(Debug)]
pub struct EmulatorControl {
    orders: Sender<Asked>,
}

/// The receiving end of orders. The emulator checks it several times in 100 ms.
#[derive(Debug)]
pub struct ControlEnd {
    orders: Receiver<Asked>,
}

/// Creates both ends of a control.
#[must_use]
pub fn control() -> (EmulatorControl, ControlEnd) {
    let (asking, orders) = channel();
    (EmulatorControl { orders: asking }, ControlEnd { orders })
}

type Answer = Result<String, EmulatorError>;

#[derive(Debug)]
struct Asked {
    order: Order,
    answer: Sender<Answer>,
}

/// An order to an emulator, in JSON: `"cut"`, `{"set": {"hops": [..]}}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Order {
    /// Apply this path configuration from now on.
    Set(PathSpec),
    /// Drop all packets.
    Cut,
    /// Carry packets again.
    Restore,
    /// Return the counts so far.
    Stats,
    /// Start a capture at an end, or stop it.
    Capture(Option<CaptureOrder>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaptureOrder {
    file: PathBuf,
    end: CaptureEnd,
}

/// The end at which packets are captured.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CaptureEnd {
    Near,
    Far,
}

impl CaptureEnd {
    /// Returns the direction of packets that enter the path at this end.
    pub(super) const fn direction(self) -> Direction {
        match self {
            Self::Near => Direction::Up,
            Self::Far => Direction::Down,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
        }
    }
}

impl EmulatorControl {
    /// Sends an order in JSON and waits for the answer in JSON. Returns `None` if the emulator has ended.
    ///
    /// # Errors
    /// [`EmulatorError`], when it cannot be followed.
    pub fn ask(&self, order: &str) -> Result<Option<String>, EmulatorError> {
        let order =
            serde_json::from_str(order).map_err(|error| EmulatorError::Order(error.to_string()))?;
        let (answer, answered) = channel();
        if self.orders.send(Asked { order, answer }).is_err() {
            return Ok(None);
        }
        answered.recv().ok().transpose()
    }
}

impl ControlEnd {
    /// Answers the orders that have arrived.
    pub(super) fn serve(&self, mut follow: impl FnMut(Order) -> Answer) {
        for Asked { order, answer } in self.orders.try_iter() {
            // Who asks no more needs no answer.
            let _ = answer.send(follow(order));
        }
    }
}

impl Emulator {
    pub(super) fn follow(&mut self, order: Order, wall: Duration, cpu: Duration) -> Answer {
        match order {
            Order::Set(path) => self.changing.set(&mut self.run, path)?,
            Order::Cut => self.changing.cut(&mut self.run, true),
            Order::Restore => self.changing.cut(&mut self.run, false),
            Order::Capture(order) => self.capture_by(order)?,
            Order::Stats => {
                let refused = [0, 1].map(|end: usize| self.refused[end].get());
                let watch = self.run.observer();
                let summary = watch.summary(wall, cpu, refused, self.limit);
                return serde_json::to_string(&summary)
                    .map_err(|error| EmulatorError::Order(error.to_string()));
            }
        }
        Ok("null".into())
    }

    fn capture_by(&mut self, order: Option<CaptureOrder>) -> Result<(), EmulatorError> {
        let device = self.changing.device();
        let files = order.iter().map(|order| (order.end, order.file.as_path()));
        let capture = capture_of(device, files)?;
        let watch = self.run.observer_mut();
        watch.capture_by(capture)?;
        for (direction, host) in Direction::ALL.into_iter().zip(self.changing.hosts()) {
            watch.attach(host, captured_host(device, direction));
        }
        Ok(())
    }
}
