use core::sync::atomic::{AtomicU64, Ordering};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use lasthop_broker::NotKept;
use lasthop_gateway::{GatewayEvent, Journal, StoreError};
use lasthop_units::{Duration, Instant};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use crate::WallTime;

/// Writes log lines of a gateway to standard error, from a separate thread. If the reader is too slow, lines are
/// dropped and the server is not delayed.
#[derive(Debug)]
pub struct LogLines {
    form: LogForm,
    /// Where the data are that cannot be written.
    data: String,
    clock: WallTime,
    /// When what was written is paid for.
    paid_at: Instant,
    /// How many lines are left out and not told of yet. The writer tells of the last ones.
    left_out: Arc<AtomicU64>,
    lines: Option<SyncSender<String>>,
    /// Ends when all is written.
    is_written: Receiver<()>,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// Text: the time, the event, and its parts as `name=value`.
    Text,
    /// A JSON object on each line.
    Json,
}

/// What one line takes of a second: whoever is refused all the time does not fill a disk.
const A_LINE: Duration = Duration::from_millis(5);
/// So much of it may come at once.
const AT_ONCE: Duration = Duration::from_secs(5);
/// So many lines may wait for their reader.
const WAITING: usize = 1000;
/// How long the server waits for a reader when it ends.
const LAST_WORDS: core::time::Duration = core::time::Duration::from_secs(1);

impl LogLines {
    /// Lines of a form.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "a reader is waited for while clients are served"
    )]
    pub fn new(form: LogForm) -> Self {
        let (lines, to_write) = sync_channel::<String>(WAITING);
        let (writing, is_written) = sync_channel(0);
        let left_out = Arc::new(AtomicU64::new(0));
        let left_at_last = Arc::clone(&left_out);
        thread::spawn(move || {
            let _writing: SyncSender<()> = writing;
            // Nobody can be told that nobody can be told.
            let write = |line: String| drop(writeln!(io::stderr().lock(), "{line}"));
            to_write.into_iter().for_each(write);
            match left_at_last.load(Ordering::Relaxed) {
                0 => {}
                lines => write(form.line("left_out", vec![("lines", json!(lines))])),
            }
        });
        Self {
            form,
            data: String::new(),
            clock: WallTime::of_the_machine(),
            paid_at: Instant::ZERO,
            left_out,
            lines: Some(lines),
            is_written,
        }
    }

    /// Sets the location of the data for all lines.
    pub(crate) fn about(mut self, data: &str) -> Self {
        self.data = data.into();
        self
    }

    /// Whether there is room for the line.
    fn write(&self, name: &str, parts: Vec<(&str, Value)>) -> bool {
        let line = self.form.line(name, parts);
        let lines = self.lines.as_ref();
        lines.is_some_and(|lines| lines.try_send(line).is_ok())
    }
}

impl LogForm {
    /// What has just happened, with its parts.
    fn line(self, name: &str, parts: Vec<(&str, Value)>) -> String {
        let time = time_of(WallTime::calendar_now());
        match self {
            Self::Json => {
                let head = [("time", time.into()), ("event", name.into())];
                let parts = head.into_iter().chain(parts);
                let object = parts.map(|(name, value)| (name.to_owned(), value));
                Value::Object(object.collect::<Map<String, Value>>()).to_string()
            }
            Self::Text => {
                let mut line = format!("{time} {name}");
                for (name, value) in parts {
                    // Names of devices and of reasons have no spaces; what has some is quoted.
                    let word = value.as_str().filter(|it| !it.contains(' '));
                    let text = word.map_or_else(|| value.to_string(), str::to_owned);
                    line.push_str(&format!(" {name}={text}"));
                }
                line
            }
        }
    }
}

impl LogLines {
    /// Writes a line, unless the rate limit is exceeded.
    pub(crate) fn tell_of(&mut self, name: &str, parts: Vec<(&str, Value)>) {
        let now = self.clock.now();
        let paid_at = self.paid_at.max(now) + A_LINE;
        if paid_at > now + AT_ONCE {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.paid_at = paid_at;
        let left_out = self.left_out.load(Ordering::Relaxed);
        if left_out > 0 && self.write("left_out", vec![("lines", json!(left_out))]) {
            self.left_out.store(0, Ordering::Relaxed);
        }
        if !self.write(name, parts) {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Journal for LogLines {
    fn tell(&mut self, event: &GatewayEvent<'_>) {
        let (name, mut parts) = words(event);
        if let GatewayEvent::StoreFails(_) = event {
            parts.push(("data", self.data.as_str().into()));
        }
        self.tell_of(name, parts);
    }
}

impl Drop for LogLines {
    fn drop(&mut self) {
        self.lines = None;
        let _ = self.is_written.recv_timeout(LAST_WORDS);
    }
}

/// What an event is called, and its parts.
fn words<'a>(event: &GatewayEvent<'_>) -> (&'static str, Vec<(&'a str, Value)>) {
    match *event {
        GatewayEvent::Connected(device) => ("connected", vec![("device", device.into())]),
        GatewayEvent::Disconnected(device, why) => {
            let parts = vec![("device", device.into()), ("reason", why.name().into())];
            ("disconnected", parts)
        }
        GatewayEvent::Refused(by, device, why) => {
            let mut parts = vec![("by", by.name().into()), ("reason", why.name().into())];
            parts.extend(device.map(|it| ("device", it.into())));
            ("refused", parts)
        }
        GatewayEvent::NotTaken(device, why) => {
            let why = match why {
                NotKept::Denied => "not_allowed",
                NotKept::Limit => "limit",
                NotKept::Failed => "store",
            };
            let parts = vec![("device", device.into()), ("reason", why.into())];
            ("not_taken", parts)
        }
        GatewayEvent::StoreFails(why) => {
            let why = match why {
                StoreError::Busy => "busy",
                StoreError::Full => "disk_full",
                StoreError::Failed => "failed",
            };
            ("store_fails", vec![("reason", why.into())])
        }
        GatewayEvent::StoreIsBack => ("store_is_back", Vec::new()),
        GatewayEvent::ClockWasSet(by) => ("clock_was_set", vec![("seconds", by.into())]),
    }
}

/// As RFC 3339 has it, in UTC, to the millisecond.
fn time_of(since_1970: Duration) -> String {
    let nanos = i128::from(since_1970.as_nanos());
    let time = OffsetDateTime::from_unix_timestamp_nanos(nanos);
    let time = time.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = time.to_calendar_date();
    let (hour, minute, second, milli) = time.to_hms_milli();
    let month = month as u8;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}
