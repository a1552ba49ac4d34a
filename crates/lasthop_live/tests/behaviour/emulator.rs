use std::os::fd::OwnedFd;
use std::thread;

use lasthop_contract::{
    Cause, Direction, Layer, Link, LinkInput, LinkOutput, Packet, PathId, Port, Provenance,
};
use lasthop_link::DuplexLink;
use lasthop_live::{EmulationSpec, EmulationSummary, Emulator};
use lasthop_units::Instant;
use lasthop_world::MediumSpec;

use crate::relay::{packets_at, pair};

const LOSSY: &str = r#"{
  "path": {
    "seed": 7, "group": "devices", "device": 3,
    "path": {"hops": [{"name": "path", "scope": "own", "link": {
      "order": ["mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate"],
      "shared": false,
      "up": {"mtu_bytes": null, "outages": [], "loss": {"bernoulli": {"probability": 0.4}},
             "delay": null, "rate": null, "duplicate": null, "corrupt": null},
      "down": {"mtu_bytes": null, "outages": [], "loss": null, "delay": null, "rate": null,
               "duplicate": null, "corrupt": null}}}]}
  }
}"#;

/// Runs an emulator while somebody does something at its two ends.
fn behind(spec: &str, act: impl FnOnce(&OwnedFd, &OwnedFd)) -> EmulationSummary {
    let spec = EmulationSpec::parse(spec).unwrap();
    let ((near, near_device), (far, far_device), (stop, stopped)) = (pair(), pair(), pair());
    thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            let emulator = Emulator::new(&spec, near_device, far_device).unwrap();
            emulator.run(stopped, || Ok(()), None).unwrap()
        });
        act(&near, &far);
        drop(stop);
        emulator.join().unwrap()
    })
}

/// Waits until an end has nothing more to give for a while.
fn what_comes_to(end: &OwnedFd) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    let mut quiet = 0;
    while quiet < 20 {
        thread::park_timeout(core::time::Duration::from_millis(10));
        let more = packets_at(end);
        quiet = if more.is_empty() { quiet + 1 } else { 0 };
        packets.extend(more);
    }
    packets
}

/// Which of so many packets the link of the spec lets through in virtual time.
fn let_through(spec: &str, packets: u8) -> Vec<Vec<u8>> {
    let spec = EmulationSpec::parse(spec).unwrap();
    let MediumSpec::Link(link) = &spec.path.path.hops[0].medium else {
        panic!("it is a link");
    };
    let mut link = DuplexLink::new(link, spec.path.seed, "path/3");
    let foreign = Provenance::new(Layer::Ip, Cause::Opaque);
    let mut passed = Vec::new();
    for number in 0..packets {
        let mut packet = Packet::of(&[number], foreign);
        packet.enter(number.into(), Direction::Up, PathId::default());
        let port = Port(0);
        link.handle(Instant::ZERO, LinkInput::Offered { port, packet });
        loop {
            match link.poll(Instant::ZERO) {
                LinkOutput::Deliver { packet, .. } => passed.push(packet.bytes().to_vec()),
                LinkOutput::WaitUntil(_) => break,
                _ => {}
            }
        }
    }
    passed
}

#[test]
fn loses_the_packets_that_the_run_of_the_same_seed_loses() {
    let mut arrived = Vec::new();
    let summary = behind(LOSSY, |near, far| {
        for number in 0..200 {
            rustix::io::write(near, &[number]).unwrap();
        }
        arrived = what_comes_to(far);
    });
    assert_eq!(arrived, let_through(LOSSY, 200));
    assert_eq!(summary.up.offered.packets, 200);
    assert_eq!(summary.up.delivered.packets, arrived.len() as u64);
    assert_eq!(summary.up.queued.packets, 0);
}

#[test]
fn an_end_that_is_gone_ends_it_with_the_reason() {
    let spec = EmulationSpec::parse(LOSSY).unwrap();
    let ((near, near_device), (_far, far_device), (_stop, stopped)) = (pair(), pair(), pair());
    let emulator = Emulator::new(&spec, near_device, far_device).unwrap();
    drop(near);
    assert!(emulator.run(stopped, || Ok(()), None).is_err());
}

#[test]
fn what_it_does_not_know_is_said() {
    let misspelt = LOSSY.replace("\"seed\"", "\"seeds\"");
    let error = EmulationSpec::parse(&misspelt).unwrap_err().to_string();
    assert!(error.contains("unknown field `seeds`"), "{error}");
    let far_from_nothing = LOSSY.replace("\"seed\": 7", "\"seed\": 7, \"coupling_loss_db\": 144.0");
    let error = EmulationSpec::parse(&far_from_nothing)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("coupling_loss_db: "), "{error}");
}
