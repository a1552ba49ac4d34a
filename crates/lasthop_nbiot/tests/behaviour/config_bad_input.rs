use lasthop_nbiot::config::*;

/// A change that makes a good configuration bad, the field that must be named, and a part of the problem.
type BadInput = (fn(&mut NetworkConfig), &'static str, &'static str);

fn fixed(config: &mut NetworkConfig, level: usize) -> &mut DedicatedFormats {
    match &mut config.levels[level].link_adaptation {
        LinkAdaptation::Fixed(formats) => formats,
        LinkAdaptation::Adaptive(_) => unreachable!("the golden configuration is fixed"),
    }
}

fn adaptive(config: &mut NetworkConfig, level: usize) -> &mut AdaptationSets {
    match &mut config.levels[level].link_adaptation {
        LinkAdaptation::Adaptive(sets) => sets,
        LinkAdaptation::Fixed(_) => unreachable!("the preset adapts"),
    }
}

fn early_data(config: &mut NetworkConfig, level: usize) -> &mut EarlyData {
    let early_data = config.levels[level].early_data.as_mut();
    early_data.expect("every level of the presets has resources")
}

fn deployment(config: &mut NetworkConfig) -> &mut Deployment {
    match &mut config.placement {
        Placement::Deployment(deployment) => deployment,
        Placement::StatedCouplingLoss { .. } => unreachable!("the preset has sites"),
    }
}

fn assert_all_bad(good: &NetworkConfig, cases: &[BadInput]) {
    assert_eq!(good.check(), Ok(()));
    for (change, field, problem) in cases {
        let mut config = good.clone();
        change(&mut config);
        let error = config.check().expect_err(field);
        assert_eq!(error.field, *field, "{error}");
        assert!(error.problem.contains(problem), "{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
}

#[test]
fn values_outside_the_sets_name_field_and_table() {
    let cases: &[BadInput] = &[
        (
            |c| c.levels[1].nprach.period_ms = 3,
            "levels[1].nprach.period_ms",
            "is 3 ms; TS 36.331 nprach-Periodicity allows 40, 80, 160, 240, 320, 640, 1280, 2560 ms",
        ),
        (
            |c| c.levels[0].nprach.repetitions = 3,
            "levels[0].nprach.repetitions",
            "numRepetitionsPerPreambleAttempt",
        ),
        (
            |c| c.levels[0].nprach.start_ms = 0,
            "levels[0].nprach.start_ms",
            "nprach-StartTime",
        ),
        (
            |c| c.levels[0].nprach.tones = 13,
            "levels[0].nprach.tones",
            "nprach-NumSubcarriers",
        ),
        (
            |c| c.levels[0].nprach.tone_offset = 6,
            "levels[0].nprach.tone_offset",
            "nprach-SubcarrierOffset",
        ),
        (
            |c| c.levels[0].nprach.tones = 24,
            "levels[0].nprach.tone_offset",
            "choose at most 24",
        ),
        (
            |c| c.levels[0].nprach.attempts = 9,
            "levels[0].nprach.attempts",
            "maxNumPreambleAttemptCE",
        ),
        (
            |c| c.levels[0].nprach.multi_tone_msg3_thirds = 4,
            "levels[0].nprach.multi_tone_msg3_thirds",
            "nprach-SubcarrierMSG3-RangeStart",
        ),
        (
            |c| c.levels[2].nprach.period_ms = 160,
            "levels[2].nprach.period_ms",
            "shorter than 32 repetitions of the preamble (180 ms",
        ),
        (
            |c| c.levels[1].nprach.tone_offset = 36,
            "levels[1].nprach.tone_offset",
            "meet those of level 0",
        ),
        (
            |c| c.levels[0].random_access_search_space.rmax = 6,
            "levels[0].random_access_search_space.rmax",
            "npdcch-NumRepetitions",
        ),
        (
            |c| c.levels[0].random_access_search_space.g = 3.0,
            "levels[0].random_access_search_space.g",
            "npdcch-StartSF-CSS-RA",
        ),
        (
            |c| c.levels[0].random_access_search_space.g = 96.0,
            "levels[0].random_access_search_space.g",
            "npdcch-StartSF-CSS-RA",
        ),
        (
            |c| {
                c.levels[0].user_search_space = SearchSpaceConfig {
                    rmax: 2,
                    g: 1.5,
                    offset_eighths: 0,
                }
            },
            "levels[0].user_search_space.g",
            "TS 36.213 section 16.6 wants Rmax times G of 4 or more",
        ),
        (
            |c| c.levels[0].user_search_space.offset_eighths = 4,
            "levels[0].user_search_space.offset_eighths",
            "npdcch-Offset",
        ),
        (
            |c| c.levels[0].response_window_pp = 9,
            "levels[0].response_window_pp",
            "ra-ResponseWindowSize",
        ),
        (
            |c| c.levels[0].contention_resolution_pp = 5,
            "levels[0].contention_resolution_pp",
            "mac-ContentionResolutionTimer",
        ),
        (
            |c| c.levels[1].random_access_formats.dci_repetitions = 1,
            "levels[1].random_access_formats.dci_repetitions",
            "TS 36.213 table 16.6-1 at Rmax 16 allows 2, 4, 8, 16",
        ),
        (
            |c| c.levels[1].random_access_formats.npdsch_repetitions = 100,
            "levels[1].random_access_formats.npdsch_repetitions",
            "TS 36.213 table 16.4.1.3-2",
        ),
        (
            |c| c.levels[1].random_access_formats.msg3_mcs = 3,
            "levels[1].random_access_formats.msg3_mcs",
            "table 16.3.3-1",
        ),
        (
            |c| c.levels[1].random_access_formats.msg3_tones = 2,
            "levels[1].random_access_formats.msg3_tones",
            "table 10.1.2.3-1",
        ),
        (
            |c| c.levels[1].random_access_formats.msg3_repetitions = 256,
            "levels[1].random_access_formats.msg3_repetitions",
            "table 16.5.1.1-3",
        ),
        (
            |c| c.levels[1].random_access_formats.ack_repetitions = 0,
            "levels[1].random_access_formats.ack_repetitions",
            "ack-NACK-NumRepetitions-Msg4",
        ),
        (
            |c| adaptive(c, 0).npusch_repetitions.push(5),
            "levels[0].link_adaptation.adaptive.npusch_repetitions",
            "is 5;",
        ),
        (
            |c| adaptive(c, 0).npdsch_repetitions.clear(),
            "levels[0].link_adaptation.adaptive.npdsch_repetitions",
            "is empty",
        ),
        (
            |c| adaptive(c, 0).npdsch_i_tbs.push(13),
            "levels[0].link_adaptation.adaptive.npdsch_i_tbs",
            "for Cat NB1",
        ),
        (
            |c| adaptive(c, 0).npusch_i_tbs = vec![11, 12],
            "levels[0].link_adaptation.adaptive.npusch_i_tbs",
            "on a single tone",
        ),
        (
            |c| adaptive(c, 0).target_block_error = 0.0,
            "levels[0].link_adaptation.adaptive.target_block_error",
            "0.001 to 0.5",
        ),
        (
            |c| {
                c.levels[0].connected_drx = Some(ConnectedDrx {
                    on_duration_pp: 5,
                    inactivity_pp: 8,
                    cycle_subframes: 512,
                });
            },
            "levels[0].connected_drx.on_duration_pp",
            "onDurationTimer",
        ),
        (
            |c| {
                c.levels[0].connected_drx = Some(ConnectedDrx {
                    on_duration_pp: 4,
                    inactivity_pp: 8,
                    cycle_subframes: 500,
                });
            },
            "levels[0].connected_drx.cycle_subframes",
            "drx-Cycle",
        ),
        (
            |c| c.subframes.sib1_repetitions = 5,
            "subframes.sib1_repetitions",
            "table 16.4.1.3-3",
        ),
        (
            |c| c.subframes.system_information[0].transport_block_bits = 441,
            "subframes.system_information[0].transport_block_bits",
            "si-TB allows 56, 120, 208, 256, 328, 440, 552, 680 bit",
        ),
        (
            |c| c.subframes.system_information[0].periodicity_frames = 100,
            "subframes.system_information[0].periodicity_frames",
            "si-Periodicity",
        ),
        (
            |c| c.subframes.system_information[0].every_frames = 3,
            "subframes.system_information[0].every_frames",
            "si-RepetitionPattern",
        ),
        (
            |c| {
                c.subframes.si_window_ms = 1600;
                c.subframes.system_information[0].periodicity_frames = 128;
            },
            "subframes.system_information[0].periodicity_frames",
            "ends in frame 160",
        ),
        (
            |c| c.subframes.si_window_ms = 100,
            "subframes.si_window_ms",
            "si-WindowLength",
        ),
        (
            |c| c.subframes.si_radio_frame_offset = 16,
            "subframes.si_radio_frame_offset",
            "si-RadioFrameOffset",
        ),
        (
            |c| c.subframes.downlink_gap.as_mut().unwrap().threshold_rmax = 16,
            "subframes.downlink_gap.threshold_rmax",
            "dl-GapThreshold",
        ),
        (
            |c| c.subframes.downlink_gap.as_mut().unwrap().period_subframes = 100,
            "subframes.downlink_gap.period_subframes",
            "dl-GapPeriodicity",
        ),
        (
            |c| c.subframes.downlink_gap.as_mut().unwrap().duration_eighths = 5,
            "subframes.downlink_gap.duration_eighths",
            "dl-GapDurationCoeff",
        ),
        (
            |c| c.random_access.preamble_attempts = 9,
            "random_access.preamble_attempts",
            "preambleTransMax-CE",
        ),
        (
            |c| c.random_access.back_off_ms = 100,
            "random_access.back_off_ms",
            "TS 36.321 table 7.2-2",
        ),
        (
            |c| c.random_access.msg3_capture_db = -1.0,
            "random_access.msg3_capture_db",
            "0 to 60 dB",
        ),
        (
            |c| c.device_power.maximum_dbm = 30.0,
            "device_power.maximum_dbm",
            "TS 36.101 section 6.2.2F",
        ),
        (
            |c| c.device_power.alpha = 0.3,
            "device_power.alpha",
            "TS 36.331 alpha",
        ),
        (
            |c| c.device_power.p0_nominal_npusch_dbm = -127.0,
            "device_power.p0_nominal_npusch_dbm",
            "p0-NominalNPUSCH",
        ),
        (
            |c| c.device_power.preamble_target_dbm = -103.0,
            "device_power.preamble_target_dbm",
            "preambleInitialReceivedTargetPower",
        ),
        (
            |c| c.device_power.ramping_step_db = 1.0,
            "device_power.ramping_step_db",
            "powerRampingStep",
        ),
        (
            |c| {
                c.random_access.reject = Some(ConnectionReject {
                    above_waiting: 5,
                    wait_s: 0,
                });
            },
            "random_access.reject.wait_s",
            "TS 36.331 extendedWaitTime",
        ),
        (
            |c| {
                c.random_access.reject = Some(ConnectionReject {
                    above_waiting: 5,
                    wait_s: 1801,
                });
            },
            "random_access.reject.wait_s",
            "1 to 1800 s",
        ),
        (
            |c| {
                c.random_access.access_barring = Some(AccessBarring {
                    barred_classes: 11,
                    moves_on_ms: 10_000,
                });
            },
            "random_access.access_barring.barred_classes",
            "TS 36.331 ab-BarringBitmap",
        ),
        (
            |c| {
                c.random_access.access_barring = Some(AccessBarring {
                    barred_classes: 5,
                    moves_on_ms: 0,
                });
            },
            "random_access.access_barring.moves_on_ms",
            "2560 to 86400000 ms",
        ),
        (
            |c| {
                c.connection.reestablishment = Some(Reestablishment {
                    t311_ms: 2000,
                    t301_ms: 25_000,
                });
            },
            "connection.reestablishment.t311_ms",
            "TS 36.331 t311",
        ),
        (
            |c| {
                c.connection.reestablishment = Some(Reestablishment {
                    t311_ms: 3000,
                    t301_ms: 2000,
                });
            },
            "connection.reestablishment.t301_ms",
            "TS 36.331 t301",
        ),
        (
            |c| {
                c.connection.reestablishment = Some(Reestablishment {
                    t311_ms: 1000,
                    t301_ms: 25_000,
                });
            },
            "connection.reestablishment.t311_ms",
            "shorter than the synchronisation of a coverage level, 1125 ms",
        ),
        (
            |c| {
                c.connection.procedure = Procedure::ControlPlane;
                c.connection.reestablishment = Some(Reestablishment {
                    t311_ms: 3000,
                    t301_ms: 25_000,
                });
            },
            "connection.reestablishment",
            "TS 36.331 section 5.3.7.1",
        ),
        (
            |c| c.carrier.nrs_ports = 3,
            "carrier.nrs_ports",
            "TS 36.211 section 10.2.6",
        ),
        (
            |c| c.carrier.downlink_power_dbm = f64::NAN,
            "carrier.downlink_power_dbm",
            "is NaN dBm",
        ),
        (
            |c| c.carrier.mode = CarrierMode::InBand { control_symbols: 4 },
            "carrier.mode.in_band.control_symbols",
            "eutraControlRegionSize",
        ),
        (
            |c| c.carrier.base_station_receive_antennas = 3,
            "carrier.base_station_receive_antennas",
            "1, 2, 4",
        ),
        (
            |c| c.channel.estimation_window_ms = 3,
            "channel.estimation_window_ms",
            "1, 2, 4, 8, 16 ms",
        ),
        (
            |c| c.channel.estimation_window_15_khz_ms = EstimationWindow::ByLevel([4, 4, 32]),
            "channel.estimation_window_15_khz_ms",
            "1, 2, 4, 8, 16 ms",
        ),
        (
            |c| {
                c.non_anchor_carriers = Some(NonAnchorCarriers {
                    count: 16,
                    anchor_sixteenths: 4,
                    serve: CarrierUse::Everything,
                });
            },
            "non_anchor_carriers.count",
            "TS 36.331 maxNonAnchorCarriers-NB",
        ),
        (
            |c| {
                c.non_anchor_carriers = Some(NonAnchorCarriers {
                    count: 0,
                    anchor_sixteenths: 4,
                    serve: CarrierUse::Everything,
                });
            },
            "non_anchor_carriers.count",
            "1 to 15 carriers",
        ),
        (
            |c| {
                c.non_anchor_carriers = Some(NonAnchorCarriers {
                    count: 1,
                    anchor_sixteenths: 16,
                    serve: CarrierUse::Everything,
                });
            },
            "non_anchor_carriers.anchor_sixteenths",
            "TS 36.331 nprach-ProbabilityAnchor",
        ),
        (
            |c| {
                c.idle.wake_up_signal = Some(WakeUpSignal {
                    duration_divisor: 3,
                    time_offset_ms: 40,
                });
            },
            "idle.wake_up_signal.duration_divisor",
            "TS 36.331 maxDurationFactor",
        ),
        (
            |c| {
                c.idle.wake_up_signal = Some(WakeUpSignal {
                    duration_divisor: 4,
                    time_offset_ms: 50,
                });
            },
            "idle.wake_up_signal.time_offset_ms",
            "40, 80, 160, 240 ms",
        ),
        (
            |c| c.channel.frequency_offset_hz = -1.0,
            "channel.frequency_offset_hz",
            "0 to 200 Hz",
        ),
        (
            |c| c.channel.silence_as_acknowledgement = Some(0.5),
            "channel.silence_as_acknowledgement",
            "TS 36.104 section 8.5.2",
        ),
        (
            |c| c.channel.fading = Fading::Rayleigh { doppler_hz: 0.0 },
            "channel.fading.doppler_hz",
            "0.01 to 300 Hz",
        ),
        (
            |c| c.channel.measurement_error_db = -1.0,
            "channel.measurement_error_db",
            "0 to 10 dB",
        ),
        (
            |c| c.uplink.tones = vec![2],
            "uplink.tones",
            "table 10.1.2.3-1",
        ),
        (
            |c| c.uplink.subcarrier_spacing = SubcarrierSpacing::Khz3_75,
            "uplink.tones",
            "is 3; TS 36.211 table 10.1.2.3-1 at this spacing allows 1",
        ),
        (
            |c| c.connection.harq_processes = 2,
            "connection.harq_processes",
            "twoHARQ-ProcessesConfig for Cat NB1",
        ),
        (
            |c| c.connection.harq_transmissions = 0,
            "connection.harq_transmissions",
            "1 to 32",
        ),
        (
            |c| c.connection.t300_ms = 1000,
            "connection.t300_ms",
            "TS 36.331 t300",
        ),
        (
            |c| c.connection.rlc.t_poll_retransmit_ms = 100,
            "connection.rlc.t_poll_retransmit_ms",
            "t-PollRetransmit",
        ),
        (
            |c| c.connection.rlc.maximum_retransmissions = 5,
            "connection.rlc.maximum_retransmissions",
            "maxRetxThreshold",
        ),
        (
            |c| c.connection.early_data_bits = Some(1000),
            "connection.early_data_bits",
            "resume or control_plane",
        ),
        (
            |c| {
                c.connection.procedure = Procedure::Resume;
                c.connection.early_data_bits = Some(1001);
            },
            "connection.early_data_bits",
            "TS 36.331 edt-TBS",
        ),
        (
            |c| early_data(c, 1).bits = Some(500),
            "levels[1].early_data.bits",
            "TS 36.331 edt-TBS allows 328, 408, 504, 584, 680, 808, 936, 1000 bit",
        ),
        (
            |c| early_data(c, 1).nprach.repetitions = 3,
            "levels[1].early_data.nprach.repetitions",
            "numRepetitionsPerPreambleAttempt",
        ),
        (
            |c| early_data(c, 0).contention_resolution_pp = 5,
            "levels[0].early_data.contention_resolution_pp",
            "mac-ContentionResolutionTimer-r15 allows 1, 2, 3, 4, 8, 16, 32, 64",
        ),
        (
            |c| {
                c.connection.procedure = Procedure::Resume;
                c.connection.early_data_bits = Some(1000);
                c.levels[2].random_access_formats.msg3_repetitions = 128;
            },
            "connection.early_data_bits",
            "is 1000 bit, for which the 128 repetitions of TS 36.213 table 16.5.1.1-3 are too few in level 2",
        ),
        (
            |c| {
                c.connection.procedure = Procedure::Resume;
                c.connection.early_data_bits = Some(328);
                early_data(c, 2).bits = Some(1000);
                c.levels[2].random_access_formats.msg3_repetitions = 128;
            },
            "levels[2].early_data.bits",
            "no row of table 16.5.1.2-2 is as robust as its Msg3",
        ),
        (
            |c| {
                c.connection.procedure = Procedure::ControlPlane;
                c.connection.early_data_bits = Some(328);
                early_data(c, 1).nprach.start_ms = 64;
            },
            "levels[1].early_data.nprach.tone_offset",
            "meet those of level 1 (TS 36.211 section 10.1.6)",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    t3402_ms: 0,
                    ..Attach::usual()
                });
            },
            "idle.attach.t3402_ms",
            "TS 24.008 table 10.5.172 allows 1 to 31 times 2 s, 1 min or 6 min",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    t3402_ms: 46_800_000,
                    ..Attach::usual()
                });
            },
            "idle.attach.t3402_ms",
            "is 46800000 ms",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    q_rx_lev_min_dbm: -42.0,
                    ..Attach::usual()
                });
            },
            "idle.attach.q_rx_lev_min_dbm",
            "TS 36.331 Q-RxLevMin allows even numbers from -140 to -44 dBm",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    q_rx_lev_min_dbm: f64::NAN,
                    ..Attach::usual()
                });
            },
            "idle.attach.q_rx_lev_min_dbm",
            "TS 36.331",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    sib1_bits: 256,
                    ..Attach::usual()
                });
            },
            "idle.attach.sib1_bits",
            "allows 208, 328, 440, 680 bit",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    failed_search_ms: 0,
                    ..Attach::usual()
                });
            },
            "idle.attach.failed_search_ms",
            "allows 1 to 3600000 ms",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    search_waits_ms: Vec::new(),
                    ..Attach::usual()
                });
            },
            "idle.attach.search_waits_ms",
            "name at least one wait",
        ),
        (
            |c| {
                c.idle.attach = Some(Attach {
                    search_waits_ms: vec![1000, 0],
                    ..Attach::usual()
                });
            },
            "idle.attach.search_waits_ms",
            "allows 1 to 604800000 ms",
        ),
        (
            |c| c.idle.drx_cycle_frames = 32,
            "idle.drx_cycle_frames",
            "defaultPagingCycle",
        ),
        (
            |c| c.idle.paging_rmax = 3,
            "idle.paging_rmax",
            "npdcch-NumRepetitionPaging",
        ),
        (
            |c| {
                c.idle.extended_drx = Some(ExtendedDrx {
                    cycle_ms: 30_000,
                    paging_time_window_ms: 2560,
                });
            },
            "idle.extended_drx.cycle_ms",
            "TS 24.008 table 10.5.5.32",
        ),
        (
            |c| {
                c.idle.extended_drx = Some(ExtendedDrx {
                    cycle_ms: 20_480,
                    paging_time_window_ms: 20_480,
                });
            },
            "idle.extended_drx.paging_time_window_ms",
            "no shorter than the cycle",
        ),
        (
            |c| {
                c.idle.drx_cycle_frames = 1024;
                c.idle.extended_drx = Some(ExtendedDrx {
                    cycle_ms: 20_480,
                    paging_time_window_ms: 7_680,
                });
            },
            "idle.extended_drx.paging_time_window_ms",
            "choose at least 10240 ms, or a shorter DRX cycle",
        ),
        (
            |c| {
                c.idle.power_saving_mode = Some(PowerSavingMode {
                    t3324_ms: 3_500,
                    t3412_ms: 2_000,
                });
            },
            "idle.power_saving_mode.t3324_ms",
            "TS 24.008 table 10.5.163",
        ),
        (
            |c| {
                c.idle.power_saving_mode = Some(PowerSavingMode {
                    t3324_ms: 0,
                    t3412_ms: 0,
                });
            },
            "idle.power_saving_mode.t3412_ms",
            "TS 24.008 table 10.5.163a",
        ),
        (|c| c.give_up_ms = 0, "give_up_ms", "1 to 86400000 ms"),
        (|c| c.core_delay_ms = -1.0, "core_delay_ms", "0 to 60000 ms"),
        (
            |c| c.idle.clock_ppm = -1.0,
            "idle.clock_ppm",
            "0 to 1000 ppm",
        ),
        (
            |c| c.idle.cell_search_ms = 3_600_001,
            "idle.cell_search_ms",
            "0 to 3600000 ms",
        ),
        (
            |c| c.levels[2].synchronisation_ms = 60_001,
            "levels[2].synchronisation_ms",
            "0 to 60000 ms",
        ),
    ];
    assert_all_bad(&NetworkConfig::larmo_2019(), cases);
}

#[test]
fn no_part_of_the_network_takes_longer_than_the_timers_that_wait_for_it() {
    let cases: &[BadInput] = &[
        (
            |c| c.network.user_plane_ms = 60_001,
            "network.user_plane_ms",
            "0 to 60000 ms",
        ),
        (
            |c| c.network.module.send_ms = 60_001,
            "network.module.send_ms",
            "0 to 60000 ms",
        ),
        (
            |c| c.network.mme_ms = 5_000,
            "network.mme_ms",
            "TS 24.301 section 10.2 T3417 waits 5000 ms",
        ),
        (
            |c| c.network.device_rrc_ms = 5_000,
            "network.device_rrc_ms",
            "TS 24.301 section 10.2 T3417 waits 5000 ms",
        ),
        (
            |c| {
                c.network.device_rrc_ms = 4_900;
                c.network.gateway_ms = 300;
            },
            "network.device_rrc_ms",
            "an attach take 15000 ms; TS 24.301 section 10.2 T3410 waits 15000 ms",
        ),
        (
            |c| {
                c.network.mme_ms = 4_000;
                c.network.subscriber_data_ms = 1_500;
            },
            "network.mme_ms",
            "an attach take 15000 ms; TS 24.301 section 10.2 T3410 waits 15000 ms",
        ),
        (
            |c| c.network.scheduler_ms = 160,
            "network.scheduler_ms",
            "TS 36.321 section 5.1.4 ra-ResponseWindowSize is 160 ms",
        ),
        (
            |c| c.network.base_station_ms = 512,
            "network.base_station_ms",
            "TS 36.321 section 5.1.5 mac-ContentionResolutionTimer is 512 ms",
        ),
        (
            |c| {
                c.network.base_station_ms = 2_499;
                c.network.scheduler_ms = 1;
                c.connection.t300_ms = 2_500;
                for level in &mut c.levels {
                    level.random_access_search_space.g = 32.0;
                    level.contention_resolution_pp = 64;
                }
            },
            "network.base_station_ms",
            "TS 36.331 section 7.3 t300 is 2500 ms",
        ),
        (
            |c| {
                c.network.mme_ms = 512;
                c.connection.procedure = Procedure::Resume;
                c.connection.early_data_bits = Some(1000);
            },
            "network.mme_ms",
            "TS 36.331 mac-ContentionResolutionTimer-r15 is 512 ms",
        ),
    ];
    assert_all_bad(&NetworkConfig::larmo_2019(), cases);
}

#[test]
fn levels_and_thresholds_must_fit_each_other() {
    let cases: &[BadInput] = &[
        (
            |c| c.levels.clear(),
            "levels",
            "has 0 coverage levels; TS 36.331 nprach-ParametersList allows 1, 2 or 3",
        ),
        (
            |c| c.levels.push(c.levels[2].clone()),
            "levels",
            "has 4 coverage levels",
        ),
        (
            |c| c.levels.truncate(2),
            "rsrp_thresholds_dbm",
            "has 2 thresholds for 2 coverage levels",
        ),
        (
            |c| c.rsrp_thresholds_dbm.reverse(),
            "rsrp_thresholds_dbm",
            "must descend",
        ),
        (
            |c| c.rsrp_thresholds_dbm = vec![-110.0; 2],
            "rsrp_thresholds_dbm",
            "goes from -110 to -110 dBm",
        ),
        (
            |c| c.rsrp_thresholds_dbm[1] = -141.0,
            "rsrp_thresholds_dbm",
            "TS 36.331 RSRP-Range allows -140.5 to -43.5 dBm",
        ),
    ];
    assert_all_bad(&NetworkConfig::larmo_2019(), cases);
}

#[test]
fn a_deployment_has_1_to_84_cells_that_tile_the_plane() {
    let cases: &[BadInput] = &[
        (
            |c| deployment(c).cells = 0,
            "placement.deployment.cells",
            "is 0 cells; the deployment table (sites of 3 sectors) allows 1 to 84 cells",
        ),
        (
            |c| deployment(c).cells = 85,
            "placement.deployment.cells",
            "allows 1 to 84 cells",
        ),
        (
            |c| deployment(c).cells = 15,
            "placement.deployment.wrap_around",
            "wraps around 15 cells",
        ),
        (
            |c| deployment(c).cells = 20,
            "placement.deployment.wrap_around",
            "wraps around 20 cells",
        ),
        (
            |c| deployment(c).inter_site_distance_m = 0.0,
            "placement.deployment.inter_site_distance_m",
            "50 to 100000 m",
        ),
        (
            |c| deployment(c).shadowing.site_correlation = 1.1,
            "placement.deployment.shadowing.site_correlation",
            "0 to 1",
        ),
        (
            |c| {
                c.placement = Placement::StatedCouplingLoss {
                    cells: 1,
                    coupling_loss_db: 200.0,
                }
            },
            "placement.stated_coupling_loss.coupling_loss_db",
            "is 200 dB; the range of the link tables",
        ),
        (
            |c| {
                c.placement = Placement::StatedCouplingLoss {
                    cells: 85,
                    coupling_loss_db: 144.0,
                }
            },
            "placement.stated_coupling_loss.cells",
            "allows 1 to 84 cells",
        ),
    ];
    assert_all_bad(&NetworkConfig::larmo_2019(), cases);
    for cells in [3, 9, 12, 21, 27, 36, 39, 48, 57, 63, 75, 81, 84] {
        let mut config = NetworkConfig::larmo_2019();
        deployment(&mut config).cells = cells;
        assert_eq!(config.check(), Ok(()), "{cells} cells");
    }
}

#[test]
fn a_fixed_format_must_have_a_transport_block() {
    let good = NetworkConfig::golden_timeline(GoldenCarrier::InBand35, 0, Procedure::Resume);
    let cases: &[BadInput] = &[
        (
            |c| fixed(c, 0).npdsch_i_tbs = 11,
            "levels[0].link_adaptation.fixed.npdsch_i_tbs",
            "table 16.4.1.5.1-1 in-band",
        ),
        (
            |c| fixed(c, 0).npusch_i_tbs = 11,
            "levels[0].link_adaptation.fixed.npusch_i_tbs",
            "on a single tone",
        ),
        (
            |c| fixed(c, 0).npusch_tones = 3,
            "levels[0].link_adaptation.fixed.npusch_tones",
            "uplink.tones allows 1 tones",
        ),
        (
            |c| fixed(c, 2).dci_repetitions = 32,
            "levels[2].link_adaptation.fixed.dci_repetitions",
            "at Rmax 512 allows 64, 128, 256, 512",
        ),
        (
            |c| fixed(c, 2).ack_repetitions = 3,
            "levels[2].link_adaptation.fixed.ack_repetitions",
            "ack-NACK-NumRepetitions",
        ),
    ];
    assert_all_bad(&good, cases);
}

#[test]
fn settings_of_cells_name_cells_that_there_are_and_each_once() {
    let mut good = NetworkConfig::larmo_2019();
    let own = CellSettings {
        cells: vec![0, 20],
        rsrp_thresholds_dbm: good.rsrp_thresholds_dbm.clone(),
        levels: good.levels.clone(),
        non_anchor_carriers: None,
    };
    good.cell_settings = vec![
        own.clone(),
        CellSettings {
            cells: vec![7],
            ..own
        },
    ];
    let cases: &[BadInput] = &[
        (
            |c| c.cell_settings[0].cells = vec![21],
            "cell_settings[0].cells",
            "has cell 21; there are 21, counted from 0, so choose at most 20",
        ),
        (
            |c| c.cell_settings[1].cells = vec![3, 20],
            "cell_settings[1].cells",
            "has cell 20, which has settings already; name each cell once",
        ),
        (
            |c| c.cell_settings[1].cells.clear(),
            "cell_settings[1].cells",
            "names no cell; write those that it is for",
        ),
        (
            |c| c.cell_settings[1].levels[1].nprach.period_ms = 3,
            "cell_settings[1].levels[1].nprach.period_ms",
            "nprach-Periodicity",
        ),
        (
            |c| c.cell_settings[0].rsrp_thresholds_dbm.clear(),
            "cell_settings[0].rsrp_thresholds_dbm",
            "has 0 thresholds for 3 coverage levels",
        ),
        (
            |c| {
                c.cell_settings[0].non_anchor_carriers = Some(NonAnchorCarriers {
                    count: 12,
                    anchor_sixteenths: 0,
                    serve: CarrierUse::Everything,
                });
            },
            "cell_settings[0].non_anchor_carriers.count",
            "choose at most 11",
        ),
    ];
    assert_all_bad(&good, cases);
}
