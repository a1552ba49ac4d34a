use lasthop_nbiot_coding::Crc;

fn bits(bytes: &[u8]) -> Vec<u8> {
    let bits = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1));
    bits.collect()
}

/// The check values of the catalogue of parametrised CRC algorithms: CRC-24/LTE-A and CRC-16/XMODEM.
const VECTORS: [(Crc, u32); 2] = [(Crc::A24, 0xcd_e7_03), (Crc::C16, 0x31_c3)];

#[test]
fn checks_are_those_of_the_published_vectors() {
    for (crc, expected) in VECTORS {
        let message = bits(b"123456789");
        let mut block = message.clone();
        crc.attach(&mut block);
        let check = &block[message.len()..];
        assert_eq!(check.len(), crc.length());
        let value = check
            .iter()
            .fold(0, |value, bit| value << 1 | u32::from(*bit));
        assert_eq!(value, expected, "{crc:?}");
    }
}

#[test]
fn every_single_and_double_error_is_found() {
    for (crc, _) in VECTORS {
        let mut block = bits(b"lasthop");
        crc.attach(&mut block);
        assert!(crc.holds(&block));
        for first in 0..block.len() {
            for second in first..block.len() {
                let mut broken = block.clone();
                broken[first] ^= 1;
                if second > first {
                    broken[second] ^= 1;
                }
                assert!(!crc.holds(&broken), "{crc:?}: {first}, {second}");
            }
        }
    }
}
