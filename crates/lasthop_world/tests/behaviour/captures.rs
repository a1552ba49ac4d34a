//! What is captured at each host, read back from the files.

use crate::specs::{add_nat, base, every_combination, everything, loss, run};
use crate::stacks::{json_udp, set_stack};
use core::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use lasthop_contract::Direction;
use lasthop_measure::{Capture, CapturedHost, Fate};
use lasthop_world::{NatSpec, Observe, PopulationSpec, RunError, RunSpec, Simulated};

use crate::network::{city, raw_udp};

use CapturedHost::{Device, Server};

/// A packet as a file has it.
pub(crate) struct Captured {
    pub(crate) at_ns: u64,
    pub(crate) is_outbound: bool,
    pub(crate) bytes: Vec<u8>,
    pub(crate) comments: Vec<String>,
}

/// A run whose hosts are captured, and the packets of each file.
pub(crate) fn run_capturing(
    spec: &RunSpec,
    hosts: &[CapturedHost],
) -> (Simulated, Vec<Vec<Captured>>) {
    let files: Vec<Shared> = hosts.iter().map(|_| Shared::default()).collect();
    let outs = files
        .iter()
        .map(|file| Box::new(file.clone()) as Box<dyn Write>);
    let hosts = hosts.iter().map(|host| (*host, format!("{host:?}").into()));
    let hosts = hosts.zip(outs).map(|((host, name), out)| (host, name, out));
    let observe = Observe {
        capture: Some(Capture::new(hosts)),
        ..Observe::default()
    };
    let simulated = Simulated::run(spec, observe, &Default::default()).unwrap();
    let packets = files.iter().map(|file| packets_of(&file.0.borrow()));
    (simulated, packets.collect())
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes so many bytes, then the disk is full.
struct Full {
    room: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room = self
            .room
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_ledger_sums_to_what_senders_and_receivers_captured() {
    for mut spec in every_combination().into_iter().map(everything) {
        spec.groups[0].population = PopulationSpec::Staying { devices: 2 };
        let (simulated, files) = run_capturing(&spec, &[Device(0), Device(1), Server(0)]);
        let sides = [&files[..2], &files[2..]].map(|files| files.iter().flatten());
        for direction in Direction::ALL {
            let rows = simulated.meter().ledger().rows();
            for (fate, side) in [
                (Fate::Offered, direction as usize),
                (Fate::Delivered, 1 - direction as usize),
            ] {
                let of_ledger: u64 = rows
                    .iter()
                    .filter(|row| row.direction == direction && row.fate == fate)
                    .map(|row| row.bytes)
                    .sum();
                let captured: usize = sides[side]
                    .clone()
                    .filter(|packet| packet.is_outbound == (fate == Fate::Offered))
                    .map(|packet| packet.bytes.len())
                    .sum();
                assert_eq!(of_ledger, captured as u64, "{direction:?} {fate:?}");
            }
        }
    }
}

#[test]
fn every_packet_has_its_number_at_both_ends_and_its_fate_at_its_sender() {
    for spec in every_combination().into_iter().map(everything) {
        let (simulated, files) = run_capturing(&spec, &[Device(0), Server(0)]);
        let all = || files.iter().flatten();
        let sent = all().filter(|packet| packet.is_outbound);
        let numbers: Vec<String> = sent.clone().map(|sent| sent.comments[0].clone()).collect();
        let mut expected: Vec<String> = (0..numbers.len())
            .map(|it| format!("packet {it}"))
            .collect();
        let mut sorted = numbers;
        sorted.sort();
        expected.sort();
        assert_eq!(sorted, expected);
        let rows = simulated.meter().ledger().packet_rows();
        let count_of = |wanted: fn(&Fate) -> bool| -> u64 {
            rows.iter()
                .filter(|row| wanted(&row.fate))
                .map(|row| row.packets)
                .sum()
        };
        let comments = |packets: &mut dyn Iterator<Item = &Captured>, what: &str| -> u64 {
            packets
                .flat_map(|packet| &packet.comments)
                .filter(|comment| comment.starts_with(what))
                .count() as u64
        };
        let dropped = count_of(|fate| matches!(fate, Fate::Dropped(_)));
        assert!(dropped > 0);
        assert_eq!(comments(&mut sent.clone(), "dropped: "), dropped);
        let duplicated = count_of(|fate| matches!(fate, Fate::Duplicated));
        assert_eq!(comments(&mut sent.clone(), "duplicated"), duplicated);
        let mut arrived = all().filter(|packet| !packet.is_outbound);
        assert_eq!(comments(&mut arrived, "dropped"), 0);
    }
}

#[test]
fn a_file_is_in_the_order_of_time() {
    for spec in every_combination().into_iter().map(everything) {
        for file in run_capturing(&spec, &[Device(0), Server(0)]).1 {
            assert!(file.is_sorted_by_key(|packet| packet.at_ns));
        }
    }
}

#[test]
fn what_is_under_way_at_the_end_says_so() {
    let mut spec = base();
    spec.measure.drain_ns = 0;
    loss(&mut spec, 0.0);
    let (simulated, files) = run_capturing(&spec, &[Device(0)]);
    let rows = simulated.meter().ledger().packet_rows();
    let under_way: u64 = rows
        .iter()
        .filter(|row| row.fate == Fate::InFlight)
        .map(|row| row.packets)
        .sum();
    let said = files[0]
        .iter()
        .filter(|packet| {
            packet
                .comments
                .contains(&"under way when the run ended".into())
        })
        .count();
    assert!(under_way > 0);
    assert_eq!(said as u64, under_way);
}

#[test]
fn a_host_that_the_run_has_not_gets_a_file_without_packets() {
    let (_, files) = run_capturing(&base(), &[Device(1), Server(1), Server(0)]);
    assert_eq!(files[..2].iter().map(Vec::len).sum::<usize>(), 0);
    assert!(!files[2].is_empty());
}

#[test]
fn each_device_that_comes_has_a_file_of_its_own() {
    let mut spec = city(raw_udp(), 0.5);
    spec.measure.warm_up_ns = 0;
    let hosts: Vec<CapturedHost> = (0..20).flat_map(|it| [Device(it), Server(it)]).collect();
    let (simulated, files) = run_capturing(&spec, &hosts);
    let (devices, servers): (Vec<_>, Vec<_>) = files.iter().zip(0..).partition(|(_, n)| n % 2 == 0);
    for (device, n) in devices {
        let source = [10, 0, 0, n as u8 / 2 + 1];
        assert!(!device.is_empty());
        for packet in device.iter().filter(|packet| packet.is_outbound) {
            assert_eq!(packet.bytes[12..16], source);
        }
    }
    assert!(servers.iter().any(|(server, _)| !server.is_empty()));
    let [captured, alone] = [&simulated, &run(&spec)].map(|run| run.tables("id"));
    assert_eq!(captured.summary, alone.summary);
}

#[test]
fn a_host_is_found_by_the_name_of_its_group_or_server() {
    let mut spec = base();
    spec.groups[0].name = "meters-old".into();
    spec.groups[0].population = PopulationSpec::Staying { devices: 2 };
    let mut valves = spec.groups[0].clone();
    valves.name = "valves".into();
    spec.groups.push(valves);
    spec.servers[0].name = "archive".into();
    for group in &mut spec.groups {
        group.clients[0].server = "archive".into();
    }
    for (name, host) in [
        ("meters-old-0", Some(Device(0))),
        ("meters-old-1", Some(Device(1))),
        ("meters-old-2", None),
        ("valves-1", Some(Device(3))),
        ("valves-4294967295", None),
        ("archive-0", Some(Server(0))),
        ("archive-1", None),
        ("archive", None),
        ("device-0", None),
        ("", None),
    ] {
        assert_eq!(spec.host_named(name), host, "{name}");
    }
}

#[test]
fn a_full_disk_ends_the_run() {
    let files = [Device(0), Server(0)].map(|host| {
        let out: Box<dyn Write> = Box::new(Full { room: 10_000 });
        (host, "full".into(), out)
    });
    let observe = Observe {
        capture: Some(Capture::new(files)),
        ..Observe::default()
    };
    let outcome = Simulated::run(&base(), observe, &Default::default());
    let Err(RunError::Capture(error)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn behind_a_translator_each_host_sees_its_own_addresses() {
    let mut spec = base();
    set_stack(&mut spec, json_udp());
    add_nat(
        &mut spec,
        NatSpec {
            udp_timeout_ns: 120_000_000_000,
            tcp_timeout_ns: 7_440_000_000_000,
            rebind_every_ns: None,
            ports: 64_512,
        },
    );
    let (_, files) = run_capturing(&spec, &[Device(0), Server(0)]);
    let senders = |packets: &[Captured], is_outbound: bool| -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = packets
            .iter()
            .filter(|packet| packet.is_outbound == is_outbound)
            .map(|packet| packet.bytes[12..16].to_vec())
            .collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(senders(&files[0], true), [[10, 0, 0, 1]]);
    assert_eq!(senders(&files[1], false), [[100, 64, 0, 1]]);
}

/// Reads the packets of a file with one interface.
fn packets_of(file: &[u8]) -> Vec<Captured> {
    const PACKET: u32 = 6;
    let mut packets = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let (block, after) = rest.split_at(word(rest, 4) as usize);
        if word(block, 0) == PACKET {
            packets.push(packet_of(block));
        }
        rest = after;
    }
    packets
}

fn packet_of(block: &[u8]) -> Captured {
    let length = word(block, 20) as usize;
    let mut captured = Captured {
        at_ns: u64::from(word(block, 12)) << 32 | u64::from(word(block, 16)),
        is_outbound: false,
        bytes: block[28..28 + length].to_vec(),
        comments: Vec::new(),
    };
    let mut at = 28 + length.next_multiple_of(4);
    loop {
        let (code, length) = (word(block, at) & 0xffff, (word(block, at) >> 16) as usize);
        let value = &block[at + 4..at + 4 + length];
        match code {
            0 => return captured,
            1 => captured
                .comments
                .push(String::from_utf8(value.to_vec()).unwrap()),
            2 => captured.is_outbound = word(value, 0) == 2,
            _ => {}
        }
        at += 4 + length.next_multiple_of(4);
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}
