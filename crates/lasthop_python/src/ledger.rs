use std::sync::{Mutex, MutexGuard};

use lasthop_classify::{
    Account, AccountRow, Accountant, BilledCapture, CaptureBill, Conversation, ConversationReport,
    MessageKind, Protocol,
};
use lasthop_contract::{Cause, Direction};
use lasthop_units::{Duration, Instant};
use lasthop_world::TariffSpec;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
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
    /// A ledger, with the protocols that are spoken at ports other than those of IANA, and perhaps what it costs.
    ///
    /// The tariff is a part of a run spec, as JSON.
    #[new]
    #[pyo3(signature = (ports=Vec::new(), tariff=None, *, keeps_packets=false))]
    fn new(ports: Vec<(u16, String)>, tariff: Option<&str>, keeps_packets: bool) -> PyResult<Self> {
        let mut accountant = Accountant::new();
        if keeps_packets {
            accountant.keep_portions();
        }
        if let Some(json) = tariff {
            let spec: TariffSpec = serde_json::from_str(json).map_err(|error| refusal(&error))?;
            let tariff = spec.tariff().map_err(|error| refusal(&error))?;
            accountant.bill_by(CaptureBill::new(tariff));
        }
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
        py.detach(|| {
            let mut books = self.books()?;
            books.accountant.feed(piece).map_err(|it| refusal(&it))
        })
    }

    /// Ends a file; the next one goes on.
    fn end_of_file(&self) -> PyResult<()> {
        let mut books = self.books()?;
        books.accountant.end_of_file().map_err(|it| refusal(&it))
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

    /// The bill of the finished ledger as JSON, when it stands for so many seconds; nothing without a tariff.
    fn bill(&self, seconds: f64) -> PyResult<Option<String>> {
        let books = self.books()?;
        let span = Duration::from_nanos_f64(seconds * 1e9);
        let bill = books.accountant.bill().map(|bill| bill.finish(span));
        Ok(bill.map(|bill| bill_of(&bill).to_string()))
    }

    /// The packets in columns of little-endian numbers, where they are kept.
    fn packets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let books = self.books()?;
        let columns = PyDict::new(py);
        let Some(log) = books.accountant.portions() else {
            return Ok(columns);
        };
        let times: Vec<u8> = log.at_ns.iter().flat_map(|it| it.to_le_bytes()).collect();
        columns.set_item("at_ns", PyBytes::new(py, &times))?;
        for (name, column) in [
            ("conversation", &log.conversation),
            ("bytes", &log.bytes),
            ("payload", &log.payload),
            ("opaque", &log.opaque),
            ("set_up", &log.set_up),
        ] {
            let numbers: Vec<u8> = column.iter().flat_map(|it| it.to_le_bytes()).collect();
            columns.set_item(name, PyBytes::new(py, &numbers))?;
        }
        for (name, column) in [
            ("direction", &log.direction),
            ("kind", &log.kind),
            ("second_kind", &log.second_kind),
            ("is_repeated", &log.is_repeated),
        ] {
            columns.set_item(name, PyBytes::new(py, column))?;
        }
        Ok(columns)
    }

    /// The ends and the protocol of every conversation as a list in JSON, in the order of their first packets.
    fn all_conversations(&self) -> PyResult<String> {
        let books = self.books()?;
        let named = books.accountant.conversations().map(|report| {
            let (from, to) = ends_of(report.conversation);
            json!({"protocol": report.conversation.name(), "from": from, "to": to})
        });
        Ok(Value::Array(named.collect()).to_string())
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

fn refusal(error: &dyn core::fmt::Display) -> PyErr {
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

fn bill_of(bill: &BilledCapture) -> Value {
    let sims = bill.sims.iter().map(|sim| {
        json!({
            "address": sim.address.to_string(),
            "bytes_per_month": sim.bytes_per_month,
            "billed_bytes_per_month": sim.billed_bytes_per_month,
            "billed_bytes_set_up": sim.set_up_bytes,
            "fees_per_year": sim.cost.fees,
            "data_cost_per_year": sim.cost.data,
            "minutes_cost_per_year": sim.cost.minutes,
            "cost_per_year": sim.cost.total(),
        })
    });
    let rows = bill.by_cause.iter().map(|(row, bytes)| {
        json!({
            "layer": row.layer.name(),
            "cause": row.cause.name(),
            "billed_bytes_per_month": bytes,
        })
    });
    json!({
        "sims": sims.collect::<Vec<_>>(),
        "by_cause": rows.collect::<Vec<_>>(),
        "packet_overhead_bytes_per_month": bill.packet_overhead,
        "rounding_bytes_per_month": bill.rounding,
    })
}

fn conversation_of(report: &ConversationReport<'_>) -> Value {
    let conversation = report.conversation;
    let (from, to) = ends_of(conversation);
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
        "from": from,
        "to": to,
        "payload_bytes": payload.iter().sum::<u64>(),
        "up": up,
        "down": down,
    })
}

/// Who opened a conversation, and the other end.
fn ends_of(conversation: &Conversation) -> (String, String) {
    let end = |end: core::net::SocketAddr| match conversation.has_ports() {
        true => end.to_string(),
        false => end.ip().to_string(),
    };
    (end(conversation.opener), end(conversation.responder))
}

fn bytes_of(report: &ConversationReport<'_>) -> u64 {
    report.accounts.iter().map(|account| account.bytes()).sum()
}
