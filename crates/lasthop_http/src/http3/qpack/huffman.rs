//! The Huffman code of field lines (RFC 7541 appendix B, used by RFC 9204).
//!
//! It is a canonical code: the lengths alone say all of it.

/// How many bits each byte takes; the last one is the end of a string.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

const SHORTEST: usize = 5;
const LONGEST: usize = 30;

struct Code {
    /// The bits of each symbol.
    bits: [u32; 257],
    /// The symbols by their codes.
    symbols: [u16; 257],
    /// The first code of each length, and which symbol it stands for.
    first: [u32; LONGEST + 1],
    place: [u16; LONGEST + 1],
    count: [u16; LONGEST + 1],
    /// The symbol whose code a byte begins with, and how many bits it takes: none where it takes more than a byte.
    short: [(u8, u8); 256],
}

static CODE: Code = code();

const fn code() -> Code {
    let mut made = Code {
        bits: [0; 257],
        symbols: [0; 257],
        first: [0; LONGEST + 1],
        place: [0; LONGEST + 1],
        count: [0; LONGEST + 1],
        short: [(0, 0); 256],
    };
    let (mut next, mut place, mut length) = (0_u32, 0_u16, 1);
    while length <= LONGEST {
        next <<= 1;
        made.first[length] = next;
        made.place[length] = place;
        let mut symbol = 0;
        while symbol < LENGTHS.len() {
            if LENGTHS[symbol] as usize == length {
                made.bits[symbol] = next;
                made.symbols[place as usize] = symbol as u16;
                made.count[length] += 1;
                if length <= 8 {
                    let mut byte = (next as usize) << (8 - length);
                    while byte >> (8 - length) == next as usize {
                        made.short[byte] = (symbol as u8, length as u8);
                        byte += 1;
                    }
                }
                next += 1;
                place += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    made
}

/// Returns the encoded length of a string in bytes.
pub(super) fn length(bytes: &[u8]) -> usize {
    let bits = bytes
        .iter()
        .map(|byte| usize::from(LENGTHS[usize::from(*byte)]));
    bits.sum::<usize>().div_ceil(8)
}

/// Appends an encoded string.
pub(super) fn encode(bytes: &[u8], into: &mut Vec<u8>) {
    let (mut waiting, mut count) = (0_u64, 0_u32);
    for byte in bytes {
        let symbol = usize::from(*byte);
        waiting = waiting << LENGTHS[symbol] | u64::from(CODE.bits[symbol]);
        count += u32::from(LENGTHS[symbol]);
        while count >= 8 {
            count -= 8;
            into.push((waiting >> count) as u8);
        }
        waiting &= (1 << count) - 1;
    }
    if count > 0 {
        // The end of a string begins with ones.
        into.push((waiting << (8 - count)) as u8 | 0xff >> count);
    }
}

/// Decodes a string of at most `most` bytes. Returns `None` if the code is invalid.
pub(super) fn decode(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut string = Vec::with_capacity(most.min(bytes.len() * 8 / SHORTEST));
    let mut bits = Bits::default();
    for byte in bytes {
        bits.push(*byte);
        while let Some(symbol) = bits.take_symbol() {
            // The end of a string never stands in it (RFC 7541 section 5.2).
            string.push(u8::try_from(symbol).ok()?);
            if string.len() > most {
                return None;
            }
        }
        if bits.count > LONGEST {
            return None;
        }
    }
    // What is left is less than a byte of ones.
    let is_padding = bits.count < 8 && bits.waiting == (1 << bits.count) - 1;
    is_padding.then_some(string)
}

/// What has come of codes that are not whole.
#[derive(Default)]
struct Bits {
    waiting: u64,
    count: usize,
}

impl Bits {
    fn push(&mut self, byte: u8) {
        self.waiting = self.waiting << 8 | u64::from(byte);
        self.count += 8;
    }

    /// The next symbol, where all of its code is there.
    fn take_symbol(&mut self) -> Option<u16> {
        // Where less than a byte is there, whatever stands behind it is not looked at.
        let start = match self.count {
            0 => return None,
            1..8 => self.waiting << (8 - self.count),
            _ => self.waiting >> (self.count - 8),
        };
        let (symbol, length) = CODE.short[start as usize];
        let length = usize::from(length);
        if length > 0 {
            return (length <= self.count).then(|| self.take(length, symbol.into()));
        }
        for length in 9..=self.count.min(LONGEST) {
            let code = (self.waiting >> (self.count - length)) as u32;
            let place = code.wrapping_sub(CODE.first[length]);
            if place < u32::from(CODE.count[length]) {
                let symbol = CODE.symbols[usize::from(CODE.place[length]) + place as usize];
                return Some(self.take(length, symbol));
            }
        }
        None
    }

    fn take(&mut self, length: usize, symbol: u16) -> u16 {
        self.count -= length;
        self.waiting &= (1 << self.count) - 1;
        symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_those_of_the_rfc() {
        // RFC 7541 appendix C.4.1 and C.6.1.
        for (string, code) in [
            (&b"www.example.com"[..], "f1e3c2e5f23a6ba0ab90f4ff"),
            (b"no-cache", "a8eb10649cbf"),
            (
                b"Mon, 21 Oct 2013 20:13:21 GMT",
                "d07abe941054d444a8200595040b8166e082a62d1bff",
            ),
            (b"", ""),
        ] {
            let mut written = Vec::new();
            encode(string, &mut written);
            let hex: String = written.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, code);
            assert_eq!(written.len(), length(string));
            assert_eq!(decode(&written, 100).as_deref(), Some(string));
        }
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let mut written = Vec::new();
        encode(&all, &mut written);
        assert_eq!(decode(&written, 256), Some(all));
        assert_eq!(decode(&written, 255), None, "there is a limit");
    }

    #[test]
    fn what_is_no_string_is_none() {
        for bytes in [
            // The end itself, a byte of padding, padding of zeros.
            &[0xff, 0xff, 0xff, 0xff][..],
            &[0x1f, 0xff],
            &[0x00, 0x00, 0x00],
            &[0xff],
        ] {
            assert_eq!(decode(bytes, 100), None, "{bytes:?}");
        }
    }
}
