//! What the base station grants: the blocks of a report, and a block that it has not got.

use lasthop_contract::{LinkInput, Port};
use lasthop_nbiot::config::{
    DedicatedFormats, DeviceCategory, Fading, LinkAdaptation, NetworkConfig, Placement,
};
use lasthop_units::{Duration, Instant};

use crate::alone::Alone;

fn report_alone(config: &NetworkConfig, ip_bytes: usize) -> (Alone, f64) {
    let mut device = Alone::new(config, 1);
    let at = Instant::ZERO + Duration::from_secs(1);
    device.input(at, LinkInput::Attach { port: Port(0) });
    device.offer(at, Port(0), ip_bytes, true);
    device.run_until(at + Duration::from_secs(60));
    let latency = device.deliveries[0].0 - at;
    (device, latency.as_secs_f64() * 1000.0)
}

#[test]
fn a_large_report_goes_in_the_largest_blocks_that_the_category_allows() {
    // Three grants for signalling; 1 + 428 B with headers take four blocks of at most 1000 bits, 25 ms apart at most:
    // NPDCCH period 16 ms, k0 8 ms, 4 ms on the air.
    let mut config = NetworkConfig::larmo_2019();
    config.placement = Placement::StatedCouplingLoss {
        cells: 1,
        coupling_loss_db: 123.0,
    };
    config.channel.fading = Fading::None;
    config.channel.measurement_error_db = 0.0;
    let mut latencies_ms = Vec::new();
    for (ip_bytes, grants) in [(53, 4), (428, 7)] {
        let (device, latency_ms) = report_alone(&config, ip_bytes);
        assert_eq!(device.report().levels()[0].npusch_granted, grants);
        latencies_ms.push(latency_ms);
    }
    let more_ms = latencies_ms[1] - latencies_ms[0];
    assert!((20.0..75.0).contains(&more_ms), "{latencies_ms:?}");
}

#[test]
fn the_base_station_goes_on_asking_for_a_block_that_it_has_not_got() {
    // Each block is sent at some 2 dB less than it needs, and received when two or three transmissions are combined.
    let mut config = NetworkConfig::single_device(157.7);
    config.channel.fading = Fading::None;
    config.connection.harq_transmissions = 1;
    config.levels[2].link_adaptation = LinkAdaptation::Fixed(DedicatedFormats {
        dci_repetitions: 32,
        npdsch_i_tbs: 4,
        npdsch_repetitions: 32,
        npusch_tones: 1,
        npusch_i_tbs: 4,
        npusch_repetitions: 1,
        ack_repetitions: 64,
    });
    config.connection.category = DeviceCategory::Nb2;
    for harq_processes in [1, 2] {
        config.connection.harq_processes = harq_processes;
        let (device, latency_ms) = report_alone(&config, 53);
        let level = device.report().levels()[2];
        assert!(level.blocks_lost > 3, "{level:?}");
        assert_eq!(
            (level.rlc_retransmissions, level.radio_link_failures),
            (0, 0)
        );
        // The timer of RLC is longer than it all takes.
        assert_eq!(config.connection.rlc.t_poll_retransmit_ms, 6_000);
        assert!(latency_ms < 10_000.0, "{latency_ms}");
    }
}
