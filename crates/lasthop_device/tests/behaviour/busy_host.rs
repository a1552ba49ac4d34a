//! A host whose work takes time is a queue with workers: its waiting times are those of queueing theory.

use std::collections::VecDeque;

use lasthop_contract::{
    DiscardReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, MessageEvent, Packet,
    RandomStream, Survives,
};
use lasthop_device::{BusyHost, ConnectionCount, ServiceTime};
use lasthop_units::{DataSize, Duration, Instant};

use crate::echo::{Echo, no_time, outputs_of, packet_of, packet_to};

const MILLISECOND: Duration = Duration::from_millis(1);

fn at(milliseconds: u64) -> Instant {
    Instant::ZERO + MILLISECOND * milliseconds
}

/// When packets left, in ms, and to whom.
fn departures(outputs: &[(Instant, HostOutput)]) -> Vec<(u64, u8)> {
    let departure = |(at, output): &(Instant, HostOutput)| match output {
        HostOutput::Transmit { packet, .. } => {
            let nanos = (*at - Instant::ZERO).as_nanos();
            assert_eq!(nanos % 1_000_000, 0);
            Some((nanos / 1_000_000, packet.bytes()[19]))
        }
        _ => None,
    };
    outputs.iter().filter_map(departure).collect()
}

fn times_of(outputs: &[(Instant, HostOutput)], wanted: fn(&MessageEvent) -> bool) -> Vec<Instant> {
    let time = |(at, output): &(Instant, HostOutput)| match output {
        HostOutput::Event(HostEvent::Message(event)) if wanted(event) => Some(*at),
        _ => None,
    };
    outputs.iter().filter_map(time).collect()
}

fn around(echo: Echo, times: ServiceTime) -> BusyHost {
    BusyHost::new(Box::new(echo), times, ConnectionCount::default())
}

fn busy(times: ServiceTime) -> BusyHost {
    around(Echo::default(), times)
}

/// What a host does now, and what it waits for then.
fn settled(host: &mut BusyHost, now: Instant) -> (Vec<HostOutput>, Option<Instant>) {
    let mut outputs = Vec::new();
    loop {
        match host.poll(now) {
            HostOutput::WaitUntil(deadline) => return (outputs, deadline),
            output => outputs.push(output),
        }
    }
}

fn arrivals(of: &[(u64, u8)]) -> VecDeque<(Instant, Packet)> {
    of.iter()
        .map(|(ms, to)| (at(*ms), packet_to(*to)))
        .collect()
}

#[test]
fn what_takes_no_time_leaves_as_it_comes() {
    let came = [(0, 1), (0, 2), (5, 3)];
    let outputs = outputs_of(&mut busy(no_time()), arrivals(&came));
    assert_eq!(departures(&outputs), came);
}

#[test]
fn a_packet_a_byte_and_a_message_take_their_time() {
    let times = ServiceTime {
        packet: MILLISECOND,
        byte: MILLISECOND * 2,
        message: MILLISECOND * 100,
        ..no_time()
    };
    // 24 bytes.
    let outputs = outputs_of(&mut busy(times), arrivals(&[(0, 1), (500, 2)]));
    assert_eq!(departures(&outputs), [(149, 1), (649, 2)]);
    let delivered = times_of(&outputs, |it| matches!(it, MessageEvent::Delivered { .. }));
    assert_eq!(delivered, [at(149), at(649)], "it is done when it is done");
}

#[test]
fn periodic_arrivals_wait_for_those_before_them() {
    let times = ServiceTime {
        packet: MILLISECOND * 10,
        ..no_time()
    };
    // Slower than the work: nobody waits. As fast: nobody waits. Faster: the n-th waits n times the difference.
    for (every, last) in [(11, 999 * 11 + 10), (10, 999 * 10 + 10), (7, 1000 * 10)] {
        let came: Vec<_> = (0..1000).map(|number| (number * every, 1)).collect();
        let outputs = outputs_of(&mut busy(times), arrivals(&came));
        assert_eq!(departures(&outputs).last(), Some(&(last, 1)));
    }
}

#[test]
fn random_arrivals_wait_as_long_as_pollaczek_and_khinchine_say() {
    // M/D/1: at a load of 0.7 the mean wait is 0.7 / (2 * 0.3) = 1.167 times the work. The mean over 100,000 of seed 1;
    // its standard error, from the relaxation time of the queue, is 0.02, and the bound is four of them.
    let work = MILLISECOND;
    let times = ServiceTime {
        message: work,
        ..no_time()
    };
    let mut random = RandomStream::named(1, "arrivals");
    let mut now = Instant::ZERO;
    let mut came = VecDeque::new();
    for _ in 0..100_000 {
        now += random.exponential(work.scaled(1.0 / 0.7));
        came.push_back((now, packet_to(1)));
    }
    let arrived: Vec<Instant> = came.iter().map(|(at, _)| *at).collect();
    let outputs = outputs_of(&mut busy(times), came);
    let done = times_of(&outputs, |it| matches!(it, MessageEvent::Delivered { .. }));
    assert_eq!(done.len(), arrived.len());
    let waits = arrived.iter().zip(&done);
    let waits: Duration = waits.map(|(arrived, done)| *done - *arrived - work).sum();
    let mean = waits.as_secs_f64() / arrived.len() as f64 / work.as_secs_f64();
    assert!((mean - 0.7 / 0.6).abs() < 0.08, "{mean}");
}

#[test]
fn workers_share_the_work_and_let_nothing_to_one_address_overtake() {
    let times = ServiceTime {
        workers: 2.try_into().unwrap(),
        byte: MILLISECOND,
        ..no_time()
    };
    let came = [(0, 1, 60), (0, 1, 24), (0, 2, 24), (0, 3, 30)];
    let came = came.map(|(ms, to, bytes)| (at(ms), packet_of(to, bytes)));
    let outputs = outputs_of(&mut busy(times), came.into());
    // The second is done at 24 and leaves behind the first; its worker goes on with the third, and with the fourth.
    assert_eq!(departures(&outputs), [(48, 2), (60, 1), (60, 1), (78, 3)]);
}

#[test]
fn a_message_is_due_when_it_is_due_and_leaves_when_there_is_time() {
    let times = ServiceTime {
        message: MILLISECOND * 10,
        ..no_time()
    };
    let echo = Echo::speaking_at(&[MILLISECOND * 3]);
    let mut host = around(echo, times);
    let outputs = outputs_of(&mut host, arrivals(&[(0, 7), (1, 8)]));
    let due = times_of(&outputs, |it| matches!(it, MessageEvent::Intended { .. }));
    assert_eq!(due, [at(3)]);
    // It goes before the packet that waits.
    assert_eq!(departures(&outputs), [(10, 7), (20, 1), (30, 8)]);
}

#[test]
fn who_finds_no_room_is_told_of_and_the_queue_stays_within_it() {
    let times = ServiceTime {
        packet: MILLISECOND * 10,
        room: DataSize::from_bytes(48),
        ..no_time()
    };
    let came: Vec<_> = (0..10).map(|number| (0, number)).collect();
    let outputs = outputs_of(&mut busy(times), arrivals(&came));
    // One is at work, two wait.
    assert_eq!(departures(&outputs), [(10, 0), (20, 1), (30, 2)]);
    let full = outputs.iter().filter(|(at, output)| {
        let is_full = matches!(
            output,
            HostOutput::Event(HostEvent::Discarded {
                reason: DiscardReason::QueueFull,
                ..
            })
        );
        is_full && *at == Instant::ZERO
    });
    assert_eq!(full.count(), 7);
}

#[test]
fn what_finds_no_room_to_leave_is_told_of() {
    let times = ServiceTime {
        packet: MILLISECOND * 100,
        room: DataSize::from_bytes(48),
        ..no_time()
    };
    // While the worker is busy, what timers bring about waits until it has done.
    let spoken: Vec<Duration> = (1..=6).map(|ms| MILLISECOND * ms).collect();
    let mut host = around(Echo::speaking_at(&spoken), times);
    let outputs = outputs_of(&mut host, arrivals(&[(0, 1)]));
    let unsent = outputs.iter().filter(|(at, output)| {
        let is_full = matches!(
            output,
            HostOutput::Discard {
                reason: DiscardReason::QueueFull,
                ..
            }
        );
        is_full && *at < Instant::ZERO + MILLISECOND * 100
    });
    let left = departures(&outputs);
    assert_eq!(left.len() + unsent.count(), 1 + spoken.len());
    // The answer, and two that found room.
    assert_eq!(left.len(), 3);
}

#[test]
fn a_crash_forgets_the_work_and_tells_what_was_known() {
    let times = ServiceTime {
        packet: MILLISECOND * 10,
        ..no_time()
    };
    let echo = Echo::default();
    let crashes = echo.crashes();
    let mut host = around(echo, times);
    for to in 1..=3 {
        let (interface, packet) = (InterfaceId(0), packet_to(to));
        host.handle(at(0), HostInput::Received { interface, packet });
    }
    assert_eq!(settled(&mut host, at(0)).1, Some(at(10)));
    host.handle(at(5), HostInput::Crash(Survives::default()));
    assert_eq!(*crashes.borrow(), 1);
    let (outputs, deadline) = settled(&mut host, at(5));
    assert_eq!(deadline, None);
    let (mut down, mut delivered, mut served) = (Vec::new(), 0, 0);
    for output in outputs {
        match output {
            HostOutput::Event(HostEvent::Discarded { packet, reason }) => {
                assert_eq!(reason, DiscardReason::HostDown);
                down.push(packet.bytes()[19]);
            }
            HostOutput::Event(HostEvent::Message(_)) => delivered += 1,
            HostOutput::Event(HostEvent::Served(_)) => served += 1,
            output => panic!("{output:?}"),
        }
    }
    assert_eq!((down, delivered, served), (vec![2, 3], 1, 3));
    // Its worker is free for who comes next.
    let (interface, packet) = (InterfaceId(0), packet_to(4));
    host.handle(at(6), HostInput::Received { interface, packet });
    assert_eq!(settled(&mut host, at(6)).1, Some(at(16)));
}
