use super::*;

/// The two carriers of the hand-calculated time lines of a single device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldenCarrier {
    /// 35 dBm in-band: many downlink repetitions.
    InBand35,
    /// 46 dBm standalone: few downlink repetitions.
    Standalone46,
}

impl NetworkConfig {
    /// Returns the network of the hand-calculated time lines, with a device of this coverage level.
    ///
    /// It has fixed formats, no errors, and no effect that the calculation leaves out.
    ///
    /// # Panics
    ///
    /// If the level is not 0, 1 or 2.
    #[must_use]
    pub fn golden_timeline(carrier: GoldenCarrier, level: usize, procedure: Procedure) -> Self {
        let levels = golden_levels(carrier);
        let carrier = match carrier {
            GoldenCarrier::InBand35 => Carrier {
                mode: CarrierMode::InBand { control_symbols: 3 },
                ..standalone(35.0)
            },
            GoldenCarrier::Standalone46 => standalone(46.0),
        };
        Self {
            placement: Placement::StatedCouplingLoss {
                cells: 1,
                coupling_loss_db: [139.0, 149.0, 159.0][level],
            },
            rsrp_thresholds_dbm: thresholds(&carrier),
            carrier,
            levels: levels.to_vec(),
            channel: RadioChannel {
                fading: Fading::None,
                interference_cut_off_below_noise_db: None,
                measurement_error_db: 0.0,
                ..channel()
            },
            uplink: Uplink {
                tones: vec![1],
                ..uplink()
            },
            connection: connection(procedure),
            give_up_ms: 600_000,
            switches: Switches::HAND_CALCULATION,
            ..base()
        }
    }
}

/// One fixed format a level, by the hand calculation. It does not say where preambles and search spaces start, nor G of
/// the search spaces; these are the values with which its rules give its means.
fn golden_levels(carrier: GoldenCarrier) -> [CoverageLevel; 3] {
    let (rmax, g, offset_eighths, dci, npdsch_i_tbs, npdsch) = match carrier {
        GoldenCarrier::InBand35 => (
            [8, 64, 512],
            [2.0, 1.5, 1.5],
            [3, 0, 0],
            [1, 16, 128],
            [8, 4, 0],
            [1, 8, 32],
        ),
        GoldenCarrier::Standalone46 => (
            [8, 16, 64],
            [2.0, 2.0, 1.5],
            [3, 0, 0],
            [1, 2, 16],
            [8, 4, 4],
            [1, 2, 16],
        ),
    };
    [0, 1, 2].map(|number| {
        let search_space = SearchSpaceConfig {
            offset_eighths: offset_eighths[number],
            ..space(rmax[number], g[number])
        };
        let uplink_repetitions = [1, 4, 16][number];
        CoverageLevel {
            nprach: Nprach {
                start_ms: [64, 32, 256][number],
                ..nprach(number)
            },
            random_access_search_space: search_space.clone(),
            response_window_pp: [10, 8, 10][number],
            contention_resolution_pp: 32,
            synchronisation_ms: SYNCHRONISATION_MS[number],
            random_access_formats: RandomAccessFormats {
                dci_repetitions: dci[number],
                npdsch_i_tbs: npdsch_i_tbs[number],
                npdsch_repetitions: npdsch[number],
                msg3_mcs: [2, 2, 0][number],
                msg3_tones: 1,
                msg3_repetitions: uplink_repetitions,
                ack_repetitions: uplink_repetitions,
            },
            user_search_space: search_space,
            link_adaptation: LinkAdaptation::Fixed(DedicatedFormats {
                dci_repetitions: dci[number],
                npdsch_i_tbs: npdsch_i_tbs[number],
                npdsch_repetitions: npdsch[number],
                npusch_tones: 1,
                npusch_i_tbs: [8, 3, 0][number],
                npusch_repetitions: uplink_repetitions,
                ack_repetitions: uplink_repetitions,
            }),
            connected_drx: None,
            early_data: Some(early_data(number)),
        }
    })
}
