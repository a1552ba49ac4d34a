//! The blocks of a pcapng file (draft-ietf-opsawg-pcapng).

use lasthop_units::Instant;

/// A captured packet.
#[derive(Clone, Debug)]
pub struct CapturedPacket {
    /// The time since 1970, or since the start of the run.
    pub at: Instant,
    /// Whether the packet arrived at the host.
    pub is_inbound: bool,
    /// The IP packet.
    pub bytes: Box<[u8]>,
    /// The comments on the packet.
    pub comments: Vec<String>,
}

/// Raw IPv4 or IPv6, told apart by the version field.
const LINKTYPE_RAW: u16 = 101;

const COMMENT: u16 = 1;
const END_OF_OPTIONS: u16 = 0;

impl CapturedPacket {
    /// Returns an Enhanced Packet Block for the interface with this number.
    #[must_use]
    pub fn block(&self, interface: u32) -> Vec<u8> {
        let nanos = self.at.as_nanos();
        let length = self.bytes.len() as u32;
        let (captured, original) = (length, length);
        let mut body = Vec::with_capacity(self.bytes.len() + 96);
        for word in [
            interface,
            (nanos >> 32) as u32,
            nanos as u32,
            captured,
            original,
        ] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        body.extend_from_slice(&self.bytes);
        pad(&mut body);
        for comment in &self.comments {
            option(&mut body, COMMENT, comment.as_bytes());
        }
        let direction: u32 = if self.is_inbound { 1 } else { 2 };
        option(&mut body, 2, &direction.to_le_bytes());
        option(&mut body, END_OF_OPTIONS, &[]);
        block(6, &body)
    }
}

/// Returns the Section Header Block, with which a file begins.
#[must_use]
pub fn section_header() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&0x1a2b_3c4d_u32.to_le_bytes());
    body.extend_from_slice(&1_u16.to_le_bytes());
    body.extend_from_slice(&0_u16.to_le_bytes());
    body.extend_from_slice(&u64::MAX.to_le_bytes());
    let application = concat!("lasthop ", env!("CARGO_PKG_VERSION"));
    option(&mut body, 4, application.as_bytes());
    option(&mut body, END_OF_OPTIONS, &[]);
    block(0x0a0d_0d0a, &body)
}

/// Returns the Interface Description Block of an interface with IP packets.
#[must_use]
pub fn interface_description(name: &str) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&LINKTYPE_RAW.to_le_bytes());
    body.extend_from_slice(&[0; 6]);
    option(&mut body, 2, name.as_bytes());
    // Time stamps count 10^-9 s.
    option(&mut body, 9, &[9]);
    option(&mut body, END_OF_OPTIONS, &[]);
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
