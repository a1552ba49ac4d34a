//! Data frames of IEEE 802.15.4.

/// A link-layer address in the byte order of IPv6 interface identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LinkAddress {
    /// A short address of 16 bits.
    Short([u8; 2]),
    /// An extended address of 8 bytes (EUI-64).
    Extended([u8; 8]),
    /// The frame has no address.
    Elided,
}

/// A data frame without its header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataFrame<'a> {
    pub(crate) source: LinkAddress,
    pub(crate) destination: LinkAddress,
    /// The captured part of the payload.
    pub(crate) payload: &'a [u8],
    /// The number of payload bytes that were not captured.
    pub(crate) missing: usize,
}

/// The format of a captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// With the frame check sequence at the end.
    WithCheck,
    /// Without a frame check sequence.
    WithoutCheck,
    /// With a TAP header that tells the format (LINKTYPE 283).
    Tap,
}

/// Bits of frame control.
const KIND: u16 = 7;
const DATA: u16 = 1;
const IS_SECURED: u16 = 1 << 3;
const COMPRESSES_PAN: u16 = 1 << 6;
const HAS_NO_SEQUENCE: u16 = 1 << 8;
const HAS_INFORMATION_ELEMENTS: u16 = 1 << 9;

/// Addressing modes.
const NONE: u16 = 0;
const EXTENDED: u16 = 3;

const PAN: usize = 2;
const CHECK_16: usize = 2;
const CHECK_32: usize = 4;

/// Parses a data frame of which `length` bytes were captured. Returns `None` for other frames, encrypted frames and
/// frames with information elements.
pub(super) fn data_frame(bytes: &[u8], length: usize, framing: Framing) -> Option<DataFrame<'_>> {
    let (start, check) = match framing {
        Framing::WithCheck => (0, CHECK_16),
        Framing::WithoutCheck => (0, 0),
        Framing::Tap => tap(bytes)?,
    };
    let end = length.checked_sub(check)?;
    let frame = bytes.get(start..end.min(bytes.len()))?;
    let control = u16::from_le_bytes(*frame.first_chunk()?);
    let version = control >> 12 & 3;
    let is_read = control & KIND == DATA
        && control & (IS_SECURED | HAS_INFORMATION_ELEMENTS) == 0
        && version < 3;
    if !is_read {
        return None;
    }
    let has_no_sequence = version == 2 && control & HAS_NO_SEQUENCE != 0;
    let mut at = if has_no_sequence { 2 } else { 3 };
    let modes = [control >> 10 & 3, control >> 14 & 3];
    let pans = pans(version, control & COMPRESSES_PAN != 0, modes);
    let mut addresses = [LinkAddress::Elided; 2];
    for ((address, mode), has_pan) in addresses.iter_mut().zip(modes).zip(pans) {
        at += if has_pan { PAN } else { 0 };
        (*address, at) = take_address(frame, at, mode)?;
    }
    let [destination, source] = addresses;
    Some(DataFrame {
        source,
        destination,
        payload: frame.get(at..)?,
        missing: end - (start + frame.len()),
    })
}

/// Whether the frame has the PAN of its destination and of its source (IEEE 802.15.4-2015 table 7-2).
fn pans(version: u16, is_compressed: bool, [destination, source]: [u16; 2]) -> [bool; 2] {
    if version < 2 {
        return [destination != NONE, source != NONE && !is_compressed];
    }
    match (destination, source) {
        (NONE, NONE) => [is_compressed, false],
        (_, NONE) | (EXTENDED, EXTENDED) => [!is_compressed, false],
        (NONE, _) => [false, !is_compressed],
        _ => [true, !is_compressed],
    }
}

fn take_address(frame: &[u8], at: usize, mode: u16) -> Option<(LinkAddress, usize)> {
    let rest = frame.get(at..)?;
    match mode {
        NONE => Some((LinkAddress::Elided, at)),
        2 => {
            let mut address: [u8; 2] = *rest.first_chunk()?;
            address.reverse();
            Some((LinkAddress::Short(address), at + address.len()))
        }
        EXTENDED => {
            let mut address: [u8; 8] = *rest.first_chunk()?;
            address.reverse();
            Some((LinkAddress::Extended(address), at + address.len()))
        }
        _ => None,
    }
}

/// Where the frame begins behind the fields of TAP, and how long its check is.
fn tap(bytes: &[u8]) -> Option<(usize, usize)> {
    const FIXED: usize = 4;
    const CHECK_TYPE: u16 = 0;
    let word = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let length = usize::from(word(2)?);
    let mut check = 0;
    let mut at = FIXED;
    while at + FIXED <= length {
        let (kind, size) = (word(at)?, usize::from(word(at + 2)?));
        if kind == CHECK_TYPE {
            check = match bytes.get(at + FIXED)? {
                1 => CHECK_16,
                2 => CHECK_32,
                _ => 0,
            };
        }
        at += FIXED + size.next_multiple_of(4);
    }
    Some((length, check))
}
