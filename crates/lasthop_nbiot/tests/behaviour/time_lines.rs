//! The hand-calculated time lines of a single device, walked by the arithmetic of the PHY alone: the transmissions are
//! given, their times must come out.

use std::sync::Arc;

use lasthop_nbiot::config::*;
use lasthop_nbiot::phy::*;

use GoldenCarrier::{InBand35, Standalone46};
use Procedure::{ControlPlane, Resume, ServiceRequest};

/// What follows the response and Msg3, until the last data.
#[derive(Clone)]
enum Step {
    /// An NPDSCH with so many subframes, and its acknowledgement.
    Down(u32),
    /// An NPUSCH with so many resource units.
    Up(u32),
}

struct TimeLine {
    config: NetworkConfig,
    timeline: DownlinkTimeline,
    space: SearchSpace,
    formats: DedicatedFormats,
    now: Subframe,
}

impl TimeLine {
    fn new(config: NetworkConfig, level: usize) -> Self {
        let LinkAdaptation::Fixed(formats) = config.levels[level].link_adaptation.clone() else {
            unreachable!("the golden configuration is fixed");
        };
        Self {
            timeline: DownlinkTimeline::new(Arc::new(DownlinkMaps::new(&config))),
            space: SearchSpace::new(&config.levels[level].user_search_space),
            formats,
            config,
            now: Subframe(0),
        }
    }

    /// When the last data has been sent that was there at `arrival`.
    fn walk(&mut self, level: usize, arrival: Subframe, steps: &[Step]) -> Subframe {
        let setup = &self.config.levels[level];
        let nprach = NprachOccasions::new(&setup.nprach, self.config.random_access.nprach_format);
        let preamble_end = nprach.end_of(nprach.next(arrival));
        let ended_in = Subframe(Subframe::at_or_after(preamble_end).0 - 1);
        let repetitions = nprach.preamble().repetitions();
        (self.now, _) =
            response_window(ended_in, repetitions, setup.response_window_pp, &self.space);
        let msg3 =
            Msg3Format::of_mcs(setup.random_access_formats.msg3_mcs).expect("the format exists");

        let response_end = self.npdsch(npdsch_units(self.formats.npdsch_i_tbs, 56));
        self.npusch(
            response_end,
            rar_npusch_delays()[0],
            u32::from(msg3.block.units),
        );
        let mut sent = self.now;
        for step in steps {
            match step {
                Step::Down(subframes) => {
                    let end = self.npdsch(*subframes);
                    let spacing = SubcarrierSpacing::Khz15;
                    let k0 = acknowledgement_resources(spacing)[0].k0;
                    let start = acknowledgement_start(end, k0, spacing);
                    let duration =
                        acknowledgement_duration_ms(spacing, self.formats.ack_repetitions);
                    self.now = monitoring_after_npusch(start + u64::from(duration));
                }
                Step::Up(units) => {
                    let dci = self.dci();
                    sent = self.npusch(dci.end, npusch_delays()[0], *units);
                }
            }
        }
        sent
    }

    fn dci(&self) -> DownlinkSpan {
        let until = self.now + 2 * self.space.period();
        self.timeline
            .find_dci(
                &self.space,
                self.formats.dci_repetitions,
                self.now,
                until,
                false,
            )
            .expect("there is room")
    }

    fn npdsch(&self, subframes: u32) -> Subframe {
        let subframes = subframes * u32::from(self.formats.npdsch_repetitions);
        let npdsch = self
            .timeline
            .find_npdsch(self.space.rmax(), self.dci().end, subframes, true);
        npdsch.expect("there is room").1.end
    }

    fn npusch(&mut self, end: Subframe, k0: u16, units: u32) -> Subframe {
        let spacing = SubcarrierSpacing::Khz15;
        let unit = ResourceUnit { spacing, tones: 1 };
        let sent_ms = unit.duration_ms() * units * u32::from(self.formats.npusch_repetitions);
        let span = nprach_free_span([].iter(), npusch_start(end, k0, spacing), sent_ms, spacing);
        self.now = monitoring_after_npusch(span.end);
        span.end
    }
}

fn npdsch_units(i_tbs: u8, bits: u32) -> u32 {
    let block = npdsch_block(i_tbs, bits, DeviceCategory::Nb1, CarrierMode::Standalone);
    u32::from(block.expect("the block exists").units)
}

/// The mean latency over arrivals spread evenly over the phases of preambles and frames.
fn mean_latency_ms(carrier: GoldenCarrier, level: usize, procedure: Procedure, ups: &[u32]) -> f64 {
    const ARRIVALS: u64 = 397;
    let i_tbs = match carrier {
        InBand35 => [8, 4, 0][level],
        Standalone46 => [8, 4, 4][level],
    };
    let down = |bytes: u32| Step::Down(npdsch_units(i_tbs, bytes * 8));
    let up = |units: &u32| Step::Up(*units);
    let mut steps = Vec::new();
    if procedure == ServiceRequest {
        // Msg4, Msg5, Security Mode Command and Complete, Reconfiguration and Complete.
        steps.extend([
            down(23),
            up(&ups[0]),
            down(16),
            up(&ups[1]),
            down(27),
            up(&ups[2]),
        ]);
        steps.extend(ups[3..].iter().map(up));
    } else {
        steps.push(down(if procedure == Resume { 28 } else { 23 }));
        steps.extend(ups.iter().map(up));
    }
    let mut device = TimeLine::new(
        NetworkConfig::golden_timeline(carrier, level, procedure),
        level,
    );
    let latencies = (0..ARRIVALS).map(|number| {
        let arrival = Subframe(number * 7 * 2560 / ARRIVALS * 3);
        device.walk(level, arrival, &steps) - arrival
    });
    latencies.sum::<u64>() as f64 / ARRIVALS as f64
}

/// Resource units of a service request's three messages and its data.
fn with_messages(level: usize, data: &[u32]) -> Vec<u32> {
    let messages = [[1, 1, 1], [3, 2, 2], [5, 4, 4]][level];
    [&messages, data].concat()
}

fn assert_latency(
    carrier: GoldenCarrier,
    level: usize,
    procedure: Procedure,
    ups: &[u32],
    expected_ms: f64,
) {
    let mean = mean_latency_ms(carrier, level, procedure, ups);
    let off = mean / expected_ms - 1.0;
    assert!(
        off.abs() < 0.02,
        "{carrier:?} CE{level} {procedure:?} {ups:?}: {mean:.0} ms, not {expected_ms} ms"
    );
}

#[test]
fn a_packet_of_73_bytes_arrives_as_calculated_by_hand() {
    let data: [&[u32]; 3] = [&[5], &[10, 2], &[10, 10, 8]];
    let resumed: [&[u32]; 3] = [&[6], &[10, 3], &[10, 10, 10]];
    let in_nas: [&[u32]; 3] = [&[6], &[10, 5], &[10, 10, 10, 4]];
    let rows = [
        (InBand35, 0, [315.0, 201.0, 200.0]),
        (InBand35, 1, [1643.0, 1110.0, 1166.0]),
        (InBand35, 2, [11_799.0, 8_360.0, 9_106.0]),
        (Standalone46, 1, [1284.0, 968.0, 1027.0]),
        (Standalone46, 2, [8_592.0, 6_662.0, 7_234.0]),
    ];
    for (carrier, level, [plain, resume, control_plane]) in rows {
        assert_latency(
            carrier,
            level,
            ServiceRequest,
            &with_messages(level, data[level]),
            plain,
        );
        assert_latency(carrier, level, Resume, resumed[level], resume);
        assert_latency(carrier, level, ControlPlane, in_nas[level], control_plane);
    }
}

#[test]
fn a_packet_of_448_bytes_arrives_as_calculated_by_hand() {
    let full = |count: usize, last: u32| [vec![10; count], vec![last]].concat();
    let rows = [
        (InBand35, 0, ServiceRequest, vec![6, 6, 6, 6, 4], 554.0),
        (InBand35, 0, Resume, vec![6, 6, 6, 6, 5], 438.0),
        (InBand35, 1, ServiceRequest, full(6, 8), 3_879.0),
        (InBand35, 1, ControlPlane, full(6, 10), 3_414.0),
        (InBand35, 2, ServiceRequest, full(15, 3), 33_530.0),
        (InBand35, 2, Resume, full(15, 5), 30_113.0),
        (Standalone46, 1, ServiceRequest, full(6, 8), 3_392.0),
        (Standalone46, 2, ServiceRequest, full(15, 3), 27_342.0),
        (Standalone46, 2, ControlPlane, full(15, 8), 25_772.0),
    ];
    for (carrier, level, procedure, data, expected_ms) in rows {
        let ups = match procedure {
            ServiceRequest => with_messages(level, &data),
            Resume | ControlPlane => data,
        };
        assert_latency(carrier, level, procedure, &ups, expected_ms);
    }
}
