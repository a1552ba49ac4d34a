//! How messages end that do not arrive: by the reason that is the exact one.

use lasthop_contract::{ChannelSet, FailureReason, MessageEvent};
use lasthop_mqtt::{MqttBrokerConfig, Qos, Version};
use lasthop_units::Duration;

use super::world::{Machine, World, client_config};

/// A device that subscribes to what the server sends, in a world where all is set up.
fn subscribed(qos: Qos, clean_start: bool) -> World {
    let client = lasthop_mqtt::MqttClientConfig {
        subscribes: ChannelSet::of(0),
        clean_start,
        session_expiry: clean_start.then_some(Duration::ZERO),
        ..client_config(Version::V5, qos)
    };
    let broker = MqttBrokerConfig {
        qos,
        ..MqttBrokerConfig::default()
    };
    World::new(client, broker, 1)
}

/// The messages that were given up, in order, and why.
fn failures<A>(machine: &Machine<A>) -> Vec<(u32, FailureReason)> {
    let failures = machine.events.iter().filter_map(|event| match event {
        MessageEvent::Failed { id, reason } => Some((id.number.get(), *reason)),
        _ => None,
    });
    failures.collect()
}

#[test]
fn what_a_full_queue_does_not_take_fails_as_such() {
    let mut world = subscribed(Qos::AtMostOnce, true);
    world.wire.borrow_mut().set_room([0; 2]);
    for number in 1..=1010 {
        world.send_down(number);
        world.broker.drain(world.now);
    }
    // One is on its way, a thousand wait.
    let expected: Vec<_> = (1002..=1010)
        .map(|number| (number, FailureReason::QueueFull))
        .collect();
    assert_eq!(failures(&world.broker), expected);
}

#[test]
fn what_a_client_published_fails_as_such_in_the_full_queue_of_another() {
    let mut world = subscribed(Qos::AtMostOnce, true);
    world.wire.borrow_mut().set_room([1 << 20, 0]);
    for number in 1..=1010 {
        world.send_up(number);
        world.client.drain(world.now);
        world.broker.drain(world.now);
    }
    let expected: Vec<_> = (1002..=1010)
        .map(|number| (number, FailureReason::QueueFull))
        .collect();
    assert_eq!(failures(&world.broker), expected);
    assert_eq!(failures(&world.client), []);
}

#[test]
fn what_is_larger_than_the_client_takes_fails_as_such() {
    let client = lasthop_mqtt::MqttClientConfig {
        subscribes: ChannelSet::of(0),
        maximum_packet_size: Some(30),
        ..client_config(Version::V5, Qos::AtLeastOnce)
    };
    let mut world = World::new(client, MqttBrokerConfig::default(), 1);
    world.send_down(1);
    world.settle();
    assert_eq!(failures(&world.broker), [(1, FailureReason::TooLarge)]);
}

#[test]
fn what_nobody_is_there_for_fails_as_such() {
    let mut world = subscribed(Qos::AtMostOnce, true);
    world.cut();
    world.send_down(1);
    world.settle();
    assert_eq!(failures(&world.broker), [(1, FailureReason::NotConnected)]);
}

#[test]
fn qos_0_that_a_broken_connection_may_have_lost_fails_at_its_sender() {
    let lost = |number| (number, FailureReason::ConnectionLost);
    let mut world = subscribed(Qos::AtMostOnce, true);
    for number in 1..=3 {
        world.send_up(number);
        world.send_down(100 + number);
    }
    world.client.drain(world.now);
    world.broker.drain(world.now);
    assert_eq!(failures(&world.client), []);
    world.cut();
    assert_eq!(failures(&world.client), [1, 2, 3].map(lost));
    assert_eq!(failures(&world.broker), [101, 102, 103].map(lost));
    // The next connection begins anew.
    world.run_for(Duration::from_secs(10));
    world.send_up(4);
    world.settle();
    world.cut();
    assert_eq!(failures(&world.client), [1, 2, 3, 4].map(lost));
}

#[test]
fn what_a_session_takes_with_it_fails() {
    for (clean_start, expected) in [
        (true, vec![(1, FailureReason::ConnectionLost)]),
        (false, vec![]),
    ] {
        let mut world = subscribed(Qos::AtLeastOnce, clean_start);
        world.send_down(1);
        world.broker.drain(world.now);
        world.cut();
        assert_eq!(failures(&world.broker), expected, "{clean_start}");
    }
}

#[test]
fn qos_1_is_not_lost_with_a_connection() {
    let mut world = subscribed(Qos::AtLeastOnce, false);
    world.send_up(1);
    world.client.drain(world.now);
    world.cut();
    assert_eq!(failures(&world.client), []);
    world.run_for(Duration::from_secs(10));
    assert_eq!(world.client.acknowledged(), [1]);
}
