use std::sync::{Mutex, MutexGuard};

use lasthop_classify::{
    Account, AccountRow, Accountant, CaptureError, ConversationReport, MessageKind, Protocol,
};
use lasthop_contract::{Cause, Direction};
use lasthop_units::Instant;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The names of the kinds of messages that can be read in packets, such as `mqtt.PUBREC`.
#[pyfunction]
pub(crate) fn message_kinds() -> Vec<&'static str> {
    MessageKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// What the bytes of capture files are for.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct CaptureLedger {
    books: Mutex<Books>,
}

#[derive(Debug)]
struct Books {
    accountant: Accountant,
    /// The places of its conversations when it was finished, the largest first.
    largest: Vec<usize>,
}

#[pymethods]
impl CaptureLedger {
    /// A ledger, with the protocols that are spoken at ports other than those of IANA.
    #[new]
    #[pyo3(signature = (ports=Vec::new()))]
    fn new(ports: Vec<(u16, String)>) -> PyResult<Self> {
        let mut accountant = Accountant::new();
        for (port, name) in ports {
            let mut known = Protocol::OF_PORTS.into_iter();
            let protocol = known.find(|protocol| protocol.name() == Some(&name));
            let protocol = protocol.ok_or_else(|| PyValueError::new_err(name))?;
            accountant.say_port(port, protocol);
        }
        Ok(Self {
            books: Mutex::new(Books {
                accountant,
                largest: Vec::new(),
            }),
        })
    }

    /// The names of those protocols.
    #[staticmethod]
    fn protocols() -> Vec<&'static str> {
        let known = Protocol::OF_PORTS.iter();
        known.filter_map(|protocol| protocol.name()).collect()
    }

    /// Takes the next bytes of a file.
    fn feed(&self, py: Python<'_>, piece: &[u8]) -> PyResult<()> {
        py.detach(|| self.books()?.accountant.feed(piece).map_err(refusal))
    }

    /// Ends a file; the next one goes on.
    fn end_of_file(&self) -> PyResult<()> {
        self.books()?.accountant.end_of_file().map_err(refusal)
    }

    /// Ends the last file: the ledger as JSON, but for its conversations.
    fn finish(&self) -> PyResult<String> {
        let mut books = self.books()?;
        books.accountant.finish();
        let bytes = books.accountant.conversations().map(|it| bytes_of(&it));
        let bytes: Vec<u64> = bytes.collect();
        let mut largest: Vec<usize> = (0..bytes.len()).collect();
        largest.sort_by_key(|place| core::cmp::Reverse(bytes[*place]));
        books.largest = largest;
        Ok(ledger_of(&books.accountant, books.largest.len()).to_string())
    }

    /// Conversations of the finished ledger as a list in JSON: so many from a place on, the largest of all first.
    fn conversations(&self, first: usize, count: usize) -> PyResult<String> {
        let books = self.books()?;
        let places = books.largest.iter().skip(first).take(count);
        let reports = places.filter_map(|place| books.accountant.conversation(*place));
        let reports: Vec<Value> = reports.map(|report| conversation_of(&report)).collect();
        Ok(Value::Array(reports).to_string())
    }
}

impl CaptureLedger {
    fn books(&self) -> PyResult<MutexGuard<'_, Books>> {
        let books = self.books.lock();
        books.map_err(|_| PyValueError::new_err("is of no use after a fault"))
    }
}

fn refusal(error: CaptureError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn ledger_of(accountant: &Accountant, conversations: usize) -> Value {
    let findings = accountant.findings();
    let totals = accountant.totals();
    let rows = totals.iter().map(|total| {
        let AccountRow {
            layer,
            cause,
            bytes,
        } = total.row;
        json!({
            "seen": total.sight.name(),
            "direction": total.direction.name(),
            "layer": layer.name(),
            "cause": cause.name(),
            "bytes": bytes,
        })
    });
    let rows: Vec<Value> = rows.collect();
    let bytes: u64 = totals.iter().map(|total| total.row.bytes).sum();
    let seconds = |at: Option<Instant>| at.map(Instant::as_secs_f64);
    json!({
        "packets": findings.packets,
        "bytes": bytes,
        "first_s": seconds(findings.first),
        "last_s": seconds(findings.last),
        "ledger": rows,
        "repeated_packets": {
            "tcp": findings.repeated_by_tcp,
            "tcp_in_vain": findings.repeated_in_vain,
            "application": findings.repeated_by_application,
        },
        "frames": findings.frames,
        "frames_not_ip": findings.not_ip,
        "frames_of_incomplete_packets": findings.lone_fragments,
        "frames_of_unknown_links": findings.unknown_links,
        "packets_cut_short": findings.cut_short,
        "packets_damaged": findings.damaged,
        "unfinished_bytes": findings.unfinished_bytes,
        "damaged_at_bytes": findings.damaged_at,
        "conversation_count": conversations,
    })
}

fn conversation_of(report: &ConversationReport<'_>) -> Value {
    let conversation = report.conversation;
    let end = |end: core::net::SocketAddr| match conversation.has_ports() {
        true => end.to_string(),
        false => end.ip().to_string(),
    };
    let sides = Direction::ALL.map(|direction| {
        let place = direction as usize;
        let account: &Account = report.accounts[place];
        json!({
            "packets": report.packets[place],
            "bytes": account.bytes(),
            "repeated_packets": report.repeated[place],
            "ledger": account.rows().iter().map(|row| json!({
                "layer": row.layer.name(),
                "cause": row.cause.name(),
                "bytes": row.bytes,
            })).collect::<Vec<_>>(),
        })
    });
    let [up, down] = sides;
    let payload = report
        .accounts
        .map(|account| account.of_cause(Cause::Payload));
    json!({
        "protocol": conversation.name(),
        "from": end(conversation.opener),
        "to": end(conversation.responder),
        "payload_bytes": payload.iter().sum::<u64>(),
        "up": up,
        "down": down,
    })
}

fn bytes_of(report: &ConversationReport<'_>) -> u64 {
    report.accounts.iter().map(|account| account.bytes()).sum()
}
