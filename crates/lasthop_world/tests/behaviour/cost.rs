//! What a message costs, in events and polls. No test here asks a clock.

use crate::specs::{base, every_combination, run, set_kind};
use crate::stacks::{json_udp, option, set_stack, speaks_dds, stack_of};
use lasthop_world::{FlowKind, PopulationSpec, ServerLayout};

#[test]
fn a_report_costs_two_events() {
    // One when it is due and one when it leaves the link; those that are lost cost one.
    let spec = base();
    let simulated = run(&spec);
    let messages = simulated.summary().messages_offered;
    assert!(
        simulated.events() <= 2 * messages,
        "{} events for {messages} messages",
        simulated.events()
    );
}

#[test]
fn no_stack_costs_more_than_a_bounded_number_of_events_a_message() {
    for mut spec in every_combination() {
        // A handshake is few events beside so many messages.
        spec.flows[0].duration_ns = 600_000_000_000;
        let simulated = run(&spec);
        let messages = simulated.summary().messages_offered;
        // A round trip with acknowledgements crosses the path four times, and a fifth of it again. Participants ask for an
        // acknowledgement once more when 200 ms have passed, which is less than it takes to come. A connection for each
        // message is made and ended with it, by seven packets.
        let most = match option(stack_of(&spec), "connection") {
            Some("per_message") => 20,
            _ if speaks_dds(stack_of(&spec)) => 12,
            _ => 8,
        };
        assert!(
            simulated.events() <= most * messages,
            "{} events for {messages} messages: {spec:?}",
            simulated.events()
        );
        assert!(
            simulated.polls() <= 12 * simulated.events(),
            "{} polls for {} events: {spec:?}",
            simulated.polls(),
            simulated.events()
        );
    }
}

#[test]
fn many_pairs_cost_as_many_events_each_as_one() {
    let mut one = base();
    set_stack(&mut one, json_udp());
    set_kind(&mut one, FlowKind::RoundTrip);
    one.flows[0].duration_ns = 60_000_000_000;
    let mut many = one.clone();
    many.groups[0].population = PopulationSpec::Staying { devices: 50 };
    many.servers[0].layout = ServerLayout::PerDevice;
    let events_a_message = |spec| {
        let simulated = run(spec);
        simulated.events() as f64 / simulated.summary().messages_offered as f64
    };
    let (one, many) = (events_a_message(&one), events_a_message(&many));
    assert!((many / one - 1.0).abs() < 0.1, "{one} and {many}");
}
