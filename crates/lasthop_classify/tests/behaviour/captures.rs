//! Capture files in pieces, of both formats and byte orders, and those that are none.

use lasthop_classify::{Accountant, CaptureError, CaptureReader};
use lasthop_contract::Direction::Up;

use crate::network::udp;

/// A file in pcap with one packet of a link type.
fn pcap(link_type: u32, frame: &[u8]) -> Vec<u8> {
    let length = (frame.len() as u32).to_be_bytes();
    [
        &[
            0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0,
        ][..],
        &link_type.to_be_bytes(),
        &[0, 0, 0, 3, 0, 0, 0, 5],
        &length,
        &length,
        frame,
    ]
    .concat()
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &body, &length].concat()
}

/// A file in pcapng whose only interface counts 2^-10 s.
fn pcapng(frame: &[u8]) -> Vec<u8> {
    let section = [
        &0x1a2b_3c4d_u32.to_le_bytes()[..],
        &[1, 0, 0, 0],
        &[0xff; 8],
    ]
    .concat();
    let interface = [101, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 0x8a, 0, 0, 0];
    let words = [0, 0, 2048, frame.len() as u32, frame.len() as u32];
    let packet: Vec<u8> = words
        .iter()
        .flat_map(|word: &u32| word.to_le_bytes())
        .collect();
    [
        block(0x0a0d_0d0a, &section),
        block(1, &interface),
        block(6, &[packet, frame.to_vec()].concat()),
    ]
    .concat()
}

fn bytes_of(files: &[Vec<u8>], piece: usize) -> u64 {
    let mut accountant = Accountant::new();
    for file in files {
        for piece in file.chunks(piece) {
            accountant.feed(piece).expect("a capture");
        }
        accountant.end_of_file().expect("a capture");
    }
    accountant.finish();
    accountant
        .totals()
        .iter()
        .map(|total| total.row.bytes)
        .sum()
}

#[test]
fn files_are_read_in_pieces_of_any_size() {
    let packet = udp(Up, 5683, b"\x40\x02\0\x01\xffbody");
    for file in [pcap(101, &packet), pcapng(&packet)] {
        for piece in 1..file.len() {
            assert_eq!(bytes_of(std::slice::from_ref(&file), piece), 37);
        }
    }
    assert_eq!(bytes_of(&[pcapng(&packet), pcap(101, &packet)], 100), 74);
}

#[test]
fn time_stamps_have_the_unit_that_the_file_says() {
    let packet = udp(Up, 5683, b"");
    for (file, nanos) in [
        (pcap(101, &packet), 3_000_005_000),
        (pcapng(&packet), 2_000_000_000),
    ] {
        let mut reader = CaptureReader::new();
        reader.feed(&file);
        let frame = reader.next_frame().unwrap().unwrap();
        assert_eq!(frame.at.as_nanos(), nanos);
        assert_eq!(frame.bytes, packet);
    }
}

#[test]
fn link_layers_and_tags_are_taken_off() {
    let packet = udp(Up, 5683, b"x");
    let links: [(u32, &[u8]); 15] = [
        (0, &[2, 0, 0, 0]),
        (108, &[0, 0, 0, 2]),
        (1, b"\0\0\0\0\0\0\0\0\0\0\0\0\x08\0"),
        (1, b"\0\0\0\0\0\0\0\0\0\0\0\0\x81\0\0\x05\x08\0"),
        (
            1,
            b"\0\0\0\0\0\0\0\0\0\0\0\0\x88\xa8\0\x05\x81\0\0\x06\x08\0",
        ),
        // LLC and SNAP behind the length of the frame.
        (1, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\x25\xaa\xaa\x03\0\0\0\x08\0"),
        // PPPoE, with the number of the protocol in two bytes and in one.
        (
            1,
            b"\0\0\0\0\0\0\0\0\0\0\0\0\x88\x64\x11\0\0\x01\0\x1f\0\x21",
        ),
        (1, b"\0\0\0\0\0\0\0\0\0\0\0\0\x88\x64\x11\0\0\x01\0\x1e\x21"),
        // Two labels of MPLS.
        (
            1,
            b"\0\0\0\0\0\0\0\0\0\0\0\0\x88\x47\0\x01\0\x40\0\x02\x01\x40",
        ),
        (9, b"\xff\x03\0\x21"),
        (9, b"\0\x21"),
        (9, b"\x21"),
        (50, b"\xff\x03\x21"),
        (113, b"\0\x04\x03\x04\0\x06\0\0\0\0\0\0\0\0\x08\0"),
        (276, b"\x08\0\0\0\0\0\0\x01\x03\x04\0\x06\0\0\0\0\0\0\0\0"),
    ];
    for (link_type, header) in links {
        let file = pcap(link_type, &[header, &packet, &[0; 5]].concat());
        assert_eq!(bytes_of(&[file], 1000), 29, "{link_type}");
    }
}

#[test]
fn data_frames_of_80211_are_taken_off() {
    let packet = udp(Up, 5683, b"x");
    let snap = b"\xaa\xaa\x03\0\0\0\x08\0";
    let frame = |kind: u8, control: u8, extra: usize| {
        let header = [&[kind, control][..], &[0; 22], &vec![0; extra]].concat();
        [&header[..], snap, &packet].concat()
    };
    let mut cases: Vec<(u32, Vec<u8>)> = vec![
        (105, frame(0x08, 0x01, 0)),
        (105, frame(0x88, 0x02, 2)),
        // Four addresses, QoS and HT control.
        (105, frame(0x88, 0x83, 6 + 2 + 4)),
        (
            127,
            [&b"\0\0\x08\0\0\0\0\0"[..], &frame(0x08, 1, 0)].concat(),
        ),
    ];
    // Two words of what is present; time, flags: a frame check at the end and a header that is padded.
    let radiotap = [
        &b"\0\0\x1c\0\x03\0\0\x80\0\0\0\0\0\0\0\0"[..],
        &[0; 8],
        b"\x30\0\0\0",
    ]
    .concat();
    cases.push((
        127,
        [&radiotap[..], &frame(0x88, 1, 2 + 2), &[0xee; 4]].concat(),
    ));
    for (link_type, bytes) in cases {
        let file = pcap(link_type, &bytes);
        assert_eq!(bytes_of(&[file], 1000), 29, "{bytes:02x?}");
    }
}

#[test]
fn other_frames_of_80211_are_not_ip() {
    let packet = udp(Up, 5683, b"x");
    let frame = |head: [u8; 2], fragment: u8, qos: u8| {
        let header = [&head[..], &[0; 20], &[fragment, 0, qos, 0]].concat();
        [&header[..], b"\xaa\xaa\x03\0\0\0\x08\0", &packet].concat()
    };
    let broken = [&b"\0\0\x09\0\x02\0\0\0\x40"[..], &frame([0x88, 1], 0, 0)].concat();
    let cases = [
        (105, frame([0x80, 0], 0, 0), "a beacon"),
        (105, frame([0xc8, 1], 0, 0), "without data"),
        (105, frame([0x88, 0x41], 0, 0), "encrypted"),
        (105, frame([0x88, 0x05], 0, 0), "a first fragment"),
        (105, frame([0x88, 1], 2, 0), "a last fragment"),
        (105, frame([0x88, 1], 0, 0x80), "several packets"),
        (127, broken, "a wrong frame check"),
        (
            127,
            b"\0\0\xff\xff\x02\0\0\0".to_vec(),
            "a header without end",
        ),
    ];
    for (link_type, bytes, what) in cases {
        let mut accountant = Accountant::new();
        accountant.feed(&pcap(link_type, &bytes)).unwrap();
        accountant.end_of_file().unwrap();
        accountant.finish();
        let findings = accountant.findings();
        assert_eq!((findings.packets, findings.not_ip), (0, 1), "{what}");
    }
}

#[test]
fn what_is_no_capture_is_refused_with_its_place() {
    let mut accountant = Accountant::new();
    assert_eq!(
        accountant.feed(b"study: cost"),
        Err(CaptureError::NoCapture)
    );
    let accountant = &mut Accountant::new();
    accountant.feed(b"").unwrap();
    assert_eq!(accountant.end_of_file(), Err(CaptureError::NoCapture));
    let mut file = pcapng(&udp(Up, 5683, b""));
    let place = 28 + 28;
    file[place + 4] = 13;
    let refusal = Accountant::new().feed(&file);
    let Err(CaptureError::Damaged { at, .. }) = refusal else {
        panic!("{refusal:?}");
    };
    assert_eq!(at, place as u64);
}

#[test]
fn what_stands_before_a_damage_is_counted_and_the_next_file_too() {
    let whole = pcap(101, &udp(Up, 5683, b"x"));
    let damaged = [&whole[..], &[0xff; 40], &whole[24..]].concat();
    for size in [1, 7, 1000] {
        let mut accountant = Accountant::new();
        for file in [&damaged, &whole] {
            for piece in file.chunks(size) {
                accountant.feed(piece).expect("a frame was read");
            }
            accountant.end_of_file().expect("it is a capture");
        }
        accountant.finish();
        let findings = accountant.findings();
        assert_eq!(findings.packets, 2);
        assert_eq!(findings.damaged_at, [whole.len() as u64]);
        assert_eq!(findings.unfinished_bytes, 0);
    }
}

#[test]
fn an_end_within_a_packet_is_told() {
    let file = pcapng(&udp(Up, 5683, b""));
    let mut accountant = Accountant::new();
    accountant.feed(&file[..file.len() - 3]).unwrap();
    accountant.end_of_file().unwrap();
    assert!(accountant.findings().unfinished_bytes > 0);
    assert_eq!(accountant.findings().packets, 0);
}

/// What a file says of its frames: IP packets, their bytes, frames without IP, and fragments whose others are missing.
fn counts_of(file: &[u8]) -> (u64, u64, u64, u64) {
    let mut accountant = Accountant::new();
    accountant.feed(file).expect("a capture");
    accountant.end_of_file().expect("a capture");
    accountant.finish();
    let bytes = accountant.totals().iter().map(|it| it.row.bytes).sum();
    let findings = accountant.findings();
    let (packets, not_ip) = (findings.packets, findings.not_ip);
    (packets, bytes, not_ip, findings.lone_fragments)
}

#[test]
fn packets_in_frames_of_802154_are_counted_as_they_were_before_compression() {
    // From 2 to 1, short addresses in one PAN: IPHC with all addresses elided, and UDP with ports of 4 bits.
    let head = [
        0x41, 0x88, 7, 0xcd, 0xab, 1, 0, 2, 0, 0x7e, 0x33, 0xf3, 0xb3, 0, 0,
    ];
    let frame = [&head[..], &[7; 10]].concat();
    assert_eq!(counts_of(&pcap(230, &frame)), (1, 58, 0, 0));
    assert_eq!(
        counts_of(&pcap(195, &frame)),
        (1, 56, 0, 0),
        "two are the check"
    );
    // The same as the first fragment of two, with the tag 9.
    let first = [&head[..9], &[0xc0, 58, 0, 9], &head[9..], &[7; 8]].concat();
    assert_eq!(counts_of(&pcap(230, &first)), (0, 0, 0, 1));
    let rest = [&head[..9], &[0xe0, 58, 0, 9, 7, 7, 7]].concat();
    let both = [pcap(230, &rest), pcap(230, &first)[24..].to_vec()].concat();
    assert_eq!(counts_of(&both), (1, 58, 0, 0), "in any order");
    // An encrypted frame, and one whose header is cut.
    let secured = [&[head[0] | 8], &frame[1..]].concat();
    assert_eq!(counts_of(&pcap(230, &secured)), (0, 0, 1, 0));
    for length in 0..head.len() {
        let (packets, ..) = counts_of(&pcap(230, &frame[..length]));
        assert_eq!(packets, 0, "{length}");
    }
}
