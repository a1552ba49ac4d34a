//! QUIC where it leads somewhere, and TLS over TCP where it does not.

use lasthop_contract::Layer;
use lasthop_link::Block;
use lasthop_link::loss::Bernoulli;
use lasthop_measure::RunStatus;
use lasthop_units::{Duration, Probability};
use lasthop_world::{FlowKind, RunSpec, SessionSpec, Simulated};

use crate::events::ten;
use crate::specs::{assert_accounted, both_ways, run};
use crate::stacks::stack;

/// Ten devices with a message a second for 20 s, behind a firewall or none.
fn behind(block: Option<Block>, options: &[(&str, &str)]) -> RunSpec {
    let mut spec = ten(stack("mqtt/quic/udp", options), FlowKind::RoundTrip);
    spec.flows[0].duration_ns = 20_000_000_000;
    for direction in both_ways(&mut spec) {
        direction.block = block;
    }
    spec
}

fn bytes_of(simulated: &Simulated, layer: Layer) -> u64 {
    let rows = simulated.meter().ledger().rows();
    let rows = rows.iter().filter(|row| row.layer == layer);
    rows.map(|row| row.bytes).sum()
}

/// How long set-ups took, the longest and the shortest, where all messages arrived.
fn set_ups(simulated: &Simulated) -> [Duration; 2] {
    assert_accounted(simulated);
    let summary = simulated.summary();
    assert_eq!(summary.messages_delivered, summary.messages_offered);
    let sessions = summary.sessions.expect("clients tell of them");
    [100, 1].map(|percentile| sessions.took(percentile).expect("all came about"))
}

const SEQUENTIAL: (&str, &str) = ("quic.fallback", "sequential");
const RACED: (&str, &str) = ("quic.fallback", "raced");

#[test]
fn who_may_speak_udp_never_tries_tcp() {
    let plain = run(&behind(None, &[]));
    for fallback in [SEQUENTIAL, RACED] {
        // Half a second of the slow line is longer than a race waits.
        let options = [fallback, ("quic.fallback_after", "3s")];
        for block in [None, Some(Block::Tcp)] {
            let found = run(&behind(block, &options));
            assert_eq!(bytes_of(&found, Layer::Tcp), 0, "{fallback:?} {block:?}");
            assert_eq!(set_ups(&found), set_ups(&plain), "{fallback:?} {block:?}");
        }
    }
}

#[test]
fn who_may_not_takes_tls_and_waits_as_long_as_it_was_told() {
    let udp = Some(Block::Udp);
    let tls = {
        let mut spec = ten(stack("mqtt/tls/tcp", &[]), FlowKind::RoundTrip);
        spec.flows[0].duration_ns = 20_000_000_000;
        set_ups(&run(&spec))
    };
    for (fallback, after, nanos) in [
        (SEQUENTIAL, "3s", 3_000_000_000),
        (SEQUENTIAL, "500ms", 500_000_000),
        (RACED, "250ms", 250_000_000),
    ] {
        let options = [fallback, ("quic.fallback_after", after)];
        let found = run(&behind(udp, &options));
        for (with, without) in set_ups(&found).into_iter().zip(tls) {
            let expected = without.as_nanos() + nanos;
            let later = with.as_nanos().abs_diff(expected);
            assert!(
                later <= expected / 30,
                "{fallback:?} {after}: {with:?} {without:?}"
            );
        }
        assert!(
            bytes_of(&found, Layer::Quic) > 0,
            "what was tried is paid for"
        );
    }
}

#[test]
fn what_was_learnt_is_remembered_as_long_as_it_was_told() {
    let [forgets, remembers] = ["0s", "300s"].map(|memory| {
        let options = [SEQUENTIAL, ("quic.fallback_memory", memory)];
        let mut spec = behind(Some(Block::Udp), &options);
        spec.flows[0].session = SessionSpec::Per(5);
        let found = run(&spec);
        (set_ups(&found), bytes_of(&found, Layer::Quic))
    });
    let three = Duration::from_secs(3);
    let ([longest, shortest], tried_again) = forgets;
    assert!(longest > three && shortest > three, "{forgets:?}");
    let ([longest, shortest], tried_once) = remembers;
    assert!(longest > three && shortest < three, "{remembers:?}");
    assert!(tried_once < tried_again, "{remembers:?} {forgets:?}");
}

#[test]
fn who_may_speak_neither_hears_of_nothing() {
    for fallback in [SEQUENTIAL, RACED] {
        let mut spec = behind(Some(Block::Udp), &[fallback]);
        for direction in both_ways(&mut spec) {
            let probability = Probability::new(1.0).unwrap();
            direction.loss = Some(Bernoulli { probability }.into());
        }
        let found = run(&spec);
        let unsaid = RunStatus::Failed("session_not_set_up");
        assert_eq!(found.status(), unsaid, "{fallback:?}");
        assert_eq!(found.summary().messages_delivered, 0, "{fallback:?}");
        assert!(bytes_of(&found, Layer::Tcp) > 0, "both were tried");
        assert!(bytes_of(&found, Layer::Quic) > 0, "both were tried");
    }
}

#[test]
fn streams_of_topics_go_by_one_stream_where_tls_has_one() {
    for streams in ["per_topic", "per_qos", "per_publish"] {
        let options = [SEQUENTIAL, ("streams", streams)];
        let found = run(&behind(Some(Block::Udp), &options));
        set_ups(&found);
    }
}

#[test]
fn a_seed_gives_the_same_whichever_way_is_taken() {
    for fallback in [SEQUENTIAL, RACED] {
        let spec = behind(Some(Block::Udp), &[fallback]);
        let trace = || run(&spec).summary().trace;
        assert_eq!(trace(), trace(), "{fallback:?}");
    }
}
