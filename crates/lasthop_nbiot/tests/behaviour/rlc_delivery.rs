//! Whatever is lost, each SDU arrives once and in order, or the entity says why not.

use lasthop_contract::RandomStream;
use lasthop_nbiot::config::Polls;
use lasthop_nbiot::layer2::{
    AM_WINDOW, AmReceiver, AmTransmitter, Bearer, Composition, Element, Fate, MacPdu,
    MacPduBuilder, RlcConfig, RlcFailure, StatusReports, Subheaders,
};
use lasthop_units::{Duration, Instant, Probability};

use crate::rlc_config::{FREE, REPORTING};

/// What happens on the way.
struct Way {
    config: RlcConfig,
    subheaders: Subheaders,
    /// Of a block with data, and of a block with a STATUS PDU.
    loss: Probability,
    /// The smallest and the largest grant.
    grants_bytes: (u64, u64),
}

/// One run: what arrived, and what the blocks carried.
struct Outcome {
    delivered: Vec<usize>,
    failure: Option<RlcFailure>,
    sent: Composition,
    blocks: u32,
    blocks_bytes: u32,
}

/// Sends SDUs of random sizes that come at random times, one block after the other, until all is done.
fn carry(seed: u64, sdus: usize, way: &Way) -> Outcome {
    let mut draws = RandomStream::named(seed, "rlc_delivery");
    let mut transmitter = AmTransmitter::new();
    let mut receiver = AmReceiver::new();
    let mut now = Instant::ZERO;
    let mut offered = 0;
    let mut outcome = Outcome {
        delivered: Vec::new(),
        failure: None,
        sent: Composition::default(),
        blocks: 0,
        blocks_bytes: 0,
    };
    while offered < sdus || !transmitter.is_idle() {
        now += Duration::from_millis(100);
        if offered < sdus && draws.below(3) == 0 {
            let bytes = 1 + draws.below(600) as u16;
            transmitter.offer(offered, Bearer::Drb.sdu(0, bytes));
            offered += 1;
        }
        transmitter.handle_timeout(now, &way.config);
        let (least, most) = way.grants_bytes;
        let grant_bytes = (least + draws.below(most - least + 1)) as u16;
        let mut up = MacPduBuilder::new(grant_bytes, way.subheaders);
        up.data(Bearer::Drb, &mut transmitter, now, &way.config);
        let up = up.finish();
        assert_eq!(up.composition.total_bytes(), u32::from(grant_bytes));
        outcome.sent += up.composition;
        outcome.blocks += 1;
        outcome.blocks_bytes += u32::from(grant_bytes);
        let arrives = !draws.chance(way.loss);
        take(
            &up,
            arrives,
            &mut transmitter,
            &mut receiver,
            &way.config,
            &mut outcome,
        );

        let mut down = MacPduBuilder::new(grant_bytes.max(3), way.subheaders);
        down.status(Bearer::Drb, &mut receiver);
        if !draws.chance(way.loss) {
            for element in down.finish().elements {
                if let Element::Status(_, report) = element {
                    transmitter.handle_status(&report, &way.config);
                }
            }
        }
        outcome.failure = transmitter.failure();
        if outcome.failure.is_some() {
            break;
        }
        assert!(outcome.blocks < 1_000_000, "nothing gets on");
    }
    outcome
}

fn take(
    block: &MacPdu,
    arrives: bool,
    transmitter: &mut AmTransmitter<usize>,
    receiver: &mut AmReceiver,
    config: &RlcConfig,
    outcome: &mut Outcome,
) {
    for element in &block.elements {
        let Element::Data(_, pdu) = element else {
            continue;
        };
        if arrives {
            let bytes = receiver.receive(pdu, config);
            while let Some(number) = transmitter.take_delivered(bytes) {
                outcome.delivered.push(number);
            }
        }
        if config.status_reports == StatusReports::Free {
            let fate = if arrives { Fate::Arrived } else { Fate::Lost };
            transmitter.settle(pdu, fate, config);
        }
    }
}

fn in_order(count: usize) -> Vec<usize> {
    (0..count).collect()
}

fn probability(value: f64) -> Probability {
    Probability::new(value).expect("a probability")
}

#[test]
fn every_sdu_arrives_once_and_in_order_under_any_loss() {
    let patient = RlcConfig {
        max_retx_threshold: 250,
        ..REPORTING
    };
    let without_gaps = RlcConfig {
        status_reports: StatusReports::Transmitted { on_gap: false },
        ..patient
    };
    let each = RlcConfig {
        polls: Polls::Each,
        ..patient
    };
    let free = RlcConfig {
        max_retx_threshold: 250,
        ..FREE
    };
    for seed in 0..40 {
        for config in [patient, without_gaps, each, free] {
            for loss in [0.0, 0.1, 0.4] {
                for grants_bytes in [(2, 40), (85, 85), (5, 317)] {
                    let way = Way {
                        config,
                        subheaders: Subheaders::Standard,
                        loss: probability(loss),
                        grants_bytes,
                    };
                    let outcome = carry(seed, 12, &way);
                    assert_eq!(outcome.failure, None, "seed {seed}, loss {loss}");
                    assert_eq!(outcome.delivered, in_order(12), "seed {seed}, loss {loss}");
                }
            }
        }
    }
}

#[test]
fn an_entity_that_cannot_get_through_says_so_and_delivers_no_sdu_twice() {
    let mut failures = 0;
    for seed in 0..60 {
        let way = Way {
            config: RlcConfig {
                max_retx_threshold: 2,
                ..REPORTING
            },
            subheaders: Subheaders::Standard,
            loss: probability(0.6),
            grants_bytes: (20, 85),
        };
        let outcome = carry(seed, 12, &way);
        let count = outcome.delivered.len();
        assert_eq!(outcome.delivered, in_order(count), "seed {seed}");
        assert_eq!(outcome.failure.is_none(), count == 12, "seed {seed}");
        failures += u32::from(outcome.failure.is_some());
    }
    assert!(failures > 30, "only {failures} of 60 failed");
}

#[test]
fn without_loss_each_byte_is_sent_once_and_every_block_adds_up() {
    for subheaders in [Subheaders::Standard, Subheaders::OncePerSdu] {
        for seed in 0..40 {
            let way = Way {
                config: REPORTING,
                subheaders,
                loss: probability(0.0),
                grants_bytes: (6, 125),
            };
            let outcome = carry(seed, 20, &way);
            let mut sizes = RandomStream::named(seed, "rlc_delivery");
            let offered = replay_offered_bytes(&mut sizes, &way, outcome.blocks);
            assert_eq!(outcome.sent.payload_bytes, offered);
            assert_eq!(outcome.sent.retransmitted_bytes, 0);
            assert_eq!(outcome.sent.total_bytes(), outcome.blocks_bytes);
        }
    }
}

/// The bytes that `carry` offers, from the same draws.
fn replay_offered_bytes(draws: &mut RandomStream, way: &Way, blocks: u32) -> u32 {
    let mut offered_bytes = 0;
    let mut offered = 0;
    for _ in 0..blocks {
        if offered < 20 && draws.below(3) == 0 {
            offered_bytes += 1 + draws.below(600) as u32;
            offered += 1;
        }
        draws.below(way.grants_bytes.1 - way.grants_bytes.0 + 1);
        draws.chance(way.loss);
        draws.chance(way.loss);
    }
    offered_bytes
}

#[test]
fn no_more_than_a_window_waits_for_acknowledgements() {
    let mut transmitter = AmTransmitter::new();
    transmitter.offer((), Bearer::Drb.sdu(0, 1600));
    let build =
        |transmitter: &mut AmTransmitter<()>| transmitter.build(4, Instant::ZERO, &REPORTING);
    let mut last = None;
    while let Some(pdu) = build(&mut transmitter) {
        last = Some(pdu);
    }
    let last = last.expect("the window is not empty");
    assert_eq!(last.sn, AM_WINDOW - 1);
    assert!(last.poll, "a full window polls");

    let mut receiver = AmReceiver::new();
    receiver.receive(&last, &REPORTING);
    let report = receiver.take_status(2000).expect("it was polled");
    assert_eq!(report.nacks.len() as u32, AM_WINDOW - 1);
    transmitter.handle_status(&report, &REPORTING);
    let again = build(&mut transmitter).expect("everything but the last is missing");
    assert_eq!((again.sn, again.retransmission), (0, true));
}
