//! A log of events inside the sessions of hosts, for captures with session secrets.

use core::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};

thread_local! {
    static LOGS: RefCell<Option<Logs>> = const { RefCell::new(None) };
}

/// Where the events of a host go, by its name and number (`meters-3`); nowhere where nobody asked for them.
type Open = Box<dyn FnMut(&str) -> Option<io::Result<Box<dyn Write>>>>;

struct Logs {
    open: Open,
    opened: BTreeMap<Box<str>, Box<dyn Write>>,
    failure: Option<io::Error>,
}

/// Logs the session events of this thread while `work` runs.
///
/// `open` creates the destination for each host that has events.
///
/// # Errors
/// The first that a writer had; nothing is written behind it.
pub fn logging_events<R>(
    open: impl FnMut(&str) -> Option<io::Result<Box<dyn Write>>> + 'static,
    work: impl FnOnce() -> R,
) -> (R, io::Result<()>) {
    let before = LOGS.replace(Some(Logs {
        open: Box::new(open),
        opened: BTreeMap::new(),
        failure: None,
    }));
    let result = work();
    let written = LOGS.replace(before).map_or(Ok(()), Logs::finish);
    (result, written)
}

/// Starts the log of a host. Returns whether a log is wanted.
pub fn begin_event_log(host: &str) -> bool {
    LOGS.with_borrow_mut(|logs| logs.as_mut().is_some_and(|logs| logs.begin(host)))
}

/// Writes a record to the log of a host, if the host has one.
pub fn log_event(host: &str, record: &[u8]) {
    LOGS.with_borrow_mut(|logs| {
        if let Some(logs) = logs {
            logs.write(host, record);
        }
    });
}

impl Logs {
    fn begin(&mut self, host: &str) -> bool {
        if !self.opened.contains_key(host) {
            match (self.open)(host) {
                None => return false,
                Some(Ok(out)) => {
                    self.opened.insert(host.into(), out);
                }
                Some(Err(error)) => self.failure = self.failure.take().or(Some(error)),
            }
        }
        true
    }

    fn write(&mut self, host: &str, record: &[u8]) {
        if self.failure.is_none()
            && let Some(out) = self.opened.get_mut(host)
        {
            self.failure = out.write_all(record).err();
        }
    }

    fn finish(mut self) -> io::Result<()> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.opened.values_mut().try_for_each(Write::flush),
        }
    }
}
