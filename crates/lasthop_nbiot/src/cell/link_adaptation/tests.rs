use lasthop_contract::RandomStream;

use super::*;

fn adaptive(config: &NetworkConfig, level: usize) -> LinkFormats {
    LinkFormats::new(config, &config.levels[level].link_adaptation)
}

/// The first of the cheapest a bit, by trying all.
fn first_best<F: Copy>(all: impl Iterator<Item = (F, f32, f32)>) -> F {
    let mut best: Option<(F, f32, f32)> = None;
    for (format, cost, lacking_db) in all {
        let is_better = best.is_none_or(|(_, other_cost, other_db)| {
            lacking_db < other_db || (lacking_db == other_db && cost < other_cost)
        });
        if is_better {
            best = Some((format, cost, lacking_db));
        }
    }
    best.expect("there are formats").0
}

#[test]
fn the_choice_is_that_of_trying_every_format_whatever_the_payload_and_the_path() {
    let mut config = NetworkConfig::larmo_2019();
    let mut stream = RandomStream::named(1, "link_adaptation");
    for category in [DeviceCategory::Nb1, DeviceCategory::Nb2] {
        config.connection.category = category;
        for level in 0..3 {
            let formats = adaptive(&config, level);
            let Choice::Adaptive(adaptive) = &formats.choice else {
                panic!("the preset adapts");
            };
            for _ in 0..3_000 {
                let most_bytes = 2 << stream.below(9);
                let payload_bits = 8 * (1 + stream.below(most_bytes)) as u32;
                let expected = Expected {
                    downlink_db: (stream.unit() * 60.0 - 30.0) as f32,
                    uplink_db: [(); 4].map(|()| (stream.unit() * 60.0 - 30.0) as f32),
                    margin_db: [3.0; 2],
                    ..Expected::default()
                };
                let down = adaptive.npdsch_rows.iter().map(|row| {
                    let Choosable { block, required_db } = *row.block_for(payload_bits);
                    let snr_db = expected.downlink_db - 3.0;
                    let set = &adaptive.sets.npdsch_repetitions;
                    let (repetitions, lacking_db) = repetitions(set, required_db[0] - snr_db);
                    let format = NpdschFormat { block, repetitions };
                    let cost = npdsch_cost(format);
                    (
                        format,
                        cost / carried_bits(&block, payload_bits),
                        lacking_db,
                    )
                });
                assert_eq!(formats.npdsch(payload_bits, &expected), first_best(down));
                let up = adaptive.tones.iter().flat_map(|(unit, _)| {
                    let snr_db = expected.uplink_db[tones_index(unit.tones)] - 3.0;
                    adaptive.npusch_rows(unit.tones).iter().map(move |row| {
                        let Choosable { block, required_db } = *row.block_for(payload_bits);
                        let set = &adaptive.sets.npusch_repetitions;
                        let mut chosen = repetitions(set, required_db[0] - snr_db);
                        if chosen.0 > 1 {
                            chosen = repetitions(set, required_db[1] - snr_db);
                        }
                        let format = NpuschFormat {
                            unit: *unit,
                            block,
                            repetitions: chosen.0,
                        };
                        let cost = npusch_cost(format);
                        (format, cost / carried_bits(&block, payload_bits), chosen.1)
                    })
                });
                assert_eq!(formats.npusch(payload_bits, &expected), first_best(up));
            }
        }
    }
}
