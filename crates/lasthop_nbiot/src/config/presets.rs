//! Complete network configurations: the presets.
//!
//! Sources: \[SON\] the published configuration of the Sonica base station, \[LENA\] the operator trace of LENA-NB,
//! \[SEED\] Larmo et al., Sensors 2019. `MODEL.md` lists each value.

mod golden;

pub use golden::GoldenCarrier;

use super::*;

impl NetworkConfig {
    /// Returns a network for devices with a stated coupling loss.
    ///
    /// It has a standalone carrier of 43 dBm (TR 45.820) and all effects, but zero processing times.
    #[must_use]
    pub fn single_device(coupling_loss_db: f64) -> Self {
        let carrier = standalone(43.0);
        Self {
            placement: Placement::StatedCouplingLoss {
                cells: 1,
                coupling_loss_db,
            },
            rsrp_thresholds_dbm: thresholds(&carrier),
            levels: adaptive_levels().to_vec(),
            channel: RadioChannel {
                interference_cut_off_below_noise_db: None,
                measurement_error_db: 0.0,
                ..channel()
            },
            carrier,
            connection: connection(Procedure::ServiceRequest),
            idle: Idle {
                power_saving_mode: Some(PowerSavingMode {
                    t3324_ms: 4_000,
                    t3412_ms: 432_000_000,
                }),
                ..idle()
            },
            give_up_ms: 600_000,
            ..base()
        }
    }

    /// Returns [`NetworkConfig::single_device`] with processing times of measured networks.
    ///
    /// A study that names no network uses it.
    #[must_use]
    pub fn measured_single_device(coupling_loss_db: f64) -> Self {
        Self {
            network: NetworkTime::OPERATOR_NORWAY_2019,
            ..Self::single_device(coupling_loss_db)
        }
    }

    /// Returns the network of Larmo et al. as far as the paper specifies it, with 21 cells. `MODEL.md` lists what the
    /// paper leaves open.
    #[must_use]
    pub fn larmo_2019() -> Self {
        base()
    }
}

fn base() -> NetworkConfig {
    let carrier = standalone(46.0);
    NetworkConfig {
        placement: Placement::Deployment(deployment()),
        rsrp_thresholds_dbm: thresholds(&carrier),
        carrier,
        non_anchor_carriers: None,
        cell_settings: Vec::new(),
        device_power: DevicePower {
            maximum_dbm: 23.0,
            p0_nominal_npusch_dbm: -103.0,
            alpha: 1.0,
            preamble_target_dbm: -104.0,
            ramping_step_db: 4.0,
        },
        channel: channel(),
        subframes: SubframeMapConfig {
            sib1_repetitions: 8,
            system_information: vec![SystemInformation {
                transport_block_bits: 440,
                periodicity_frames: 512,
                every_frames: 4,
            }],
            si_window_ms: 160,
            si_radio_frame_offset: 0,
            downlink_gap: Some(DownlinkGap {
                threshold_rmax: 256,
                period_subframes: 256,
                duration_eighths: 4,
            }),
        },
        random_access: RandomAccess {
            nprach_format: NprachFormat::Format0,
            preamble_attempts: 20,
            back_off_ms: 512,
            msg3_capture_db: 6.0,
            reject: None,
            access_barring: None,
        },
        levels: adaptive_levels().to_vec(),
        uplink: uplink(),
        connection: connection(Procedure::ServiceRequest),
        idle: idle(),
        network: NetworkTime::IDEAL,
        core_delay_ms: 4.0,
        give_up_ms: 60_000,
        switches: Switches::REAL,
    }
}

fn standalone(downlink_power_dbm: f64) -> Carrier {
    Carrier {
        mode: CarrierMode::Standalone,
        downlink_power_dbm,
        base_station_noise_figure_db: 3.0,
        device_noise_figure_db: 5.0,
        base_station_receive_antennas: 2,
        nrs_ports: 2,
        device_receive_antennas: 1,
    }
}

/// The levels meet at coupling losses of 144 and 154 dB, where TR 45.820 evaluates.
fn thresholds(carrier: &Carrier) -> Vec<f64> {
    [144.0, 154.0]
        .map(|coupling_loss_db| carrier.rsrp_dbm(coupling_loss_db))
        .to_vec()
}

fn deployment() -> Deployment {
    Deployment {
        cells: 21,
        inter_site_distance_m: 1732.0,
        wrap_around: true,
        path_loss: PathLoss {
            at_1_km_db: 120.9,
            per_decade_db: 37.6,
        },
        shadowing: Shadowing {
            standard_deviation_db: 8.0,
            correlation_distance_m: 110.0,
            site_correlation: 0.5,
        },
        antenna: BaseStationAntenna {
            gain_dbi: 18.0,
            beamwidth_deg: 65.0,
            front_to_back_db: 20.0,
            cable_loss_db: 3.0,
        },
        device_antenna_gain_dbi: -4.0,
        indoor_loss: IndoorLoss::Fixed { loss_db: 20.0 },
        minimum_coupling_loss_db: 70.0,
    }
}

fn channel() -> RadioChannel {
    RadioChannel {
        fading: Fading::Rayleigh { doppler_hz: 1.0 },
        estimation_window_ms: 16,
        estimation_window_15_khz_ms: EstimationWindow::Everywhere(16),
        combining: CombiningWeights::Reliability,
        downlink_estimation: DownlinkEstimation::Window,
        acknowledgement_estimation: AcknowledgementEstimation::Window,
        frequency_offset_hz: 0.0,
        silence_as_acknowledgement: None,
        interference_cut_off_below_noise_db: Some(10.0),
        nprach_detection_margin_db: 2.0,
        measurement_error_db: 4.0,
    }
}

fn uplink() -> Uplink {
    Uplink {
        subcarrier_spacing: SubcarrierSpacing::Khz15,
        tones: vec![1, 3, 6, 12],
    }
}

fn connection(procedure: Procedure) -> Connection {
    Connection {
        procedure,
        early_data_bits: None,
        security: true,
        rohc: false,
        category: DeviceCategory::Nb1,
        harq_processes: 1,
        harq_transmissions: 4,
        grant_after_downlink: true,
        grants: Grants::AsReported,
        largest_block: LargestBlock::OF_THE_TABLES,
        rlc: RlcAcknowledgedMode {
            t_poll_retransmit_ms: 6_000,
            maximum_retransmissions: 4,
            status_on_gap: true,
            polls: Polls::Last,
        },
        t300_ms: 40_000,
        inactivity_ms: 40_000,
        release_assistance: ReleaseAssistance::Off,
        reestablishment: None,
    }
}

fn idle() -> Idle {
    Idle {
        system_information_known: true,
        clock_ppm: 0.0,
        cell_search_ms: 0,
        attach: None,
        drx_cycle_frames: 256,
        paging_rmax: 64,
        wake_up_signal: None,
        extended_drx: None,
        power_saving_mode: None,
    }
}

/// Preambles by \[SON\], tone offsets by \[LENA\]: the lowest three 15 kHz tones stay free of preambles.
fn nprach(level: usize) -> Nprach {
    Nprach {
        period_ms: [160, 640, 2560][level],
        start_ms: 64,
        tones: 12,
        tone_offset: [36, 24, 12][level],
        repetitions: [1, 8, 32][level],
        attempts: 10,
        multi_tone_msg3_thirds: 0,
    }
}

/// The tones of the level, in the second half of its period.
fn early_data(level: usize) -> EarlyData {
    EarlyData {
        bits: None,
        nprach: Nprach {
            start_ms: [128, 256, 1024][level],
            ..nprach(level)
        },
        contention_resolution_pp: 32,
    }
}

const fn space(rmax: u16, g: f64) -> SearchSpaceConfig {
    SearchSpaceConfig {
        rmax,
        g,
        offset_eighths: 0,
    }
}

/// At 144, 154 and 164 dB, of the studies of exception reports (Ratasuk et al. 2016, TR 45.820; from memory).
const SYNCHRONISATION_MS: [u32; 3] = [500, 500, 1125];

/// Light repetitions for a strong carrier, and a choice for each device.
fn adaptive_levels() -> [CoverageLevel; 3] {
    let powers = |to: u16| {
        (0..8)
            .map(|exponent| 1 << exponent)
            .filter(|repetitions| *repetitions <= to)
            .collect::<Vec<u16>>()
    };
    [0, 1, 2].map(|number| {
        let user_search_space = space([8, 16, 64][number], [2.0, 2.0, 1.5][number]);
        let sets = AdaptationSets {
            target_block_error: 0.1,
            dci_repetitions: user_search_space.dci_repetitions(),
            npdsch_i_tbs: (0..=12).collect(),
            npdsch_repetitions: powers([4, 16, 64][number]),
            npusch_i_tbs: (0..=12).collect(),
            npusch_repetitions: powers([4, 16, 128][number]),
            ack_repetitions: powers([4, 16, 64][number]),
        };
        CoverageLevel {
            nprach: nprach(number),
            random_access_search_space: user_search_space.clone(),
            response_window_pp: 10,
            contention_resolution_pp: 32,
            synchronisation_ms: SYNCHRONISATION_MS[number],
            random_access_formats: RandomAccessFormats {
                dci_repetitions: [1, 2, 16][number],
                npdsch_i_tbs: [8, 4, 4][number],
                npdsch_repetitions: [1, 2, 16][number],
                msg3_mcs: [2, 1, 0][number],
                msg3_tones: 1,
                msg3_repetitions: [1, 4, 16][number],
                ack_repetitions: [1, 4, 16][number],
            },
            user_search_space,
            link_adaptation: LinkAdaptation::Adaptive(sets),
            connected_drx: None,
            early_data: Some(early_data(number)),
        }
    })
}
