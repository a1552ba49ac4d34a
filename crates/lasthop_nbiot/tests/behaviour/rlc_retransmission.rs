//! Polls, STATUS PDUs and what is sent again, case by case (TS 36.322 section 5.2).

use lasthop_nbiot::layer2::{
    AM_HEADER_BYTES, AM_SEGMENT_HEADER_BYTES, AmPdu, AmReceiver, AmTransmitter, Bearer, Fate, Nack,
    RlcConfig, RlcFailure, StatusReport, StatusReports,
};
use lasthop_units::Instant;

use crate::rlc_config::{FREE, REPORTING};

const START: Instant = Instant::ZERO;

fn transmitter_of(sizes_bytes: &[u16]) -> AmTransmitter<usize> {
    let mut transmitter = AmTransmitter::new();
    for (number, bytes) in sizes_bytes.iter().enumerate() {
        transmitter.offer(number, Bearer::Srb1bis.sdu(*bytes, 0));
    }
    transmitter
}

fn build(transmitter: &mut AmTransmitter<usize>, size_bytes: u16) -> Option<AmPdu> {
    transmitter.build(size_bytes, START, &REPORTING)
}

fn report(ack_sn: u32, nacks: &[(u32, Option<(u16, u16)>)]) -> StatusReport {
    StatusReport {
        ack_sn,
        nacks: nacks
            .iter()
            .map(|(sn, part)| Nack {
                sn: *sn,
                part: *part,
            })
            .collect(),
    }
}

#[test]
fn only_the_last_pdu_polls() {
    let mut transmitter = transmitter_of(&[20]);
    let first = build(&mut transmitter, 12).expect("twenty bytes wait");
    let second = build(&mut transmitter, 12).expect("ten bytes wait");
    assert_eq!((first.data_bytes, first.poll), (10, false));
    assert_eq!((second.data_bytes, second.poll), (10, true));
    assert_eq!(build(&mut transmitter, 12), None);
    assert_eq!(
        transmitter.deadline(),
        Some(START + REPORTING.t_poll_retransmit)
    );
}

#[test]
fn headers_grow_by_length_indicators_and_a_segment_offset() {
    for (sdus, header_bytes) in [(1, 2), (2, 4), (3, 5), (4, 7), (5, 8)] {
        let mut transmitter = transmitter_of(&vec![4; sdus]);
        let pdu = build(&mut transmitter, 200).expect("SDUs wait");
        assert_eq!(pdu.header_bytes, header_bytes, "{sdus} SDUs");
        assert_eq!(usize::from(pdu.data_bytes), 4 * sdus);
    }
}

#[test]
fn an_sdu_that_has_no_room_beside_its_length_indicator_waits() {
    let mut transmitter = transmitter_of(&[4, 4]);
    // Two for the header, four of data; the two bytes left would go to the indicator alone.
    let pdu = build(&mut transmitter, 8).expect("SDUs wait");
    assert_eq!((pdu.header_bytes, pdu.data_bytes, pdu.poll), (2, 4, false));
}

#[test]
fn grants_without_room_for_a_byte_give_nothing() {
    let mut transmitter = transmitter_of(&[20]);
    for size_bytes in 0..=AM_HEADER_BYTES {
        assert_eq!(build(&mut transmitter, size_bytes), None, "{size_bytes} B");
    }
    let pdu = build(&mut transmitter, u16::MAX).expect("a huge grant takes it all");
    assert_eq!(pdu.data_bytes, 20);
}

#[test]
fn what_a_report_misses_is_sent_again_before_new_data() {
    let mut transmitter = transmitter_of(&[30]);
    for _ in 0..2 {
        build(&mut transmitter, 12);
    }
    transmitter.handle_status(&report(2, &[(0, None)]), &REPORTING);
    let again = build(&mut transmitter, 12).expect("a PDU is missing");
    assert_eq!(
        (again.sn, again.data_bytes, again.retransmission),
        (0, 10, true)
    );
    assert_eq!(again.header_bytes, AM_HEADER_BYTES);
    let new = build(&mut transmitter, 12).expect("ten bytes wait");
    assert_eq!((new.sn, new.retransmission), (2, false));
}

#[test]
fn a_smaller_grant_cuts_what_is_sent_again() {
    let mut transmitter = transmitter_of(&[20]);
    let mut receiver = AmReceiver::new();
    let whole = build(&mut transmitter, 22).expect("an SDU waits");
    assert!(whole.last);
    transmitter.handle_status(&report(1, &[(0, None)]), &REPORTING);
    let mut segments = Vec::new();
    while let Some(segment) = build(&mut transmitter, 12) {
        receiver.receive(&segment, &REPORTING);
        segments.push((segment.from, segment.data_bytes, segment.last, segment.poll));
        assert_eq!(segment.header_bytes, AM_SEGMENT_HEADER_BYTES);
    }
    assert_eq!(
        segments,
        [
            (0, 8, false, false),
            (8, 8, false, false),
            (16, 4, true, true)
        ]
    );
    assert_eq!(receiver.in_order_bytes(), 20);
}

#[test]
fn a_missing_segment_is_asked_for_by_its_offsets() {
    let mut transmitter = transmitter_of(&[30]);
    let mut receiver = AmReceiver::new();
    build(&mut transmitter, 32);
    transmitter.handle_status(&report(1, &[(0, None)]), &REPORTING);
    let mut segments: Vec<AmPdu> = Vec::new();
    while let Some(segment) = build(&mut transmitter, 14) {
        segments.push(segment);
    }
    assert_eq!(segments.len(), 3);
    receiver.receive(&segments[0], &REPORTING);
    receiver.receive(&segments[2], &REPORTING);
    let missing = receiver.take_status(100).expect("the last segment polls");
    assert_eq!(missing, report(1, &[(0, Some((10, 20)))]));
    // 15 bits, 12 for the NACK, 30 for its offsets.
    assert_eq!(missing.bytes(), 8);
    transmitter.handle_status(&missing, &REPORTING);
    let again = build(&mut transmitter, 14).expect("a segment is missing");
    assert_eq!((again.from, again.data_bytes, again.last), (10, 10, false));
    assert_eq!(receiver.receive(&again, &REPORTING), 30);
}

#[test]
fn a_report_that_is_cut_names_what_it_can() {
    let mut transmitter = transmitter_of(&[100]);
    let mut receiver = AmReceiver::new();
    let mut pdus = Vec::new();
    while let Some(pdu) = build(&mut transmitter, 12) {
        pdus.push(pdu);
    }
    receiver.receive(&pdus[9], &REPORTING);
    assert_eq!(receiver.take_status(1), None);
    let cut = receiver.take_status(5).expect("it was polled");
    // 15 bits and twice 12 are 39, a third would not fit into 40.
    assert_eq!((cut.ack_sn, cut.nacks.len(), cut.bytes()), (2, 2, 5));
    assert_eq!(receiver.take_status(5), None, "it is sent once");
}

#[test]
fn a_gap_asks_for_a_report_only_where_that_is_on() {
    for on_gap in [true, false] {
        let config = RlcConfig {
            status_reports: StatusReports::Transmitted { on_gap },
            ..REPORTING
        };
        let mut transmitter = transmitter_of(&[30]);
        let mut receiver = AmReceiver::new();
        transmitter.build(12, START, &config);
        let second = transmitter
            .build(12, START, &config)
            .expect("ten bytes wait");
        receiver.receive(&second, &config);
        assert_eq!(receiver.is_status_due(), on_gap);
    }
}

#[test]
fn a_poll_without_an_answer_is_repeated_with_the_newest_pdu_until_it_has_failed() {
    let config = RlcConfig {
        max_retx_threshold: 3,
        ..REPORTING
    };
    let mut transmitter = transmitter_of(&[10]);
    let mut now = START;
    transmitter.build(12, now, &config).expect("an SDU waits");
    let mut repeats = 0;
    while transmitter.failure().is_none() {
        let deadline = transmitter.deadline().expect("a poll waits for its answer");
        let early = Instant::from_nanos(deadline.as_nanos() - 1);
        transmitter.handle_timeout(early, &config);
        assert!(!transmitter.has_data(), "a nanosecond early");
        now = deadline;
        transmitter.handle_timeout(now, &config);
        if let Some(pdu) = transmitter.build(12, now, &config) {
            assert_eq!((pdu.sn, pdu.poll, pdu.retransmission), (0, true, true));
            repeats += 1;
        }
    }
    assert_eq!(repeats, 3);
    assert_eq!(transmitter.failure(), Some(RlcFailure::MaxRetransmissions));
    assert_eq!(transmitter.deadline(), None);
    assert_eq!(transmitter.take_all().collect::<Vec<_>>(), [0]);
}

#[test]
fn an_answer_ends_the_wait_and_forgets_the_sdus() {
    let mut transmitter = transmitter_of(&[10]);
    let mut receiver = AmReceiver::new();
    let pdu = build(&mut transmitter, 12).expect("an SDU waits");
    let bytes = receiver.receive(&pdu, &REPORTING);
    assert_eq!(transmitter.take_delivered(bytes), Some(0));
    assert_eq!(transmitter.take_delivered(bytes), None);
    let answer = receiver.take_status(2).expect("it was polled");
    assert_eq!(answer.bytes(), 2);
    transmitter.handle_status(&answer, &REPORTING);
    assert_eq!(transmitter.deadline(), None);
    assert!(transmitter.is_idle());
}

#[test]
fn reports_about_what_was_never_sent_change_nothing() {
    let mut transmitter = transmitter_of(&[20]);
    build(&mut transmitter, 12);
    let before = transmitter.wanted();
    for hostile in [
        report(0, &[(5, None)]),
        report(0, &[(0, Some((10, 10)))]),
        report(0, &[(0, Some((20, 5)))]),
        report(0, &[(u32::MAX, None)]),
    ] {
        transmitter.handle_status(&hostile, &REPORTING);
        assert_eq!(transmitter.wanted(), before, "{hostile:?}");
    }
    transmitter.handle_status(&report(u32::MAX, &[]), &REPORTING);
    assert_eq!(
        transmitter.waiting_bytes(),
        10,
        "what was not sent still waits"
    );
}

#[test]
fn a_duplicate_is_ignored_and_answered_if_it_polls() {
    let mut transmitter = transmitter_of(&[10]);
    let mut receiver = AmReceiver::new();
    let pdu = build(&mut transmitter, 12).expect("an SDU waits");
    receiver.receive(&pdu, &REPORTING);
    receiver.take_status(2);
    assert_eq!(receiver.receive(&pdu, &REPORTING), 10);
    assert!(receiver.is_status_due());
}

#[test]
fn a_free_account_of_fates_needs_neither_polls_nor_timers() {
    let mut transmitter = transmitter_of(&[20]);
    let mut receiver = AmReceiver::new();
    let first = transmitter.build(12, START, &FREE).expect("an SDU waits");
    let second = transmitter.build(12, START, &FREE).expect("ten bytes wait");
    assert!(!first.poll && !second.poll);
    assert_eq!(transmitter.deadline(), None);
    transmitter.settle(&first, Fate::Lost, &FREE);
    transmitter.settle(&second, Fate::Arrived, &FREE);
    receiver.receive(&second, &FREE);
    assert!(!receiver.is_status_due());
    let again = transmitter
        .build(12, START, &FREE)
        .expect("the first was lost");
    assert_eq!((again.sn, again.retransmission), (0, true));
    assert_eq!(receiver.receive(&again, &FREE), 20);
    transmitter.settle(&again, Fate::Arrived, &FREE);
    assert_eq!(transmitter.take_delivered(20), Some(0));
    assert!(transmitter.is_idle());
}
