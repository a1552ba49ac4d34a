//! A connection, as one beside it sees it.

use lasthop_classify::Remark;
use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Cause, Layer};

use crate::network::{ACK, FIN, Observer, RST, SYN, sum, tcp, words};

/// A port at which nothing known listens.
const PORT: u16 = 7000;

/// After the handshake: the client's data begin at 101, the server's at 501.
fn connected() -> Observer {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (100, 0), SYN, b""));
    observer.see(&tcp(Down, PORT, (500, 101), SYN | ACK, b""));
    observer.see(&tcp(Up, PORT, (101, 501), ACK, b""));
    observer
}

#[test]
fn a_handshake_data_and_an_end_have_their_causes() {
    let mut observer = connected();
    observer.see(&tcp(Up, PORT, (101, 501), ACK, b"question"));
    observer.see(&tcp(Down, PORT, (501, 109), ACK, b""));
    observer.see(&tcp(Up, PORT, (109, 501), ACK | FIN, b""));
    observer.see(&tcp(Down, PORT, (501, 110), ACK, b""));
    observer.see(&tcp(Down, PORT, (501, 110), ACK | FIN, b""));
    observer.see(&tcp(Up, PORT, (110, 502), ACK, b""));
    let told: Vec<String> = observer.finish().iter().map(words).collect();
    assert_eq!(
        told,
        [
            "tcp.session_set_up 20",
            "tcp.session_set_up 20",
            "tcp.session_set_up 20",
            "tcp.header 20, application.opaque 8",
            "tcp.acknowledgement 20",
            "tcp.session_tear_down 20",
            "tcp.session_tear_down 20",
            "tcp.session_tear_down 20",
            "tcp.session_tear_down 20",
        ]
    );
}

#[test]
fn what_was_sent_before_is_a_retransmission() {
    let mut observer = connected();
    let question = tcp(Up, PORT, (101, 501), ACK, b"question");
    observer.see(&question);
    observer.see(&question);
    assert_eq!(observer.last(), "tcp.retransmission 28");
    let longer = tcp(Up, PORT, (101, 501), ACK, b"question, and more");
    observer.see(&longer);
    assert_eq!(
        observer.last(),
        "tcp.header 20, tcp.retransmission 8, application.opaque 10"
    );
    observer.see(&tcp(Up, PORT, (100, 0), SYN, b""));
    assert_eq!(observer.last(), "tcp.retransmission 20");
}

#[test]
fn a_retransmission_of_what_was_acknowledged_is_in_vain() {
    let mut observer = connected();
    let question = tcp(Up, PORT, (101, 501), ACK, b"question");
    observer.see(&question);
    observer.see(&question);
    assert_eq!(observer.portions.last().unwrap().remark, Remark::Repeated);
    observer.see(&tcp(Down, PORT, (501, 109), ACK, b""));
    observer.see(&question);
    assert_eq!(
        observer.portions.last().unwrap().remark,
        Remark::RepeatedInVain
    );
}

#[test]
fn a_segment_that_fills_a_hole_is_no_retransmission() {
    let mut observer = connected();
    observer.see(&tcp(Up, PORT, (105, 501), ACK, b"tion"));
    assert_eq!(observer.portions.len(), 3, "it waits");
    observer.see(&tcp(Up, PORT, (101, 501), ACK, b"ques"));
    let told: Vec<String> = observer.portions[3..].iter().map(words).collect();
    assert_eq!(told, ["tcp.header 20, application.opaque 4"; 2]);
}

#[test]
fn what_is_acknowledged_and_was_not_captured_is_not_waited_for() {
    let mut observer = connected();
    observer.see(&tcp(Up, PORT, (105, 501), ACK, b"tion"));
    observer.see(&tcp(Down, PORT, (501, 109), ACK, b""));
    assert_eq!(observer.portions.len(), 5);
}

#[test]
fn probes_and_their_answers_keep_the_connection() {
    let mut observer = connected();
    observer.see(&tcp(Up, PORT, (101, 501), ACK, b"question"));
    observer.see(&tcp(Down, PORT, (501, 109), ACK, b""));
    for probe in [&b""[..], b"\0"] {
        observer.see(&tcp(Up, PORT, (108, 501), ACK, probe));
        let length = 20 + probe.len();
        assert_eq!(observer.last(), format!("tcp.keep_alive {length}"));
        observer.see(&tcp(Down, PORT, (501, 109), ACK, b""));
        assert_eq!(observer.last(), "tcp.keep_alive 20");
    }
    observer.see(&tcp(Down, PORT, (501, 109), ACK, b""));
    assert_eq!(observer.last(), "tcp.acknowledgement 20");
}

#[test]
fn a_reset_ends_a_connection_and_a_syn_begins_the_next() {
    let mut observer = connected();
    observer.see(&tcp(Up, PORT, (105, 501), ACK, b"lost before"));
    observer.see(&tcp(Down, PORT, (501, 0), RST, b""));
    assert_eq!(observer.portions.len(), 5, "nothing waits any longer");
    observer.see(&tcp(Up, PORT, (9000, 0), SYN, b""));
    assert_eq!(observer.last(), "tcp.session_set_up 20");
    observer.see(&tcp(Down, PORT, (7000, 9001), SYN | ACK, b""));
    assert_eq!(observer.last(), "tcp.session_set_up 20");
    observer.see(&tcp(Up, PORT, (9001, 7001), ACK, b""));
    assert_eq!(observer.last(), "tcp.session_set_up 20");
}

#[test]
fn numbers_wrap() {
    let mut observer = Observer::new();
    observer.see(&tcp(Up, PORT, (u32::MAX - 3, 0), SYN, b""));
    for part in 0..4_u32 {
        let seq = (u32::MAX - 2).wrapping_add(part * 4);
        observer.see(&tcp(Up, PORT, (seq, 1), ACK, b"four"));
        assert_eq!(observer.last(), "tcp.header 20, application.opaque 4");
    }
}

#[test]
fn a_connection_is_followed_from_its_middle() {
    let mut observer = Observer::new();
    observer.see(&tcp(Down, PORT, (501, 101), ACK, b"answer"));
    observer.see(&tcp(Down, PORT, (501, 101), ACK, b"answer"));
    assert_eq!(observer.last(), "tcp.retransmission 26");
    observer.see(&tcp(Up, PORT, (101, 507), ACK, b""));
    assert_eq!(observer.last(), "tcp.acknowledgement 20");
}

#[test]
fn a_hole_that_nobody_fills_is_given_up() {
    let mut observer = connected();
    let mut seq = 200;
    for _ in 0..1200 {
        observer.see(&tcp(Up, PORT, (seq, 501), ACK, &[7; 1000]));
        seq += 1000;
    }
    assert!(observer.portions.len() > 1000, "memory is bounded");
    let portions = observer.finish();
    let told = sum(&portions, Layer::Application, Cause::Opaque);
    assert_eq!(told, 1_200_000);
}

#[test]
fn a_damaged_segment_moves_nothing() {
    let mut observer = connected();
    let mut damaged = tcp(Up, PORT, (101, 501), ACK, b"question");
    damaged[36..38].copy_from_slice(&[0x12, 0x34]);
    observer.see(&damaged);
    assert_eq!(observer.portions.last().unwrap().remark, Remark::Damaged);
    assert_eq!(observer.last(), "tcp.opaque 28");
    observer.see(&tcp(Up, PORT, (101, 501), ACK, b"question"));
    assert_eq!(observer.last(), "tcp.header 20, application.opaque 8");
}

#[test]
fn a_header_is_read_as_far_as_its_flags() {
    let mut observer = connected();
    let question = tcp(Up, PORT, (101, 501), ACK, b"question");
    observer.see_beginning(&question, 20 + 14);
    assert_eq!(observer.last(), "tcp.header 20, application.opaque 8");
    observer.see_beginning(&question, 20 + 13);
    assert_eq!(observer.last(), "tcp.opaque 28");
}

/// A device that was off and draws its numbers as before; its port is the same, too.
#[test]
fn the_same_numbers_after_the_end_are_of_another_connection() {
    let ends: [&[_]; 2] = [
        &[(Up, (109, 501), RST)],
        &[
            (Up, (109, 501), ACK | FIN),
            (Down, (501, 110), ACK | FIN),
            (Up, (110, 502), ACK),
        ],
    ];
    for end in ends {
        let mut observer = connected();
        observer.see(&tcp(Up, PORT, (101, 501), ACK, b"question"));
        for &(direction, numbers, flags) in end {
            observer.see(&tcp(direction, PORT, numbers, flags, b""));
        }
        observer.see(&tcp(Up, PORT, (100, 0), SYN, b""));
        assert_eq!(observer.last(), "tcp.session_set_up 20");
        observer.see(&tcp(Up, PORT, (100, 0), SYN, b""));
        assert_eq!(observer.last(), "tcp.retransmission 20");
        observer.see(&tcp(Down, PORT, (900, 101), SYN | ACK, b""));
        observer.see(&tcp(Up, PORT, (101, 901), ACK, b"question"));
        assert_eq!(observer.last(), "tcp.header 20, application.opaque 8");
    }
}

/// Both were off, so nobody has ended anything.
#[test]
fn an_answer_of_another_number_is_of_another_connection() {
    let mut observer = connected();
    observer.see(&tcp(Up, PORT, (101, 501), ACK, b"question"));
    observer.see(&tcp(Up, PORT, (100, 0), SYN, b""));
    observer.see(&tcp(Down, PORT, (900, 101), SYN | ACK, b""));
    assert_eq!(observer.last(), "tcp.session_set_up 20");
    observer.see(&tcp(Up, PORT, (101, 901), ACK, b"question"));
    assert_eq!(observer.last(), "tcp.header 20, application.opaque 8");
}
