use serde::{Deserialize, Serialize};

/// The framing of packets on a serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// PPP in HDLC-like frames (RFC 1662) after its negotiation. No control character is escaped.
    Ppp,
    /// SLIP (RFC 1055) with an END byte before and after each packet.
    Slip,
    /// No framing. The receiver knows the length of a packet by other means.
    None,
}

/// Of a frame of PPP, and what escapes it in data.
const PPP_FLAG: u8 = 0x7e;
const PPP_ESCAPE: u8 = 0x7d;
/// The same of SLIP.
const SLIP_END: u8 = 0xc0;
const SLIP_ESCAPE: u8 = 0xdb;

impl Framing {
    /// Returns the number of bytes that a packet takes on the line, with framing and escape bytes.
    #[must_use]
    pub fn bytes_of(self, packet: &[u8]) -> u64 {
        let escaped = |bytes: &[u8], special: [u8; 2]| {
            bytes.iter().filter(|byte| special.contains(byte)).count() as u64
        };
        let length = packet.len() as u64;
        match self {
            Self::None => length,
            Self::Slip => 2 + length + escaped(packet, [SLIP_END, SLIP_ESCAPE]),
            Self::Ppp => {
                let header = ppp_header(packet);
                let check = fcs(&header, packet).to_le_bytes();
                let special = [PPP_FLAG, PPP_ESCAPE];
                let of = |bytes: &[u8]| bytes.len() as u64 + escaped(bytes, special);
                2 + of(&header) + of(packet) + of(&check)
            }
        }
    }
}

/// Address, control, and the protocol: IPv4, or IPv6 (RFC 5072).
fn ppp_header(packet: &[u8]) -> [u8; 4] {
    let is_v6 = packet.first().is_some_and(|first| first >> 4 == 6);
    [0xff, 0x03, 0x00, if is_v6 { 0x57 } else { 0x21 }]
}

/// The frame check sequence of 16 bits (RFC 1662 appendix C.2).
fn fcs(header: &[u8], packet: &[u8]) -> u16 {
    let bytes = header.iter().chain(packet);
    !bytes.fold(0xffff, |fcs, byte| {
        (0..8).fold(fcs ^ u16::from(*byte), |fcs: u16, _| match fcs & 1 {
            0 => fcs >> 1,
            _ => (fcs >> 1) ^ 0x8408,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-16/X-25, which this is.
    #[test]
    fn the_check_sequence_is_that_of_hdlc() {
        assert_eq!(fcs(b"123", b"456789"), 0x906e);
    }

    #[test]
    fn what_is_special_counts_twice() {
        let plain = [0x45; 20];
        assert_eq!(Framing::None.bytes_of(&plain), 20);
        assert_eq!(Framing::Slip.bytes_of(&plain), 22);
        assert_eq!(Framing::Ppp.bytes_of(&plain), 28);
        let special = [0x45, 0xc0, 0xdb, 0x7e, 0x7d];
        assert_eq!(Framing::Slip.bytes_of(&special), 5 + 2 + 2);
        assert_eq!(Framing::Ppp.bytes_of(&special), 5 + 8 + 2);
        assert_eq!(Framing::Ppp.bytes_of(&[]), 8);
    }

    /// A check sequence with a flag in it is escaped like data.
    #[test]
    fn the_check_sequence_is_escaped() {
        let packets = (0..=u16::MAX).map(u16::to_le_bytes);
        let has_flag = |packet: &[u8; 2]| {
            let check = fcs(&ppp_header(packet), packet).to_le_bytes();
            check[0] == PPP_FLAG && check[1] != PPP_ESCAPE && !packet.contains(&PPP_ESCAPE)
        };
        let mut found = packets
            .filter(has_flag)
            .filter(|it| !it.contains(&PPP_FLAG));
        assert_eq!(Framing::Ppp.bytes_of(&found.next().unwrap()), 2 + 8 + 1);
    }
}
