use lasthop_nbiot::config::{
    ConnectedDrx, Grants, LinkAdaptation, NetworkConfig, NetworkTime, Polls, SearchSpaceConfig,
};

/// Something that may make a network slower: its values, today's first. Each value is sourced, or a value of the tables of
/// 3GPP that no source rules out.
pub(super) struct Candidate {
    pub(super) name: &'static str,
    pub(super) values: &'static [Value],
}

/// A value of a candidate: its name and its source, and what it changes.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) name: &'static str,
    apply: fn(&mut NetworkConfig),
}

/// One value of each candidate.
pub(super) type Choice = [usize; CANDIDATES.len()];

/// Today's network: the first value of each.
pub(super) const TODAY: Choice = [0; CANDIDATES.len()];

const fn value(name: &'static str, apply: fn(&mut NetworkConfig)) -> Value {
    Value { name, apply }
}

pub(super) const CANDIDATES: [Candidate; 9] = [
    Candidate {
        name: "times of base station, core and module",
        values: &[
            value("the most of their ranges", |_| {}),
            value("half way", |c| c.network = NetworkTime::between(50)),
            value("the least", |c| c.network = NetworkTime::LEAST),
        ],
    },
    Candidate {
        name: "preambles",
        values: &[
            value("160, 640, 2560 ms (Sonica)", |_| {}),
            value("320, 640, 2560 ms (operator trace)", |c| {
                preambles(c, [320, 640, 2560], [256; 3], [36, 24, 12], [1, 8, 32]);
            }),
            value("640 ms (operator's SIB2)", |c| {
                preambles(c, [640; 3], [8, 64, 128], [36; 3], [2, 8, 32]);
            }),
        ],
    },
    Candidate {
        name: "search spaces",
        values: &[
            value("Rmax 8, 16, 64 (hand calculation)", |_| {}),
            value(
                "Rmax 8, 16, 128, G 2, offset 1/8, 0, 0 (operator's SIB2)",
                |c| {
                    spaces(c, [8, 16, 128], [1, 0, 0]);
                },
            ),
        ],
    },
    Candidate {
        name: "period of the device's search space",
        values: &[
            value("G 2, 2, 1.5", |_| {}),
            value("G 4 (Sonica)", |c| user_g(c, 4.0)),
            value("G 8 (3GPP)", |c| user_g(c, 8.0)),
            value("G 16 (3GPP)", |c| user_g(c, 16.0)),
            value("G 32 (3GPP)", |c| user_g(c, 32.0)),
        ],
    },
    Candidate {
        name: "one DCI a period",
        values: &[
            value("any candidate", |_| {}),
            value("the first candidate of a period", |c| {
                c.switches.first_candidate_only = true;
            }),
        ],
    },
    Candidate {
        name: "grants",
        values: &[
            value("as reported", |_| {}),
            value("one for each scheduling request", |c| {
                c.connection.grants = Grants::OnePerRequest;
            }),
            value("one for each, STATUS PDUs too", |c| {
                c.connection.grants = Grants::OnePerRequest;
                c.connection.grant_after_downlink = false;
            }),
        ],
    },
    Candidate {
        name: "blocks",
        values: &[
            value("to 1000 bit up, 680 bit down", |_| {}),
            value("504 bit up (3GPP)", |c| largest(c, 504, None)),
            value("344 bit up (module guide)", |c| largest(c, 344, None)),
            value("256 bit up (module guide)", |c| largest(c, 256, None)),
            value("344 bit up, 344 down", |c| largest(c, 344, Some(344))),
            value("256 bit up, 256 down", |c| largest(c, 256, Some(256))),
        ],
    },
    Candidate {
        name: "RLC polls",
        values: &[
            value("with the last PDU", |_| {}),
            value("with each PDU", |c| c.connection.rlc.polls = Polls::Each),
        ],
    },
    Candidate {
        name: "connected DRX",
        values: &[
            value("none", |_| {}),
            value("256 ms, on 4 PP, timer 1 PP (Nokia)", |c| drx(c, 256, 1)),
            value("2.048 s, timer 4 PP (Barcelona)", |c| drx(c, 2048, 4)),
            value("2.048 s, timer 16 PP (Barcelona)", |c| drx(c, 2048, 16)),
        ],
    },
];

/// The network of a choice: an inactivity timer of 20 s, no power saving mode.
pub(super) fn network(choice: &Choice, coupling_loss_db: f64) -> NetworkConfig {
    let mut config = super::config(coupling_loss_db, NetworkTime::MOST);
    for (candidate, value) in CANDIDATES.iter().zip(choice) {
        (candidate.values[*value].apply)(&mut config);
    }
    assert_eq!(config.check(), Ok(()), "{choice:?}");
    config
}

fn preambles(
    config: &mut NetworkConfig,
    periods_ms: [u16; 3],
    starts_ms: [u16; 3],
    offsets: [u8; 3],
    repetitions: [u16; 3],
) {
    for (number, level) in config.levels.iter_mut().enumerate() {
        level.nprach.period_ms = periods_ms[number];
        level.nprach.start_ms = starts_ms[number];
        level.nprach.tone_offset = offsets[number];
        level.nprach.repetitions = repetitions[number];
        level.early_data = None;
    }
}

fn spaces(config: &mut NetworkConfig, rmax: [u16; 3], offsets: [u8; 3]) {
    for (number, level) in config.levels.iter_mut().enumerate() {
        let space = SearchSpaceConfig {
            rmax: rmax[number],
            g: 2.0,
            offset_eighths: offsets[number],
        };
        if let LinkAdaptation::Adaptive(sets) = &mut level.link_adaptation {
            sets.dci_repetitions = space.dci_repetitions();
        }
        level.random_access_search_space = space.clone();
        level.user_search_space = space;
    }
}

fn user_g(config: &mut NetworkConfig, g: f64) {
    for level in &mut config.levels {
        level.user_search_space.g = g;
    }
}

fn largest(config: &mut NetworkConfig, uplink_bits: u16, downlink_bits: Option<u16>) {
    let largest = &mut config.connection.largest_block;
    largest.uplink_bits = Some(uplink_bits);
    largest.downlink_bits = downlink_bits;
}

fn drx(config: &mut NetworkConfig, cycle_subframes: u16, inactivity_pp: u8) {
    for level in &mut config.levels {
        level.connected_drx = Some(ConnectedDrx {
            on_duration_pp: 4,
            inactivity_pp,
            cycle_subframes,
        });
    }
}
