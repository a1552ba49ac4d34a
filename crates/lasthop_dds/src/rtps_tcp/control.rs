//! The control messages of RTPS over TCP, as Fast DDS 2.9 writes them (`TCPControlMessage.idl`).
//!
//! A control message has a kind, flags, its length, and the number of its transaction, which its answer repeats. An
//! answer begins with a code. The fields of a message are in plain CDR, behind an encapsulation and a length.

use crate::contact::Contact;
use dust_dds::transport::types::Locator;

/// The number by which an answer is matched with its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Transaction(pub(crate) u32);

/// A control message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ControlMessage {
    pub(crate) transaction: Transaction,
    pub(crate) body: Control,
}

/// The content of a control message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// The end that opened the connection says where its participant is.
    BindConnection { version: [u8; 2], at: Contact },
    /// The answer to `BindConnection`, with the place of the other participant.
    ConnectionBound(Answer, Option<Contact>),
    /// Asks whether a participant receives at a logical port.
    OpenLogicalPort(u16),
    /// The answer to `OpenLogicalPort`.
    LogicalPortOpened(Answer),
    /// Asks which of these logical ports are in use.
    CheckLogicalPorts(Vec<u16>),
    /// The answer to `CheckLogicalPorts`, with those that are.
    LogicalPortsChecked(Answer, Vec<u16>),
    /// Asks whether the connection is alive.
    KeepAlive(Contact),
    /// The answer to `KeepAlive`.
    KeptAlive(Answer),
    /// Nobody receives at a logical port any more.
    LogicalPortClosed(u16),
    /// The connection ends.
    UnbindConnection,
}

/// The code of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Ok,
    BadRequest,
    /// The participant has a connection already, and uses this one too.
    ExistingConnection,
    /// Nobody receives at the logical port.
    InvalidPort,
    UnknownLocator,
    IncompatibleVersion,
    ServerError,
}

/// Why a control message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// The message has no header, so that it cannot be answered either.
    NoHeader,
    /// The kind is unknown, or the fields do not fit.
    BadRequest(u8, Transaction),
}

/// The version of the protocol (`c_rtcpProtocolVersion` of Fast DDS).
pub(crate) const VERSION: [u8; 2] = [1, 0];

/// The maker of `dust_dds`.
const VENDOR: [u8; 2] = [1, 20];

/// The most logical ports of one `CheckLogicalPorts` that are read.
const MOST_PORTS: usize = 256;

const HEADER: usize = 16;
const BIND: u8 = 0xd1;
const OPEN: u8 = 0xd2;
const CHECK: u8 = 0xd3;
const KEEP_ALIVE: u8 = 0xd4;
const CLOSED: u8 = 0xd5;
const UNBIND: u8 = 0xd6;
/// An answer has the kind of its request and this.
const ANSWER: u8 = 0x10;

/// Flags: numbers are little-endian, fields follow, an answer is expected.
const LITTLE_ENDIAN: u8 = 2;
const HAS_FIELDS: u8 = 4;
const ASKS: u8 = 8;

/// The encapsulation of plain CDR, little-endian: once as a number, once in the fields.
const ENCAPSULATION: [u8; 2] = [1, 0];
const CDR_LITTLE_ENDIAN: [u8; 4] = [0, 1, 0, 0];

impl ControlMessage {
    /// Returns the message as the content of a frame.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (kind, flags) = self.body.kind();
        let code = self.body.answer().map(|it| it.code().to_le_bytes());
        let fields = self.body.fields().map(|fields| {
            let length = (CDR_LITTLE_ENDIAN.len() + fields.len()) as u32;
            let length = length.to_le_bytes();
            [&ENCAPSULATION[..], &length, &CDR_LITTLE_ENDIAN, &fields].concat()
        });
        let rest = [code.map(Vec::from), fields].into_iter().flatten();
        let rest = rest.collect::<Vec<_>>().concat();
        let length = u16::try_from(HEADER + rest.len()).expect("control messages are short");
        let mut bytes = vec![kind, LITTLE_ENDIAN | flags];
        bytes.extend(length.to_le_bytes());
        bytes.extend(self.transaction.0.to_le_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(rest);
        bytes
    }

    /// Reads the content of a frame.
    ///
    /// # Errors
    /// When it is not a control message.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let header: &[u8; HEADER] = bytes.first_chunk().ok_or(Unreadable::NoHeader)?;
        let [kind, flags, a, b, c, d, e, f, ..] = *header;
        // Fast DDS numbers with the lowest four of twelve bytes.
        let transaction = Transaction(u32::from_le_bytes([c, d, e, f]));
        let is_whole = usize::from(u16::from_le_bytes([a, b])) == bytes.len();
        let body = Some(Fields(&bytes[HEADER..]))
            .filter(|_| is_whole && flags & LITTLE_ENDIAN != 0)
            .and_then(|fields| Control::read(kind, fields));
        match body {
            Some(body) => Ok(Self { transaction, body }),
            None => Err(Unreadable::BadRequest(kind, transaction)),
        }
    }
}

impl Control {
    /// Whether the message belongs to the liveliness of the connection.
    pub(crate) const fn keeps_alive(&self) -> bool {
        matches!(self, Self::KeepAlive(_) | Self::KeptAlive(_))
    }

    /// Whether the message belongs to the end of the connection.
    pub(crate) const fn tears_down(&self) -> bool {
        matches!(self, Self::LogicalPortClosed(_) | Self::UnbindConnection)
    }

    /// The kind and the flags.
    const fn kind(&self) -> (u8, u8) {
        const REQUEST: u8 = HAS_FIELDS | ASKS;
        match self {
            Self::BindConnection { .. } => (BIND, REQUEST),
            Self::ConnectionBound(..) => (BIND + ANSWER, HAS_FIELDS),
            Self::OpenLogicalPort(_) => (OPEN, REQUEST),
            Self::LogicalPortOpened(_) => (OPEN + ANSWER, HAS_FIELDS),
            Self::CheckLogicalPorts(_) => (CHECK, REQUEST),
            Self::LogicalPortsChecked(..) => (CHECK + ANSWER, HAS_FIELDS),
            Self::KeepAlive(_) => (KEEP_ALIVE, REQUEST),
            Self::KeptAlive(_) => (KEEP_ALIVE + ANSWER, HAS_FIELDS),
            Self::LogicalPortClosed(_) => (CLOSED, HAS_FIELDS),
            Self::UnbindConnection => (UNBIND, 0),
        }
    }

    const fn answer(&self) -> Option<Answer> {
        match self {
            Self::ConnectionBound(answer, _)
            | Self::LogicalPortOpened(answer)
            | Self::LogicalPortsChecked(answer, _)
            | Self::KeptAlive(answer) => Some(*answer),
            _ => None,
        }
    }

    fn fields(&self) -> Option<Vec<u8>> {
        match self {
            Self::BindConnection { version, at } => {
                Some([&version[..], &VENDOR, &locator(*at)].concat())
            }
            Self::ConnectionBound(_, at) => at.map(|at| locator(at).to_vec()),
            Self::KeepAlive(at) => Some(locator(*at).to_vec()),
            Self::OpenLogicalPort(port) | Self::LogicalPortClosed(port) => {
                Some(port.to_le_bytes().to_vec())
            }
            Self::CheckLogicalPorts(ports) | Self::LogicalPortsChecked(_, ports) => {
                let count = (ports.len() as u32).to_le_bytes();
                let ports = ports.iter().flat_map(|port| port.to_le_bytes());
                Some(count.into_iter().chain(ports).collect())
            }
            Self::LogicalPortOpened(_) | Self::KeptAlive(_) | Self::UnbindConnection => None,
        }
    }

    fn read(kind: u8, mut rest: Fields<'_>) -> Option<Self> {
        let read = match kind {
            BIND => {
                rest.cdr()?;
                let version = rest.take()?;
                let _vendor: [u8; 2] = rest.take()?;
                let at = rest.contact()?;
                Self::BindConnection { version, at }
            }
            OPEN => {
                rest.cdr()?;
                Self::OpenLogicalPort(rest.port()?)
            }
            CHECK => {
                rest.cdr()?;
                Self::CheckLogicalPorts(rest.ports()?)
            }
            KEEP_ALIVE => {
                rest.cdr()?;
                Self::KeepAlive(rest.contact()?)
            }
            CLOSED => {
                rest.cdr()?;
                Self::LogicalPortClosed(rest.port()?)
            }
            UNBIND => Self::UnbindConnection,
            0xe1 => {
                let answer = rest.answer()?;
                Self::ConnectionBound(answer, rest.cdr().and_then(|()| rest.contact()))
            }
            0xe2 => Self::LogicalPortOpened(rest.answer()?),
            0xe3 => {
                let answer = rest.answer()?;
                let ports = rest.cdr().and_then(|()| rest.ports());
                Self::LogicalPortsChecked(answer, ports.unwrap_or_default())
            }
            0xe4 => Self::KeptAlive(rest.answer()?),
            _ => return None,
        };
        Some(read)
    }
}

impl Answer {
    const ALL: [Self; 7] = [
        Self::Ok,
        Self::BadRequest,
        Self::ExistingConnection,
        Self::InvalidPort,
        Self::UnknownLocator,
        Self::IncompatibleVersion,
        Self::ServerError,
    ];

    const fn code(self) -> u32 {
        self as u32
    }
}

/// Returns an answer that refuses a request of this kind.
pub(crate) fn refusal(kind: u8, transaction: Transaction) -> Option<ControlMessage> {
    let answer = Answer::BadRequest;
    let body = match kind {
        BIND => Control::ConnectionBound(answer, None),
        OPEN => Control::LogicalPortOpened(answer),
        CHECK => Control::LogicalPortsChecked(answer, Vec::new()),
        KEEP_ALIVE => Control::KeptAlive(answer),
        _ => return None,
    };
    Some(ControlMessage { transaction, body })
}

/// What is left of a message.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    /// Skips what stands before the fields.
    fn cdr(&mut self) -> Option<()> {
        let encapsulation: [u8; 2] = self.take()?;
        let length = u32::from_le_bytes(self.take()?) as usize;
        let is_so = encapsulation == ENCAPSULATION && length == self.0.len();
        (is_so && self.take()? == CDR_LITTLE_ENDIAN).then_some(())
    }

    fn answer(&mut self) -> Option<Answer> {
        let code = u32::from_le_bytes(self.take()?) as usize;
        Answer::ALL.get(code).copied()
    }

    fn port(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn ports(&mut self) -> Option<Vec<u16>> {
        let count = u32::from_le_bytes(self.take()?) as usize;
        if count > MOST_PORTS {
            return None;
        }
        (0..count).map(|_| self.port()).collect()
    }

    fn contact(&mut self) -> Option<Contact> {
        let kind = i32::from_le_bytes(self.take()?);
        let port = u32::from_le_bytes(self.take()?);
        let contact = Contact::of(&Locator::new(kind, port, self.take()?))?;
        contact.logical_port.map(|_| contact)
    }
}

fn locator(contact: Contact) -> [u8; 24] {
    let locator = contact.locator();
    let mut bytes = [0; 24];
    bytes[..4].copy_from_slice(&locator.kind().to_le_bytes());
    bytes[4..8].copy_from_slice(&locator.port().to_le_bytes());
    bytes[8..].copy_from_slice(&locator.address());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasthop_contract::RandomStream;

    fn contact(address: &str, logical_port: u16) -> Contact {
        Contact::tcp(address.parse().unwrap(), logical_port)
    }

    fn message(transaction: u32, body: Control) -> ControlMessage {
        ControlMessage {
            transaction: Transaction(transaction),
            body,
        }
    }

    fn from_hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pairs = digits.chunks(2).map(|pair| str::from_utf8(pair).unwrap());
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    }

    /// Control messages of two participants of Fast DDS 2.9.1 (Debian 12), 10.9.0.2 the client of 10.9.0.1.
    fn captured() -> Vec<(&'static str, ControlMessage)> {
        let bind = Control::BindConnection {
            version: VERSION,
            at: contact("10.9.0.2:7235", 0),
        };
        let bound = Control::ConnectionBound(Answer::Ok, Some(contact("10.9.0.1:7400", 0)));
        vec![
            (
                "d10e3600 000000000000000000000000 010020000000 00010000 0100010f \
                 04000000 431c0000 0000000000000000000000000a090002",
                message(0, bind),
            ),
            (
                "e1063600 000000000000000000000000 00000000 01001c000000 00010000 \
                 04000000 e81c0000 0000000000000000000000000a090001",
                message(0, bound),
            ),
            (
                "d20e1c00 010000000000000000000000 010006000000 00010000 f21c",
                message(1, Control::OpenLogicalPort(7410)),
            ),
            (
                "e2061400 010000000000000000000000 00000000",
                message(1, Control::LogicalPortOpened(Answer::Ok)),
            ),
            (
                "d5061c00 040000000000000000000000 010006000000 00010000 f31c",
                message(4, Control::LogicalPortClosed(7411)),
            ),
            (
                "d6021000 050000000000000000000000",
                message(5, Control::UnbindConnection),
            ),
        ]
    }

    #[test]
    fn messages_of_fast_dds_are_read() {
        for (hex, message) in captured() {
            assert_eq!(ControlMessage::read(&from_hex(hex)), Ok(message), "{hex}");
        }
    }

    #[test]
    fn messages_are_written_as_fast_dds_writes_them_but_for_the_vendor() {
        for (hex, message) in captured() {
            let mut expected = from_hex(hex);
            if matches!(message.body, Control::BindConnection { .. }) {
                expected[28..30].copy_from_slice(&VENDOR);
            }
            assert_eq!(message.bytes(), expected, "{hex}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let at = contact("[fd00::7]:7400", 7410);
        let mut bodies = vec![
            Control::BindConnection {
                version: [2, 0],
                at,
            },
            Control::CheckLogicalPorts(vec![7412, 7414]),
            Control::CheckLogicalPorts(Vec::new()),
            Control::KeepAlive(at),
            Control::LogicalPortClosed(1),
            Control::UnbindConnection,
        ];
        for answer in Answer::ALL {
            bodies.extend([
                Control::ConnectionBound(answer, Some(at)),
                Control::ConnectionBound(answer, None),
                Control::LogicalPortOpened(answer),
                Control::LogicalPortsChecked(answer, vec![7412]),
                Control::KeptAlive(answer),
            ]);
        }
        for (number, body) in (0..).zip(bodies) {
            let message = message(number, body);
            assert_eq!(ControlMessage::read(&message.bytes()), Ok(message));
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_its_kind() {
        let good = message(7, Control::OpenLogicalPort(7410)).bytes();
        let changed = |place: usize, value| {
            let mut bytes = good.clone();
            bytes[place] = value;
            ControlMessage::read(&bytes)
        };
        let bad = |kind| Err(Unreadable::BadRequest(kind, Transaction(7)));
        assert_eq!(changed(0, 0xd7), bad(0xd7), "an unknown kind");
        assert_eq!(changed(1, 0x0c), bad(OPEN), "big-endian");
        assert_eq!(changed(2, 0x1b), bad(OPEN), "another length");
        assert_eq!(changed(18, 7), bad(OPEN), "another length of fields");
        assert_eq!(ControlMessage::read(&good[..15]), Err(Unreadable::NoHeader));
        let answer = refusal(OPEN, Transaction(7)).unwrap();
        assert_eq!(answer.body, Control::LogicalPortOpened(Answer::BadRequest));
        assert_eq!(refusal(UNBIND, Transaction(7)), None);
    }

    #[test]
    fn a_request_cannot_name_more_ports_than_are_read() {
        let many = Control::CheckLogicalPorts(vec![7410; MOST_PORTS + 1]);
        let read = ControlMessage::read(&message(0, many).bytes());
        assert_eq!(read, Err(Unreadable::BadRequest(CHECK, Transaction(0))));
        let mut lying = message(0, Control::CheckLogicalPorts(vec![7410])).bytes();
        lying[26..30].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(ControlMessage::read(&lying).is_err());
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_a_panic() {
        let mut stream = RandomStream::named(1, "control");
        for _ in 0..20_000 {
            let all = captured();
            let (hex, _) = &all[stream.below(all.len() as u64) as usize];
            let mut bytes = from_hex(hex);
            for _ in 0..=stream.below(3) {
                let place = stream.below(bytes.len() as u64) as usize;
                bytes[place] = stream.next_u64() as u8;
            }
            bytes.truncate(stream.below(bytes.len() as u64 + 1) as usize);
            if let Ok(message) = ControlMessage::read(&bytes) {
                assert!(message.bytes().len() >= HEADER);
            }
        }
    }
}
