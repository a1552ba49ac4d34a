"""A radio network that cannot be gets one line: place, fault, and the table of 3GPP."""

from collections.abc import Callable

import pytest

HEAD = """\
study: a
duration: 10 min
traffic: {report: 25 B}
devices: {arrive: 2 /s}
stacks: [raw_udp]
path:
  nbiot:
    base: larmo_2019
"""
FIXED = (
    "{dci_repetitions: 2, npdsch_i_tbs: 4, npdsch_repetitions: 2, npusch_tones: 1, "
    "npusch_i_tbs: 3, npusch_repetitions: 4, ack_repetitions: 4}"
)
CE1 = "coverage_levels: {ce1: "

# Lines below "nbiot:", then the message after "study.yaml:9:"; a star stands for anything.
CASES = {
    "an MME that is slower than the timer of a service request": (
        "network: {mme: 6 s}",
        (
            "20: path.nbiot.network.mme: makes the answers to a service request take 6000 ms; "
            "TS 24.301 section 10.2 T3417 waits 5000 ms, choose less"
        ),
    ),
    "a device that works on a message longer than it waits for its bearer": (
        "network: {device_rrc: 5 s}",
        (
            "27: path.nbiot.network.device_rrc: makes the answers to a service request take "
            "5000 ms; TS 24.301 section 10.2 T3417 waits 5000 ms, choose less"
        ),
    ),
    "a gateway that is slower than the timer of an attach": (
        "network: {gateway: 15 s}",
        (
            "24: path.nbiot.network.gateway: makes the answers to an attach take 15000 ms; "
            "TS 24.301 section 10.2 T3410 waits 15000 ms, choose less"
        ),
    ),
    "subscriber data that are slower than it": (
        "network: {subscriber_data: 8 s}",
        "32: path.nbiot.network.subscriber_data: makes the answers to an attach take 16000 ms; *",
    ),
    "a clock that is wrong by less than nothing": (
        "clock_ppm: -1",
        "16: path.nbiot.clock_ppm: is -1 ppm; lasthop allows 0 to 1000 ppm",
    ),
    "an eDRX cycle outside the table": (
        "psm: off\n    edrx: {cycle: 30 s, paging_time_window: 2560 ms}",
        "*edrx.cycle: is 30000 ms; TS 24.008 table 10.5.5.32 (NB-S1 mode) allows 20480, 40960, *",
    ),
    "a paging window outside the table": (
        "psm: off\n    edrx: {cycle: 81920 ms, paging_time_window: 3 s}",
        "*edrx.paging_time_window: is 3000 ms; TS 24.008 table 10.5.5.32 (NB-S1 mode) allows 2560*",
    ),
    "a paging window as long as its cycle": (
        "psm: off\n    edrx: {cycle: 20480 ms, paging_time_window: 20480 ms}",
        "*edrx.paging_time_window: is 20480 ms, no shorter than the cycle of 20480 ms (TS 24.008 *",
    ),
    "a base station that is slower than the timer of contention": (
        "network: {base_station: 600 ms}",
        (
            "29: path.nbiot.network.base_station: makes Msg4 come * ms after Msg3; "
            "TS 36.321 section 5.1.5 mac-ContentionResolutionTimer is 512 ms, *"
        ),
    ),
    "a scheduler that misses the response window": (
        "network: {scheduler: 200 ms}",
        "26: path.nbiot.network.scheduler: is 200 ms; TS 36.321 section 5.1.4 ra-*",
    ),
    "a delay below zero": (
        "network: {user_plane: -5 ms}",
        '27: path.nbiot.network.user_plane: "-5 ms" is negative; *',
    ),
    "a wait that no message can tell": (
        "random_access: {reject: {above_waiting: 50, wait: 2000 s}}",
        (
            "55: path.nbiot.random_access.reject.wait: is 2000 s; TS 36.331 extendedWaitTime "
            "allows 1 to 1800 s"
        ),
    ),
    "a wait of less than a second": (
        "random_access: {reject: {above_waiting: 50, wait: 500 ms}}",
        '55: path.nbiot.random_access.reject.wait: 500 ms is not a multiple of 1 s; write "1 s"',
    ),
    "more access classes than there are": (
        "random_access: {access_barring: {classes: 11, moves_on: 30 s}}",
        (
            "47: path.nbiot.random_access.access_barring.classes: is 11 access classes; "
            "TS 36.331 ab-BarringBitmap allows 0 to 10 access classes"
        ),
    ),
    "a bitmap that moves on before anybody looks": (
        "random_access: {access_barring: {classes: 5, moves_on: 1 s}}",
        "*access_barring.moves_on: is 1000 ms; the paging cycle allows 2560 to 86400000 ms",
    ),
    "a re-establishment that has no security": (
        "procedure: control_plane\n    reestablishment: {t311: 10 s, t301: 25 s}",
        "*reestablishment: is set where connections have no security; TS 36.331 section 5.3.7.1 *",
    ),
    "a T301 outside its table": (
        "reestablishment: {t311: 10 s, t301: 20 s}",
        "*reestablishment.t301: is 20000 ms; TS 36.331 t301 allows 2500, 4000, 6000, 10000, *",
    ),
    "more carriers than a cell may have": (
        "non_anchor_carriers: {count: 16, anchor_sixteenths: 4}",
        "*non_anchor_carriers.count: is 16 carriers; TS 36.331 maxNonAnchorCarriers-NB *",
    ),
    "carriers for nothing that there is": (
        "non_anchor_carriers: {count: 2, anchor_sixteenths: 4, serve: paging}",
        (
            '66: path.nbiot.non_anchor_carriers.serve: unknown value "paging"; write '
            '"everything" or "data"'
        ),
    ),
    "more carriers than lasthop counts": (
        "non_anchor_carriers: {count: 15, anchor_sixteenths: 4}",
        "*non_anchor_carriers.count: makes 336 carriers in 21 cells; * choose at most 11",
    ),
    "settings of a cell that there is not": (
        "cell_settings: [{cells: [3, 21], coupling_loss_thresholds: [140 dB, 150 dB]}]",
        "*cell_settings*cells: has cell 21; there are 21, counted from 0, so choose at most 20",
    ),
    "settings of a cell twice": (
        (
            "cell_settings: [{cells: [3], coupling_loss_thresholds: [140 dB, 150 dB]}, "
            "{cells: [3], non_anchor_carriers: {count: 1, anchor_sixteenths: 4}}]"
        ),
        "*cell_settings*cells: has cell 3, which has settings already; name each cell once",
    ),
    "settings of no cell": (
        "cell_settings: [{cells: [], coupling_loss_thresholds: [140 dB, 150 dB]}]",
        "*cell_settings*cells: *",
    ),
    "cells with nothing of their own": (
        "cell_settings: [{cells: [3]}]",
        (
            "21: path.nbiot.cell_settings: no setting is given for these cells; add one, "
            "for example *"
        ),
    ),
    "thresholds of a cell that fall": (
        "cell_settings: [{cells: [3], coupling_loss_thresholds: [150 dB, 140 dB]}]",
        (
            "60: path.nbiot.cell_settings.coupling_loss_thresholds: the thresholds are not "
            "in ascending *"
        ),
    ),
    "a preamble of a cell outside its table": (
        "cell_settings: [{cells: [3], coverage_levels: {ce1: {nprach: {repetitions: 3}}}}]",
        (
            "*cell_settings*coverage_levels.ce1.nprach.repetitions: is 3*; "
            "*numRepetitionsPerPreambleAttempt*"
        ),
    ),
    "more carriers of a cell than lasthop counts": (
        "cell_settings: [{cells: [3], non_anchor_carriers: {count: 12, anchor_sixteenths: 4}}]",
        "*cell_settings*non_anchor_carriers.count: makes 273 carriers in 21 cells; *at most 11",
    ),
    "a T3402 outside its units": (
        "attach: {t3402: 13 h}",
        (
            "*attach.t3402: is 46800000 ms; TS 24.008 table 10.5.172 allows 1 to 31 times 2 s, "
            "1 min or 6 min"
        ),
    ),
    "a threshold of cell selection outside its range": (
        "attach: {q_rx_lev_min: -141 dBm}",
        "*attach.q_rx_lev_min: is -141 dBm; TS 36.331 Q-RxLevMin allows even numbers from -140 *",
    ),
    "an odd threshold of cell selection": (
        "attach: {q_rx_lev_min: -121 dBm}",
        "*attach.q_rx_lev_min: is -121 dBm; TS 36.331 Q-RxLevMin allows even numbers *",
    ),
    "a SIB1-NB outside its table": (
        "attach: {sib1_bits: 441}",
        "*attach.sib1_bits: is 441 bit; TS 36.213 table 16.4.1.5.2-1 allows 208, 328, 440, 680 *",
    ),
    "a search for a cell that takes no time": (
        "attach: {failed_search: 0 s}",
        "*attach.failed_search: is 0 ms; lasthop allows 1 to 3600000 ms",
    ),
    "no wait between searches": (
        "attach: {search_waits: []}",
        "*attach.search_waits: is empty; name at least one wait, for example 3600000 ms",
    ),
    "a wait between searches that is none": (
        "attach: {search_waits: [10 s, 0 s]}",
        "*attach.search_waits: is 0 ms; lasthop allows 1 to 604800000 ms",
    ),
    "a part of a millisecond between searches": (
        "attach: {search_waits: [10 s, 1500 us]}",
        '*attach.search_waits*1500 us is not a multiple of 1 ms; write "1 ms"',
    ),
    "an attach that is neither on nor off": (
        "attach: often",
        '*attach: "often" is neither on nor off; write "on" or "off"',
    ),
    "a timer that attach does not have": (
        "attach: {t3403: 12 min}",
        '*attach.t3403: unknown key "t3403"; did you mean "t3402"?',
    ),
    "a wake-up signal outside its table": (
        "wake_up_signal: {duration_divisor: 3, time_offset: 80 ms}",
        "*wake_up_signal.duration_divisor: is 3; TS 36.331 maxDurationFactor allows 2, 4, 8, *",
    ),
    "silence that is mostly taken for an answer": (
        "channel: {silence_as_acknowledgement: 50 %}",
        "*silence_as_acknowledgement: is 0.5*; *TS 36.104 section 8.5.2*",
    ),
    "an estimation of nobody": (
        "channel: {estimation_window: forever}",
        '*estimation_window: "forever" *or "ts_36_104"*',
    ),
    "a network that nobody measured": ("network: operator_x", "14: path.nbiot.network: *"),
    "zero cells": (
        "deployment: {cells: 0}",
        "25: path.nbiot.deployment.cells: is 0 cells; *allows 1 to 84 cells",
    ),
    "cells that do not tile the plane": (
        "deployment: {cells: 22}",
        '17: path.nbiot.deployment: wraps around 22 cells; *, or write "wrap_around: off"',
    ),
    "repetitions of a preamble outside the set": (
        CE1 + "{nprach: {repetitions: 3}}}",
        (
            "51: path.nbiot.coverage_levels.ce1.nprach.repetitions: is 3; "
            "TS 36.331 numRepetitionsPerPreambleAttempt allows 1, 2, 4, 8, 16, 32, 64, 128"
        ),
    ),
    "repetitions of the NPUSCH outside the set": (
        CE1 + "{link_adaptation: {adaptive: {npusch_repetitions: [1, 3]}}}}",
        (
            "78: path.nbiot.coverage_levels.ce1.link_adaptation.adaptive.npusch_repetitions: is 3; "
            "TS 36.213 table 16.5.1.1-3 allows 1, 2, 4, *"
        ),
    ),
    "repetitions of the NPDSCH outside the set": (
        CE1 + "{link_adaptation: {adaptive: {npdsch_repetitions: [24]}}}}",
        "*npdsch_repetitions: is 24; TS 36.213 table 16.4.1.3-2 allows 1, 2, 4, *",
    ),
    "a search space outside the set": (
        CE1 + "{user_search_space: {rmax: 48}}}",
        "*user_search_space.rmax: is 48; TS 36.331 npdcch-NumRepetitions allows 1, 2, 4, *",
    ),
    "a DCI that its search space does not have": (
        CE1 + "{link_adaptation: {adaptive: {dci_repetitions: [64]}}}}",
        "*dci_repetitions: is 64; TS 36.213 table 16.6-1 at Rmax 16 allows 2, 4, 8, 16",
    ),
    "an impossible transport block": (
        CE1 + "{link_adaptation: {fixed: " + FIXED.replace("i_tbs: 3", "i_tbs: 14") + "}}}",
        "*fixed.npusch_i_tbs: is 14; TS 36.213 table 16.5.1.2-1 on a single tone allows *",
    ),
    "an impossible transport block in-band": (
        "carrier: {mode: in_band}\n    "
        + CE1
        + "{link_adaptation: {adaptive: {npdsch_i_tbs: [12]}}}}",
        "*npdsch_i_tbs: is 12; TS 36.213 table 16.4.1.5.1-1 in-band allows *",
    ),
    "impossible early data": (
        "procedure: resume\n    early_data_bits: 500",
        "*early_data_bits: is 500 bit; TS 36.331 edt-TBS allows 328, 408, *",
    ),
    "impossible early data of a level": (
        "procedure: resume\n    early_data_bits: 504\n    " + CE1 + "{early_data: {bits: 500}}}",
        "*ce1.early_data.bits: is 500 bit; TS 36.331 edt-TBS allows 328, 408, *",
    ),
    "early data that cannot be as robust as Msg3": (
        (
            "early_data_bits: 1000\n    procedure: resume\n    coverage_levels: "
            "{ce2: {random_access_formats: {msg3_repetitions: 128}}}"
        ),
        "22: path.nbiot.early_data_bits: is 1000 bit, for which the 128 repetitions of TS 36.213 *",
    ),
    "preambles of early data where others are": (
        "procedure: resume\n    early_data_bits: 1000\n    "
        + CE1
        + "{early_data: {nprach: {start: 64 ms}}}}",
        "*ce1.early_data.nprach: has tone offset 24, where its preambles meet those of level 1 *",
    ),
    "early data with a service request": (
        "early_data_bits: 504",
        "22: path.nbiot.early_data_bits: is set with a service request; TS 36.331 edt-*",
    ),
    "an unknown CE level": (
        "coverage_levels: {ce3: {}}",
        (
            '23: path.nbiot.coverage_levels.ce3: unknown CE level "ce3"; write ce0, ce1, '
            "ce2 (TS 36.331 nprach-ParametersList)"
        ),
    ),
    "a CE level too many": (
        "coupling_loss_thresholds: [144 dB]\n    coverage_levels: {ce2: {response_window: 10}}",
        "*path.nbiot.coverage_levels.ce2: the CE level ce2 does not exist with 1 thresholds; *",
    ),
    "too many thresholds": (
        "coupling_loss_thresholds: [140 dB, 144 dB, 154 dB]",
        (
            "31: path.nbiot.coupling_loss_thresholds: 3 thresholds make 4 CE levels; write "
            "at most 2 thresholds (TS 36.331 rsrp-ThresholdsPrachInfoList)"
        ),
    ),
    "thresholds in the wrong order": (
        "coupling_loss_thresholds: [154 dB, 144 dB]",
        (
            "31: path.nbiot.coupling_loss_thresholds: the thresholds are not in ascending "
            "order; write the smallest first, for example [144 dB, 154 dB] (TS 36.331 "
            "rsrp-ThresholdsPrachInfoList)"
        ),
    ),
    "thresholds of power in the wrong order": (
        "rsrp_thresholds: [-118 dBm, -108 dBm]",
        (
            "22: path.nbiot.rsrp_thresholds: goes from -118 to -108 dBm; "
            "TS 36.331 rsrp-ThresholdsPrachInfoList must descend, level 0 first, as in "
            "[-108 dBm, -118 dBm]"
        ),
    ),
    "a threshold that no device can measure": (
        "coupling_loss_thresholds: [144 dB, 200 dB]",
        (
            "31: path.nbiot.coupling_loss_thresholds: a coupling loss of 200 dB is an RSRP "
            "of -164.8 dBm, which is out of range; write a loss that gives -140.5 to -43.5 "
            "dBm (TS 36.331 RSRP-Range)"
        ),
    ),
    "thresholds twice": (
        "coupling_loss_thresholds: [144 dB]\n    rsrp_thresholds: [-110 dBm]",
        "*rsrp_thresholds: both coupling_loss_thresholds and rsrp_thresholds are given; remove *",
    ),
    "a coupling loss beyond the tables": (
        "coupling_loss: 200 dB",
        (
            "20: path.nbiot.coupling_loss: is 200 dB; the range of the link tables "
            "(TR 45.820 evaluates at 144, 154 and 164 dB) allows 70 to 180 dB"
        ),
    ),
    "a coupling loss without a unit": (
        "coupling_loss: 154",
        '20: path.nbiot.coupling_loss: "154" has no unit; write "154 dB"',
    ),
    "a coupling loss as power": (
        "coupling_loss: -115 dBm",
        '20: path.nbiot.coupling_loss: "-115 dBm" is a power in dBm, not a ratio in dB; write *',
    ),
    "a place twice": (
        "coupling_loss: 154 dB\n    deployment: {cells: 3, inter_site_distance: 1 km}",
        (
            '*path.nbiot.deployment.inter_site_distance: "inter_site_distance" has no '
            "effect, because *"
        ),
    ),
    "more cells than there are behind a coupling loss": (
        "coupling_loss: 154 dB\n    deployment: {cells: 85}",
        "*path.nbiot.deployment.cells: is 85 cells; *allows 1 to 84 cells",
    ),
    "a power class that does not exist": (
        "device_power: {maximum: 24 dBm}",
        "*device_power.maximum: is 24 dBm; TS 36.101 section 6.2.2F *allows 14, 20, 23 dBm",
    ),
    "a timer outside the set": (
        "t300: 41 s",
        "11: path.nbiot.t300: is 41000 ms; TS 36.331 t300 allows 2500, 4000, *",
    ),
    "a time that is no frame": (
        "drx_cycle: 2565 ms",
        '16: path.nbiot.drx_cycle: 2565 ms is not a multiple of 10 ms; write "2560 ms"',
    ),
    "a saving mode outside the set": (
        "psm: {t3324: 7 s, t3412: 5 d}",
        "18: path.nbiot.psm.t3324: is 7000 ms; TS 24.008 table 10.5.163 allows *",
    ),
    "half a saving mode": (
        "psm: {t3324: 10 s}",
        '10: path.nbiot.psm: the key "t3412" is missing; write "t3412: 5 d"',
    ),
    "a paging time window that holds no occasion": (
        "drx_cycle: 10240 ms\n    edrx: {cycle: 81920 ms, paging_time_window: 2560 ms}",
        (
            "*path.nbiot.edrx.paging_time_window: is 2560 ms, shorter than the paging cycle: *"
            "(TS 36.304 section 7.3); choose at least 10240 ms, or a shorter DRX cycle"
        ),
    ),
    "the cycle of eDRX alone": (
        "edrx: 655360 ms",
        (
            '11: path.nbiot.edrx: unknown value "655360 ms"; write "edrx: {cycle: 655360 ms, '
            'paging_time_window: 2560 ms}", or "off"'
        ),
    ),
    "power saving without its timers": (
        "psm: on",
        (
            '10: path.nbiot.psm: unknown value "on"; write '
            '"psm: {t3324: 10 s, t3412: 5 d}", or "off"'
        ),
    ),
    "neither off nor a mapping": (
        "edrx: on",
        (
            '11: path.nbiot.edrx: unknown value "on"; write "edrx: {cycle: 81920 ms, '
            'paging_time_window: 2560 ms}", or "off"'
        ),
    ),
    "a subcarrier spacing that does not exist": (
        "uplink: {subcarrier_spacing: 30 kHz}",
        (
            "34: path.nbiot.uplink.subcarrier_spacing: NPUSCH does not have this subcarrier "
            "spacing; write *"
        ),
    ),
    "tones that the spacing does not have": (
        "uplink: {subcarrier_spacing: 3.75 kHz, tones: [1, 3]}",
        "*uplink.tones: is 3; TS 36.211 table 10.1.2.3-1 at this spacing allows 1",
    ),
    "a word in place of a loss": (
        "deployment: {indoor_loss: tr45820}",
        (
            '31: path.nbiot.deployment.indoor_loss: "tr45820" is not a ratio in dB; '
            'write "20 dB", or "tr_45_820"'
        ),
    ),
    "a Doppler shift without fading": (
        "channel: {fading: none, doppler: 1 Hz}",
        (
            '29: path.nbiot.channel.doppler: "doppler" has no effect without fading; '
            "remove it, or write *"
        ),
    ),
    "control symbols out of band": (
        "carrier: {control_symbols: 3}",
        (
            "15: path.nbiot.carrier.control_symbols: only an in-band carrier has LTE control "
            "symbols; *"
        ),
    ),
    "both ways to serve a level": (
        CE1 + "{link_adaptation: {fixed: " + FIXED + ", adaptive: {}}}}",
        (
            "46: path.nbiot.coverage_levels.ce1.link_adaptation: both fixed and adaptive "
            "are given; write *"
        ),
    ),
    "a number that no field holds": (
        CE1 + "{nprach: {tones: 70000}}}",
        "45: path.nbiot.coverage_levels.ce1.nprach.tones: is 70000, which is far too large; *",
    ),
    "a number in a list that no field holds": (
        CE1 + "{link_adaptation: {adaptive: {npusch_i_tbs: [0, 300]}}}}",
        "*adaptive.npusch_i_tbs: is 300, which is far too large; write less",
    ),
    "a time that no field holds": (
        CE1 + "{nprach: {period: 100 s}}}",
        "46: path.nbiot.coverage_levels.ce1.nprach.period: is 100000, which is far too large; *",
    ),
    "a misspelt key": (
        "inactvity: 20 s",
        '5: path.nbiot.inactvity: unknown key "inactvity"; did you mean "inactivity"?',
    ),
    "an unknown procedure": (
        "procedure: resum",
        (
            '16: path.nbiot.procedure: unknown value "resum"; write "service_request", '
            '"resume" or "control_plane"'
        ),
    ),
}

PLACES = {
    "no place at all": (
        "path: {nbiot: {}}",
        (
            "6:15: path.nbiot: the coupling loss of the devices is missing; write "
            '"coupling_loss: 154 dB", *'
        ),
    ),
    "an unknown preset": (
        "path: {nbiot: {base: larmo_2020}}",
        (
            '6:22: path.nbiot.base: unknown value "larmo_2020"; write "larmo_2019" or '
            '"single_device"'
        ),
    ),
    "a link and a network": (
        "path: {nbiot: {base: larmo_2019}, loss: 1 %}",
        (
            '6:35: path.loss: a radio network cannot have the link key "loss"; write a list of '
            "hops, for *"
        ),
    ),
    "devices that come to a link": (
        "path: {loss: 1 %}",
        (
            "4:10: devices: devices that come and go need a path with a radio network; write "
            '"path: {nbiot: *'
        ),
    ),
}

NETWORK = "path: {nbiot: {base: larmo_2019}}\n"
ARRIVING = {
    "a schedule": (
        "traffic: {report: 25 B, every: 1 s}\ndevices: {arrive: 2 /s}",
        (
            "3:25: traffic.every: a device that comes and goes sends one message, so every has "
            "no effect; remove it"
        ),
    ),
    "a command": (
        "traffic: {command: 25 B}\ndevices: {arrive: 2 /s}",
        (
            "3:11: traffic.command: a device that comes and goes must send the message itself; "
            "write *"
        ),
    ),
    "arrivals without a unit": (
        "traffic: {report: 25 B}\ndevices: {arrive: 2}",
        '4:19: devices.arrive: "2" has no unit; write "2 /s"',
    ),
    "too many": (
        "traffic: {report: 25 B}\ndevices: {arrive: 200000 /s}",
        "4:19: devices.arrive: 2520000000 devices would come, more than 16000000; *",
    ),
    "devices that stay without a schedule": (
        "traffic: {report: 25 B}\ndevices: 3",
        '3:10: traffic: the key "every" is missing; write "every: 250 ms"',
    ),
}


@pytest.mark.parametrize(("lines", "expected"), CASES.values(), ids=CASES.keys())
def test_a_network_that_cannot_be_is_refused_at_its_key(
    lines: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    place = "" if expected.startswith("*") else "9:"
    refused(f"{HEAD}    {lines}\n", place + expected)


@pytest.mark.parametrize(("path", "expected"), PLACES.values(), ids=PLACES.keys())
def test_a_path_is_a_network_or_a_link(
    path: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(HEAD.partition("path:")[0] + path + "\n", expected)


@pytest.mark.parametrize(("lines", "expected"), ARRIVING.values(), ids=ARRIVING.keys())
def test_devices_that_come_have_one_message_each(
    lines: str, expected: str, refused: Callable[[str, str], None]
) -> None:
    refused(f"study: a\nduration: 10 min\n{lines}\nstacks: [raw_udp]\n{NETWORK}", expected)
