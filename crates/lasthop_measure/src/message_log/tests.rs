use core::num::NonZeroU32;

use lasthop_contract::MessageEvent;
use lasthop_units::DataSize;

use super::*;

fn first(flow: u32) -> MessageId {
    MessageId {
        flow: FlowId(flow),
        number: NonZeroU32::MIN,
    }
}

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn begin(log: &mut MessageLog, flow: u32) {
    let payload = DataSize::from_bytes(25);
    let event = MessageEvent::Intended {
        id: first(flow),
        payload,
    };
    log.note(
        at(u64::from(flow)),
        Direction::Up,
        |_| Direction::Up,
        &event,
    );
}

fn deliver(log: &mut MessageLog, flow: u32) {
    let event = MessageEvent::Delivered {
        id: first(flow),
        receiver: 0,
    };
    log.note(at(1_000_000), Direction::Down, |_| Direction::Up, &event);
}

#[test]
fn what_is_closed_is_told_once_and_then_forgotten() {
    let mut log = MessageLog::new(Keeps::OpenFlows);
    let mut told = 0;
    for flow in 0..100_000 {
        begin(&mut log, flow);
        if flow >= 10 {
            let oldest = FlowId(flow - 10);
            log.close(oldest, |record| {
                told += 1;
                assert_eq!(record.intended, at(u64::from(oldest.0)));
            });
            log.close(oldest, |_| panic!("it was closed"));
        }
        let kept = &log.channels[0].flows;
        assert!(kept.len() <= 11 && kept.capacity() <= 64);
    }
    assert_eq!((told, log.len()), (99_990, 10));
    let flows: Vec<u32> = log.records().map(|(flow, ..)| flow.0).collect();
    assert!(flows.into_iter().eq(99_990..100_000));
}

#[test]
fn a_word_that_comes_too_late_changes_nothing() {
    for mut log in [MessageLog::new(Keeps::OpenFlows), MessageLog::keeping_all()] {
        begin(&mut log, 0);
        begin(&mut log, 1);
        log.close(FlowId(0), |_| {});
        deliver(&mut log, 0);
        deliver(&mut log, 1);
        let delivered = log.records().filter(|(.., it)| it.delivered.is_some());
        assert_eq!(delivered.map(|(flow, ..)| flow.0).collect::<Vec<_>>(), [1]);
        assert_eq!(log.open_records().count(), 1);
    }
}

#[test]
fn who_goes_gives_up_what_is_not_there() {
    let mut log = MessageLog::keeping_all();
    begin(&mut log, 0);
    begin(&mut log, 1);
    deliver(&mut log, 1);
    for flow in [0, 1] {
        log.give_up(at(2_000_000), FlowId(flow));
    }
    let ends: Vec<_> = log.records().map(|(.., it)| it.status()).collect();
    assert_eq!(
        ends,
        [MessageStatus::Failed("gave_up"), MessageStatus::Delivered]
    );
}

fn id(number: u32) -> MessageId {
    MessageId {
        flow: FlowId(0),
        number: NonZeroU32::new(number).unwrap(),
    }
}

/// A log of one flow in which each message is sent once, as it is due; one a second, and measured from 3 on.
struct OneFlow {
    log: MessageLog,
    told: Vec<(u32, MessageStatus)>,
}

impl OneFlow {
    fn new() -> Self {
        Self {
            log: MessageLog::new(Keeps::OpenMessages),
            told: Vec::new(),
        }
    }

    fn note(&mut self, seconds: u64, event: MessageEvent) {
        let now = at(seconds * 1_000_000_000);
        if self.log.has_ended_before(now) {
            let told = &mut self.told;
            self.log.forget_ended(now, at(3_000_000_000), |_, record| {
                told.push((record.number, record.status()));
            });
        }
        self.log.note(now, Direction::Up, |_| Direction::Up, &event);
    }

    fn send(&mut self, seconds: u64, number: u32, last: bool) {
        let (id, payload) = (id(number), DataSize::from_bytes(25));
        self.note(seconds, MessageEvent::Intended { id, payload });
        let sent = MessageEvent::Transmitted {
            id,
            attempt: 1,
            last,
            trigger: None,
        };
        self.note(seconds, sent);
    }
}

#[test]
fn a_message_is_told_and_forgotten_when_time_goes_on_after_its_end() {
    let mut flow = OneFlow::new();
    for second in 1..=1000 {
        flow.send(u64::from(second), second, true);
        flow.note(
            u64::from(second),
            MessageEvent::Delivered {
                id: id(second),
                receiver: 0,
            },
        );
        assert_eq!(flow.log.len(), 1);
    }
    let told = flow.told.iter().map(|(number, _)| *number);
    assert!(told.eq(1..1000));
    assert!(flow.log.channels[0].flows[0].records.capacity() <= 8);
}

#[test]
fn who_may_send_it_again_keeps_a_message_that_is_there() {
    let mut flow = OneFlow::new();
    flow.send(1, 1, false);
    flow.note(
        2,
        MessageEvent::Delivered {
            id: id(1),
            receiver: 0,
        },
    );
    flow.send(3, 2, true);
    assert_eq!((flow.log.len(), flow.told.len()), (2, 0));
    flow.note(4, MessageEvent::Acknowledged { id: id(1) });
    flow.send(5, 3, true);
    assert_eq!(flow.told, [(1, MessageStatus::Delivered)]);
    // What came later is found, though it does not stand where its number says.
    flow.note(
        6,
        MessageEvent::Delivered {
            id: id(3),
            receiver: 0,
        },
    );
    flow.send(7, 4, true);
    assert_eq!(flow.told[1..], [(3, MessageStatus::Delivered)]);
}

#[test]
fn what_arrives_once_more_counts_if_it_is_measured() {
    let mut flow = OneFlow::new();
    for number in 1..=4 {
        flow.send(number.into(), number, true);
        flow.note(
            number.into(),
            MessageEvent::Delivered {
                id: id(number),
                receiver: 0,
            },
        );
    }
    flow.send(5, 5, true);
    assert_eq!(flow.told.len(), 4);
    for (number, counted) in [(1, 0), (2, 0), (3, 1), (4, 2), (4, 3)] {
        flow.note(
            6,
            MessageEvent::Delivered {
                id: id(number),
                receiver: 0,
            },
        );
        assert_eq!(flow.log.late_arrivals(), counted, "{number}");
    }
}

#[test]
fn a_message_for_several_is_told_of_each_and_forgotten_when_all_have_it() {
    let mut flow = OneFlow::new();
    flow.log.widen(FlowId(0), NonZeroU32::new(3).unwrap());
    let arrive = |id, receiver| MessageEvent::Delivered { id, receiver };
    flow.send(1, 1, true);
    flow.send(2, 2, true);
    for receiver in [2, 0, 2] {
        flow.note(3, arrive(id(2), receiver));
    }
    assert!(!flow.log.is_delivered(id(2)));
    flow.note(4, arrive(id(2), 1));
    assert!(flow.log.is_delivered(id(2)) && !flow.log.is_delivered(id(1)));
    let deliveries: Vec<u16> = flow.log.records().map(|(.., it)| it.deliveries).collect();
    assert_eq!(deliveries, [0, 0, 0, 1, 1, 2]);
    flow.note(5, arrive(id(1), 0));
    let told: Vec<u32> = flow.told.iter().map(|(number, _)| *number).collect();
    assert_eq!(told, [4, 5, 6], "those of the second message");
    flow.note(6, arrive(id(2), 1));
    assert_eq!(flow.log.late_arrivals(), 0, "it is not measured");
}

#[test]
fn who_acknowledges_a_message_for_several_has_it_and_others_are_still_sent_it() {
    let mut log = MessageLog::keeping_all();
    log.widen(FlowId(0), NonZeroU32::new(2).unwrap());
    let mut note = |side, event| log.note(at(1), side, |_| Direction::Up, &event);
    let (id, payload) = (id(1), DataSize::from_bytes(25));
    note(Direction::Up, MessageEvent::Intended { id, payload });
    let sent = |last| MessageEvent::Transmitted {
        id,
        attempt: 1,
        last,
        trigger: None,
    };
    note(Direction::Up, sent(true));
    note(Direction::Down, sent(false));
    note(Direction::Down, sent(false));
    note(Direction::Up, MessageEvent::Delivered { id, receiver: 1 });
    note(Direction::Down, MessageEvent::Acknowledged { id });
    let ends: Vec<_> = log.records().map(|(.., it)| it.status()).collect();
    assert_eq!(ends, [MessageStatus::Unfinished, MessageStatus::Delivered]);
}

#[test]
fn what_never_arrives_has_failed_after_a_day_of_silence() {
    const DAY: u64 = 24 * 3600;
    let mut flow = OneFlow::new();
    flow.send(1, 1, true);
    let reason = lasthop_contract::FailureReason::NoAcknowledgement;
    flow.note(100, MessageEvent::Failed { id: id(1), reason });
    flow.send(DAY, 2, true);
    assert_eq!((flow.log.len(), flow.told.len()), (2, 0));
    flow.send(DAY + 4000, 3, false);
    assert_eq!(flow.told, [(1, MessageStatus::Failed(reason.name()))]);
    // The second has another hour or so; the third may be sent again, however long that takes.
    flow.send(100 * DAY, 4, true);
    assert_eq!(flow.told.len(), 2);
    assert_eq!(flow.log.len(), 2);
}
