//! What the radio of an NB-IoT network costs: a device's drop, and its transmissions up and down, by cells.
//!
//! Each cell has a handful of devices on the air at once, as under load. Times are CPU time.

use std::process::ExitCode;
use std::time::Duration as CpuTime;

use lasthop_benchmarks::cpu_time;
use lasthop_nbiot::channel::{BurstKind, Channel, DownlinkBurst, Tones, UplinkBurst};
use lasthop_nbiot::config::{Fading, NetworkConfig, Placement, SubcarrierSpacing};
use lasthop_nbiot::deployment::CellIndex;
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

const DEVICES: u32 = 2000;
const ROUNDS: u64 = 20;

fn main() -> ExitCode {
    println!("cells  fading         attach ns  uplink ns  downlink ns  look-ups a transmission");
    for cells in [1, 21, 84] {
        for (name, fading) in [
            ("rayleigh", Fading::Rayleigh { doppler_hz: 1.0 }),
            ("typical_urban", Fading::TypicalUrban { doppler_hz: 1.0 }),
        ] {
            let Some(config) = network(cells, fading) else {
                eprintln!("the network of Larmo et al. has no deployment");
                return ExitCode::FAILURE;
            };
            measure(cells, name, &config);
        }
    }
    ExitCode::SUCCESS
}

fn network(cells: u16, fading: Fading) -> Option<NetworkConfig> {
    let mut config = NetworkConfig::larmo_2019();
    config.channel.fading = fading;
    let Placement::Deployment(deployment) = &mut config.placement else {
        return None;
    };
    deployment.cells = cells;
    deployment.wrap_around = cells > 1;
    Some(config)
}

fn measure(cells: u16, fading: &str, config: &NetworkConfig) {
    let mut channel = Channel::new(config, 1);
    let nanos_each =
        |start: CpuTime, count: u64| (cpu_time() - start).as_nanos() / u128::from(count);

    let start = cpu_time();
    for number in 0..u64::from(DEVICES) * ROUNDS {
        channel.attach((number % u64::from(DEVICES)) as u32, number, None);
    }
    let attach = nanos_each(start, u64::from(DEVICES) * ROUNDS);

    // Two transmissions of 32 ms begin in each cell every 32 ms.
    let at_once = 2 * u32::from(cells);
    let count = u64::from(DEVICES) * ROUNDS;
    let mut ids = Vec::with_capacity(at_once as usize);
    let start = cpu_time();
    for round in 0..count / u64::from(at_once) {
        let now = Instant::ZERO + Duration::from_millis(32) * round;
        for number in 0..at_once {
            let device = (round as u32 * at_once + number) % DEVICES;
            let burst = UplinkBurst {
                from: now,
                until: now + Duration::from_millis(32),
                tones: Tones::new(SubcarrierSpacing::Khz15, (number % 4) as u8 * 3, 3),
                power: DecibelMilliwatts::new(23.0),
                kind: BurstKind::Data,
                repetitions: 4,
            };
            ids.push((device, channel.uplink_starts(now, device, &burst)));
        }
        for (device, id) in ids.drain(..) {
            std::hint::black_box(channel.uplink_ends(device, id).decibels());
        }
    }
    let uplink = nanos_each(start, count);

    let before = channel.evaluations();
    let start = cpu_time();
    for number in 0..count {
        let now = Instant::ZERO + Duration::from_millis(20) * (number / u64::from(cells));
        let burst = DownlinkBurst {
            from: now,
            until: now + Duration::from_millis(12),
            subframes: 8,
            repetitions: 1,
        };
        channel.downlink_starts(now, CellIndex((number % u64::from(cells)) as u8), &burst);
        let es_n0 = channel.downlink_ends((number % u64::from(DEVICES)) as u32, &burst);
        std::hint::black_box(es_n0.decibels());
    }
    let downlink = nanos_each(start, count);
    let look_ups = (channel.evaluations() - before) as f64 / count as f64;
    println!("{cells:>5}  {fading:<13}  {attach:>9}  {uplink:>9}  {downlink:>11}  {look_ups:>8.1}");
}
