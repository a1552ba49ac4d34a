use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use lasthop_contract::{Link, LinkInput, LinkOutput};
use lasthop_engine::LinkId;
use lasthop_link::serial::{Duplex, SerialConfig, SerialLine, SerialReport};
use lasthop_measure::MediumColumn;
use lasthop_units::{Duration, Instant};

use super::place::SharedLinks;
use super::{Ended, Ground, JoiningDevice, Medium, MediumSpec, OfRun, Place};
use crate::path::LonePath;
use crate::spec::{HopSpec, RunSpec, SpecError, demand};

/// The serial lines of a run.
#[derive(Default)]
pub(crate) struct State<'a> {
    lines: BTreeMap<LinkId, Line>,
    shared: SharedLinks<'a>,
}

/// A line that the loop drives as a link, and that is asked at the end beside.
#[derive(Clone, Debug)]
struct Line(Rc<RefCell<SerialLine>>);

impl<'a> OfRun<'a> for State<'a> {
    fn new(spec: &'a RunSpec) -> Self {
        Self {
            lines: BTreeMap::new(),
            shared: SharedLinks::new(spec),
        }
    }

    /// The mean over the lines.
    fn columns(&self, ended: Ended) -> Vec<MediumColumn> {
        let lines = self.lines.values();
        let reports = lines.map(|line| line.0.borrow().report(ended.last));
        let reports: Vec<SerialReport> = reports.collect();
        let mean = |part: fn(&SerialReport) -> Duration| {
            let sum: Duration = reports.iter().map(part).sum();
            (!reports.is_empty()).then(|| sum.as_secs_f64() / reports.len() as f64)
        };
        vec![
            MediumColumn::number("serial_busy_s", "s", mean(|it| it.busy)),
            MediumColumn::number("serial_turnaround_s", "s", mean(|it| it.turnaround)),
        ]
    }
}

impl Medium for SerialConfig {
    fn check(&self, _: &HopSpec, field: &str) -> Result<(), SpecError> {
        demand(&[(
            self.duplex == Duplex::Half || self.turnaround_ns == 0,
            &format!("{field}.serial.turnaround_ns"),
            "a full duplex line does not turn around",
        )])
    }

    /// A line that several paths name is the same for all.
    fn differs(&self, hop: &HopSpec, other: &HopSpec) -> Option<&'static str> {
        let MediumSpec::Serial(line) = &other.medium else {
            return None;
        };
        (line != self || other.scope != hop.scope).then_some("serial line")
    }

    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError> {
        let Ground { media, links, .. } = ground;
        let State { lines, shared } = &mut media.serial;
        let make = || {
            let line = Line(Rc::new(RefCell::new(SerialLine::new(*self))));
            let link = links.add(Box::new(line.clone()));
            lines.insert(link, line);
            Ok(link)
        };
        Ok(Place::between(shared.place(
            hop,
            &device.on.group.name,
            make,
        )?))
    }

    fn alone(&self, _: &HopSpec, _: &LonePath, _: usize) -> Result<Box<dyn Link>, SpecError> {
        Ok(Box::new(SerialLine::new(*self)))
    }
}

impl Link for Line {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        self.0.borrow_mut().handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        self.0.borrow_mut().poll(now)
    }
}
