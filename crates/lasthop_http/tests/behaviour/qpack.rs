//! QPACK, held against the examples of RFC 9204 appendix B and against itself.

use lasthop_contract::RandomStream;
use lasthop_http::qpack::{Decoded, Decoder, Encoder, Field, QpackError};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

fn field(name: &str, value: &str) -> Field {
    (name.to_owned().into(), value.to_owned().into())
}

fn decoded(decoder: &mut Decoder, stream: u64, hex: &str) -> Vec<Field> {
    match decoder.decode(stream, &bytes(hex)) {
        Ok(Decoded::Fields(fields)) => fields,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_examples_of_the_rfc_are_read() {
    // Literal field line with name reference (B.1).
    let mut decoder = Decoder::new(220, 1000);
    let section = "0000 510b 2f69 6e64 6578 2e68 746d 6c";
    let path = field(":path", "/index.html");
    assert_eq!(decoded(&mut decoder, 0, section), [path]);
    assert!(decoder.instructions().is_empty());
    // Dynamic table (B.2).
    let instructions =
        "3fbd01 c00f 7777 772e 6578 616d 706c 652e 636f 6d c10c 2f73 616d 706c 652f 7061 7468";
    let section = bytes("0381 10 11");
    assert_eq!(decoder.decode(4, &section), Ok(Decoded::Blocked));
    decoder.take(&bytes(instructions)).unwrap();
    let authority = field(":authority", "www.example.com");
    let path = field(":path", "/sample/path");
    assert_eq!(
        decoded(&mut decoder, 4, "0381 10 11"),
        [authority.clone(), path]
    );
    assert_eq!(decoder.instructions(), [0x84]);
    // Speculative insert (B.3).
    let insert = "4a63 7573 746f 6d2d 6b65 790c 6375 7374 6f6d 2d76 616c 7565";
    decoder.take(&bytes(insert)).unwrap();
    assert_eq!(decoder.instructions(), [0x01]);
    // Duplicate instruction, stream cancellation (B.4).
    decoder.take(&bytes("02")).unwrap();
    let custom = field("custom-key", "custom-value");
    let fields = decoded(&mut decoder, 8, "0500 80 c1 81");
    assert_eq!(fields, [authority, field(":path", "/"), custom]);
    decoder.cancel(8);
    // Dynamic table insert, eviction (B.5).
    let insert = "810d 6375 7374 6f6d 2d76 616c 7565 32";
    decoder.take(&bytes(insert)).unwrap();
    let newest = field("custom-key", "custom-value2");
    assert_eq!(decoded(&mut decoder, 12, "0600 80"), [newest]);
    let gone = decoder.decode(16, &bytes("0600 84"));
    assert_eq!(gone, Err(QpackError::Decompression), "it was evicted");
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_else() {
    for section in [
        "",
        "00",
        "00ff",
        "0000 ff",
        "0000 ff24",
        "0000 80",
        "0000 10",
        "0100",
        "0200 80",
        "0080",
        "0000 51ff",
        "0000 5184 00000000",
        "0000 27",
        "0000 51ffffffffffffffffffff7f",
    ] {
        let mut decoder = Decoder::new(0, 1000);
        let refused = decoder.decode(0, &bytes(section));
        assert_eq!(refused, Err(QpackError::Decompression), "{section}");
    }
    for instruction in [
        "3fe21f",
        "80 00",
        "00",
        "ff24 00",
        "c0 ff ff ff ff ff ff ff ff ff ff ff",
        "40 00",
    ] {
        let mut decoder = Decoder::new(4096, 1000);
        let refused = decoder.take(&bytes(instruction));
        assert_eq!(refused, Err(QpackError::EncoderStream), "{instruction}");
    }
    for instruction in ["00", "01", "80", "bf ff ff ff ff ff ff ff ff ff ff"] {
        let mut encoder = Encoder::new(4096);
        encoder.allow(4096, 16);
        let refused = encoder.take(&bytes(instruction));
        assert_eq!(refused, Err(QpackError::DecoderStream), "{instruction}");
    }
}

#[test]
fn a_section_that_grows_beyond_what_is_allowed_is_not_read() {
    let mut decoder = Decoder::new(0, 1000);
    // `:authority` with nothing takes 42 bytes: one byte on the wire.
    let section = [&[0, 0][..], &[0xc0; 24]].concat();
    assert_eq!(decoder.decode(0, &section), Ok(Decoded::TooLarge));
    let section = &section[..25];
    assert!(matches!(decoder.decode(0, section), Ok(Decoded::Fields(it)) if it.len() == 23));
}

/// The bytes of a request of a device, the instructions included, and what comes of them.
fn request(encoder: &mut Encoder, decoder: &mut Decoder, number: u64, indexes: bool) -> usize {
    let token = "Bearer ".to_owned() + &"a.b-c_d".repeat(30);
    let fields: [(&[u8], &[u8], bool); 6] = [
        (b":method", b"POST", true),
        (b":scheme", b"https", true),
        (b":authority", b"192.0.2.1", true),
        (b":path", b"/device/7", true),
        (b"content-type", b"application/octet-stream", true),
        (b"authorization", token.as_bytes(), indexes),
    ];
    let encoded = encoder.encode(4 * number, &fields);
    decoder.take(&encoded.instructions).unwrap();
    let said = fields.map(|(name, value, _)| (name.to_vec().into(), value.to_vec().into()));
    let read = decoder.decode(4 * number, &encoded.section);
    assert_eq!(read, Ok(Decoded::Fields(said.to_vec())));
    encoder.take(&decoder.instructions()).unwrap();
    encoded.section.len() + encoded.instructions.len()
}

#[test]
fn what_is_said_again_costs_a_byte_and_a_token_only_where_it_is_remembered() {
    let mut sizes = Vec::new();
    for (table, indexes) in [(4096, true), (4096, false), (0, true)] {
        let (mut encoder, mut decoder) = (Encoder::new(table), Decoder::new(table, 1000));
        encoder.allow(table, 16);
        let of_each: Vec<usize> = (0..5)
            .map(|number| request(&mut encoder, &mut decoder, number, indexes))
            .collect();
        assert_eq!(of_each[2..], [of_each[2]; 3]);
        sizes.push((of_each[0], of_each[2]));
    }
    let [(first, dynamic), (_, without_token), (alike, without_table)] = sizes[..] else {
        panic!("three arms");
    };
    assert_eq!(first, alike, "the first one is said as without a table");
    assert_eq!(dynamic, 2 + 6);
    assert!(without_token > 100);
    assert_eq!(without_table, first);
}

#[test]
fn an_encoder_names_nothing_that_the_peer_may_not_have() {
    let mut random = RandomStream::named(1, "fields");
    for most_blocked in [0, 1, 16] {
        let (mut encoder, mut decoder) = (Encoder::new(300), Decoder::new(300, 10_000));
        encoder.allow(300, most_blocked);
        let (mut on_the_way, mut sections) = (Vec::new(), Vec::new());
        for number in 0..2000 {
            let values: Vec<String> = (0..1 + random.below(6))
                .map(|_| format!("value-{}", random.below(12)))
                .collect();
            let names = ["x-one", "x-two", "date"];
            let fields: Vec<(&[u8], &[u8], bool)> = values
                .iter()
                .map(|value| {
                    let name = names[random.below(3) as usize].as_bytes();
                    (name, value.as_bytes(), random.below(10) > 0)
                })
                .collect();
            let encoded = encoder.encode(4 * number, &fields);
            on_the_way.extend(encoded.instructions);
            let said: Vec<Field> = fields
                .iter()
                .map(|(name, value, _)| (name.to_vec().into(), value.to_vec().into()))
                .collect();
            sections.push((4 * number, encoded.section, said));
            // The instructions come in pieces, later or never behind their sections.
            let count = random.below(1 + on_the_way.len() as u64) as usize;
            decoder.take(&on_the_way[..count]).unwrap();
            on_the_way.drain(..count);
            let mut blocked = 0;
            sections.retain(|(stream, section, said)| {
                match decoder.decode(*stream, section).unwrap() {
                    Decoded::Blocked => blocked += 1,
                    Decoded::Fields(fields) => {
                        assert_eq!(&fields, said);
                        return false;
                    }
                    Decoded::TooLarge => panic!("it is small"),
                }
                true
            });
            assert!(blocked <= most_blocked, "{blocked} wait");
            if random.below(3) == 0 {
                encoder.take(&decoder.instructions()).unwrap();
            }
        }
    }
}
