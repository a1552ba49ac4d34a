use core::ops::Range;
use std::io::{self, Write};

use lasthop_contract::{Direction, InterfaceId, Packet};
use lasthop_engine::HostId;
use lasthop_units::Instant;

/// The packets of a run as a pcapng file (draft-ietf-opsawg-pcapng), with an interface for each side of each
/// device's path. A packet stands once at the side that it enters and once at the side that it leaves.
///
/// Everything is kept until the end, since the fate of a packet is a comment on its first appearance.
#[derive(Clone, Debug)]
pub struct Capture {
    layout: CaptureLayout,
    bytes: Vec<u8>,
    records: Vec<Record>,
    /// The record of each packet's entry, by packet number.
    entries: Vec<u32>,
}

/// Which hosts there are.
#[derive(Clone, Copy, Debug)]
pub enum CaptureLayout {
    /// Devices have the first numbers, servers follow.
    DevicesFirst {
        /// How many devices.
        devices: u32,
        /// Whether one server serves all of them, by one interface each.
        shared_server: bool,
    },
    /// Devices have even numbers, and the server of each the next one. Devices that come later have the numbers, and
    /// so the interfaces, of those that went before; their addresses tell them apart.
    Pairs,
}

#[derive(Clone, Debug)]
struct Record {
    at: Instant,
    interface: u32,
    inbound: bool,
    bytes: Range<usize>,
    comments: Vec<String>,
}

/// Raw IPv4 or IPv6, told apart by the version field.
const LINKTYPE_RAW: u16 = 101;

impl Capture {
    /// An empty capture.
    #[must_use]
    pub fn new(layout: CaptureLayout) -> Self {
        Self {
            layout,
            bytes: Vec::new(),
            records: Vec::new(),
            entries: Vec::new(),
        }
    }

    pub(crate) fn entered(
        &mut self,
        now: Instant,
        host: HostId,
        interface: InterfaceId,
        packet: &Packet,
    ) {
        let number = packet.number() as usize;
        debug_assert_eq!(number, self.entries.len());
        self.entries.push(self.records.len() as u32);
        self.add(now, host, interface, packet, false);
    }

    pub(crate) fn left(
        &mut self,
        now: Instant,
        host: HostId,
        interface: InterfaceId,
        packet: &Packet,
    ) {
        self.add(now, host, interface, packet, true);
        if packet.is_corrupted()
            && let Some(record) = self.records.last_mut()
        {
            record.comments.push("corrupted by the link".into());
        }
    }

    /// Adds a comment to where a packet entered.
    pub(crate) fn comment(&mut self, number: u64, comment: String) {
        if let Some(entry) = self.entries.get(number as usize) {
            self.records[*entry as usize].comments.push(comment);
        }
    }

    /// Bytes of all packets that entered in a direction.
    #[must_use]
    pub fn bytes_entered(&self, direction: Direction) -> u64 {
        // A device's side has an even number; what enters there goes up.
        let side = direction as u32;
        self.records
            .iter()
            .filter(|record| !record.inbound && record.interface % 2 == side)
            .map(|record| record.bytes.len() as u64)
            .sum()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&section_header())?;
        for device in 0..self.devices() {
            out.write_all(&interface_description(&format!("device/{device}")))?;
            out.write_all(&interface_description(&format!("server/{device}")))?;
        }
        for record in &self.records {
            out.write_all(&self.enhanced_packet(record))?;
        }
        Ok(())
    }

    /// How many devices have interfaces.
    fn devices(&self) -> u32 {
        match self.layout {
            CaptureLayout::DevicesFirst { devices, .. } => devices,
            CaptureLayout::Pairs => {
                let sides = self.records.iter().map(|record| record.interface / 2 + 1);
                sides.max().unwrap_or(0)
            }
        }
    }

    fn add(
        &mut self,
        at: Instant,
        host: HostId,
        interface: InterfaceId,
        packet: &Packet,
        inbound: bool,
    ) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(packet.bytes());
        self.records.push(Record {
            at,
            interface: self.layout.interface(host, interface),
            inbound,
            bytes: start..self.bytes.len(),
            comments: Vec::new(),
        });
    }

    fn enhanced_packet(&self, record: &Record) -> Vec<u8> {
        let packet = &self.bytes[record.bytes.clone()];
        let nanos = record.at.as_nanos();
        let mut body = Vec::with_capacity(packet.len() + 64);
        let length = packet.len() as u32;
        for word in [
            record.interface,
            (nanos >> 32) as u32,
            nanos as u32,
            length,
            length,
        ] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        body.extend_from_slice(packet);
        pad(&mut body);
        for comment in &record.comments {
            option(&mut body, 1, comment.as_bytes());
        }
        let direction: u32 = if record.inbound { 1 } else { 2 };
        option(&mut body, 2, &direction.to_le_bytes());
        option(&mut body, 0, &[]);
        block(6, &body)
    }
}

impl CaptureLayout {
    /// The number of a side in the file: even for a device's, odd for its server's.
    fn interface(self, host: HostId, interface: InterfaceId) -> u32 {
        match self {
            Self::Pairs => host.0,
            Self::DevicesFirst { devices, .. } if host.0 < devices => 2 * host.0,
            Self::DevicesFirst {
                shared_server: true,
                ..
            } => 2 * interface.0 + 1,
            Self::DevicesFirst { devices, .. } => 2 * (host.0 - devices) + 1,
        }
    }
}

fn section_header() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&0x1a2b_3c4d_u32.to_le_bytes());
    body.extend_from_slice(&1_u16.to_le_bytes());
    body.extend_from_slice(&0_u16.to_le_bytes());
    body.extend_from_slice(&u64::MAX.to_le_bytes());
    let application = concat!("lasthop ", env!("CARGO_PKG_VERSION"));
    option(&mut body, 4, application.as_bytes());
    option(&mut body, 0, &[]);
    block(0x0a0d_0d0a, &body)
}

fn interface_description(name: &str) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&LINKTYPE_RAW.to_le_bytes());
    body.extend_from_slice(&[0; 6]);
    option(&mut body, 2, name.as_bytes());
    // Time stamps count 10^-9 s.
    option(&mut body, 9, &[9]);
    option(&mut body, 0, &[]);
    block(1, &body)
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend_from_slice(&code.to_le_bytes());
    body.extend_from_slice(&(value.len() as u16).to_le_bytes());
    body.extend_from_slice(value);
    pad(body);
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 12;
    [
        &kind.to_le_bytes()[..],
        &length.to_le_bytes(),
        body,
        &length.to_le_bytes(),
    ]
    .concat()
}

/// Fills up to a multiple of four bytes.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}
