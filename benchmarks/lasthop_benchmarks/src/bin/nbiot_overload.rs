//! Random access of an NB-IoT network by load: preambles, collisions, who is served, with each means against overload.
//!
//! Devices come to the cells of Larmo et al. by a Poisson process, each with one report. The same arrivals meet each of the
//! means. Connected devices are served in one way in each coverage level, that of `studies/larmo-2019/study.yaml`, which
//! saturates within these loads, or by `--adaptive` each in its own, which does not.

use core::error::Error;
use std::process::ExitCode;

use lasthop_benchmarks::NbIotCity;
use lasthop_nbiot::config::{
    AccessBarring, ConnectionReject, DedicatedFormats, LinkAdaptation, NetworkConfig,
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nbiot_overload: {error}");
            ExitCode::from(2)
        }
    }
}

/// What a network does against overload.
type Means = (&'static str, fn(&mut NetworkConfig));

const MEANS: [Means; 5] = [
    ("none, back-off 0", |config| {
        config.random_access.back_off_ms = 0;
    }),
    ("back-off", |_| ()),
    ("reject", |config| {
        config.random_access.reject = Some(ConnectionReject {
            above_waiting: 20,
            wait_s: 10,
        });
    }),
    ("barring", |config| {
        config.random_access.access_barring = Some(AccessBarring {
            barred_classes: 5,
            moves_on_ms: 2560,
        });
    }),
    ("back-off 8 s", |config| {
        config.random_access.back_off_ms = 8192;
    }),
];

fn run() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut city = NbIotCity {
        cells: 21,
        rate: 0.0,
        seconds: 60,
        bytes: 73,
        seed: 1,
    };
    let mut adaptive = false;
    let mut rates: Vec<f64> = (1..=8).map(f64::from).collect();
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("adaptive") => adaptive = true,
            Long("cells") => city.cells = arguments.value()?.parse()?,
            Long("rate") => rates = vec![arguments.value()?.parse()?],
            Long("seconds") => city.seconds = arguments.value()?.parse()?,
            Long("bytes") => city.bytes = arguments.value()?.parse()?,
            Long("seed") => city.seed = arguments.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    println!(
        "| requests/s/cell | means | preambles a request | collided | unanswered | turned away | access failed | \
         in 20 s | at all |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for rate in rates {
        for (name, set) in MEANS {
            city.rate = rate;
            let mut config = city.config();
            if !adaptive {
                one_way_a_level(&mut config);
            }
            set(&mut config);
            let outcome = city.run(config)?;
            let levels = outcome.report.levels();
            let sum = |count: fn(&lasthop_nbiot::LevelReport) -> u64| {
                levels.iter().map(count).sum::<u64>() as f64
            };
            let devices = outcome.report.devices_attached as f64;
            let preambles = sum(|level| level.preambles);
            println!(
                "| {rate} | {name} | {:.2} | {:.1} % | {:.1} % | {:.0} | {:.0} | {:.1} % | {:.1} % |",
                preambles / devices,
                100.0 * sum(|level| level.preambles_collided) / preambles,
                100.0 * sum(|level| level.preambles_unanswered) / preambles,
                sum(|level| level.rejected),
                sum(|level| level.packets_access_failed),
                100.0 * outcome.within_20_s * (outcome.delivered + outcome.dropped) as f64
                    / devices,
                100.0 * outcome.delivered as f64 / devices,
            );
        }
    }
    Ok(())
}

/// The repetitions of the study of Larmo et al.
fn one_way_a_level(config: &mut NetworkConfig) {
    // Rmax and G of the search spaces; repetitions of DCI, NPDSCH, NPUSCH and acknowledgement; I_TBS down and up.
    let levels = [
        (16, 2.0, [4, 4, 4, 4], 8, 8),
        (64, 1.5, [16, 8, 8, 8], 4, 3),
        (256, 1.5, [64, 32, 32, 16], 4, 0),
    ];
    for (level, (rmax, g, [dci, npdsch, npusch, acknowledgement], down, up)) in
        config.levels.iter_mut().zip(levels)
    {
        for space in [
            &mut level.random_access_search_space,
            &mut level.user_search_space,
        ] {
            space.rmax = rmax;
            space.g = g;
        }
        let access = &mut level.random_access_formats;
        access.dci_repetitions = dci;
        access.npdsch_i_tbs = down;
        access.npdsch_repetitions = npdsch;
        access.msg3_repetitions = npusch;
        access.ack_repetitions = acknowledgement;
        level.link_adaptation = LinkAdaptation::Fixed(DedicatedFormats {
            dci_repetitions: dci,
            npdsch_i_tbs: down,
            npdsch_repetitions: npdsch,
            npusch_tones: 1,
            npusch_i_tbs: up,
            npusch_repetitions: npusch,
            ack_repetitions: acknowledgement,
        });
    }
}
