use std::sync::Mutex;

use lasthop_classify::{
    Account, AccountRow, Accountant, CaptureError, ConversationReport, Protocol,
};
use lasthop_contract::{Cause, Direction};
use lasthop_units::Instant;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// What the bytes of capture files are for.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct CaptureLedger {
    accountant: Mutex<Accountant>,
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
            accountant: Mutex::new(accountant),
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
        py.detach(|| self.with(|accountant| accountant.feed(piece)))
    }

    /// Ends a file; the next one goes on.
    fn end_of_file(&self) -> PyResult<()> {
        self.with(Accountant::end_of_file)
    }

    /// Ends the last file: the ledger as JSON, with the largest conversations, or all.
    #[pyo3(signature = (conversations=None))]
    fn finish(&self, conversations: Option<usize>) -> PyResult<String> {
        let mut ledger = Value::Null;
        self.with(|accountant| {
            accountant.finish();
            ledger = ledger_of(accountant, conversations.unwrap_or(usize::MAX));
            Ok(())
        })?;
        Ok(ledger.to_string())
    }
}

impl CaptureLedger {
    fn with(&self, act: impl FnOnce(&mut Accountant) -> Result<(), CaptureError>) -> PyResult<()> {
        let mut accountant = self
            .accountant
            .lock()
            .map_err(|_| PyValueError::new_err("is of no use after a fault"))?;
        act(&mut accountant).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn ledger_of(accountant: &Accountant, most: usize) -> Value {
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
    let mut conversations: Vec<_> = accountant.conversations().collect();
    let count = conversations.len();
    conversations.sort_by_key(|report| core::cmp::Reverse(bytes_of(report)));
    conversations.truncate(most);
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
        "frames_of_unknown_links": findings.unknown_links,
        "packets_cut_short": findings.cut_short,
        "packets_damaged": findings.damaged,
        "unfinished_bytes": findings.unfinished_bytes,
        "conversation_count": count,
        "conversations": conversations.iter().map(conversation_of).collect::<Vec<_>>(),
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
