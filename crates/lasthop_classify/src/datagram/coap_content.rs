use lasthop_contract::Cause;

/// The classification of a CoAP message by its code and options (RFC 7252 section 3), on any transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoapContent {
    /// The purpose of code, token and options.
    pub(crate) framing: Cause,
    /// The purpose of the payload.
    pub(crate) payload: Cause,
    /// The length of the options with the payload marker.
    pub(crate) options: usize,
    /// Whether the message has the Observe option (RFC 7641).
    pub(crate) observes: bool,
}

/// Why a message cannot be classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoContent {
    /// The options extend past the captured bytes.
    EndsEarly,
    /// An option is malformed.
    Malformed,
}

const OBSERVE: u32 = 6;
const LOCATION_PATH: u32 = 8;
const URI_PATH: u32 = 11;
/// Where devices register (RFC 9176 section 5).
const DIRECTORY: &[u8] = b"rd";
const PAYLOAD_MARKER: u8 = 0xff;

impl CoapContent {
    /// Reads the options and payload after the token. They have `length` bytes, of which the first were captured.
    pub(crate) fn read(code: u8, bytes: &[u8], length: usize) -> Result<Self, NoContent> {
        let mut at = 0;
        let mut number = 0_u32;
        let mut observe = None;
        let mut path = None;
        loop {
            if at == length {
                break;
            }
            let byte = *bytes.get(at).ok_or(NoContent::EndsEarly)?;
            if byte == PAYLOAD_MARKER {
                at += 1;
                break;
            }
            at += 1;
            let delta = extended(byte >> 4, bytes, &mut at)?;
            let value = extended(byte & 15, bytes, &mut at)? as usize;
            number = number.saturating_add(delta);
            if at + value > length {
                return Err(NoContent::Malformed);
            }
            if number == OBSERVE && value <= 3 {
                let value = bytes.get(at..at + value).ok_or(NoContent::EndsEarly)?;
                observe = Some(
                    value
                        .iter()
                        .fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
                );
            }
            if matches!(number, LOCATION_PATH | URI_PATH) {
                path = path.or(bytes.get(at..at + value));
            }
            at += value;
        }
        let facts = Facts {
            observe,
            registers: path == Some(DIRECTORY),
            has_payload: at < length,
        };
        let (framing, payload) = causes_of(code, facts);
        Ok(Self {
            framing,
            payload,
            options: at,
            observes: observe.is_some(),
        })
    }
}

fn extended(nibble: u8, bytes: &[u8], at: &mut usize) -> Result<u32, NoContent> {
    let rest = bytes.get(*at..).unwrap_or_default();
    let (value, length) = match nibble {
        13 => (
            13 + u32::from(*rest.first().ok_or(NoContent::EndsEarly)?),
            1,
        ),
        14 => {
            let word = *rest.first_chunk().ok_or(NoContent::EndsEarly)?;
            (269 + u32::from(u16::from_be_bytes(word)), 2)
        }
        15 => return Err(NoContent::Malformed),
        value => (value.into(), 0),
    };
    *at += length;
    Ok(value)
}

/// What of a message decides beside its code.
#[derive(Clone, Copy, Debug)]
struct Facts {
    observe: Option<u32>,
    /// Whether it is about an entry of a resource directory.
    registers: bool,
    has_payload: bool,
}

/// What framing and payload are for.
fn causes_of(code: u8, facts: Facts) -> (Cause, Cause) {
    const POST: u8 = 0x02;
    const CREATED: u8 = 0x41;
    const VALID: u8 = 0x43;
    const CONTENT: u8 = 0x45;
    let all = |cause| (cause, cause);
    let begins = facts.observe == Some(0) && !facts.has_payload;
    let ends = facts.observe == Some(1) && !facts.has_payload;
    match (code >> 5, code) {
        (_, POST | CREATED) if facts.registers => all(Cause::SessionSetUp),
        (0, _) if begins => all(Cause::SessionSetUp),
        (0, _) if ends => all(Cause::SessionTearDown),
        (0, 1..) => (Cause::Header, Cause::Payload),
        (2, VALID | CONTENT) => (Cause::Header, Cause::Payload),
        (2, _) if facts.has_payload => (Cause::Header, Cause::Payload),
        (2 | 4 | 5, _) => all(Cause::Acknowledgement),
        // Signals over streams (RFC 8323 section 5).
        (7, 0xe1) => all(Cause::SessionSetUp),
        (7, 0xe2 | 0xe3) => all(Cause::KeepAlive),
        (7, 0xe4 | 0xe5) => all(Cause::SessionTearDown),
        _ => all(Cause::Opaque),
    }
}
