//! Messages between the client and the broker, with and without trouble on the way.

use lasthop_contract::{ChannelSet, DeviceId, FailureReason, MessageEvent, RandomStream};
use lasthop_mqtt::{MqttBrokerConfig, Qos, Version};
use lasthop_units::Duration;

use super::world::{World, client_config, id};

const VERSIONS: [Version; 2] = [Version::V3_1_1, Version::V5];
const QUALITIES: [Qos; 3] = [Qos::AtMostOnce, Qos::AtLeastOnce, Qos::ExactlyOnce];

fn destination() -> MqttBrokerConfig {
    MqttBrokerConfig {
        is_destination: true,
        ..MqttBrokerConfig::default()
    }
}

#[test]
fn a_message_arrives_in_each_version_and_quality() {
    for version in VERSIONS {
        for qos in QUALITIES {
            let mut world = World::new(client_config(version, qos), destination(), 1);
            assert_eq!(world.client.ready, [DeviceId(7)]);
            for number in 1..=50 {
                world.send_up(number);
            }
            world.settle();
            let numbers: Vec<u32> = world.broker.received_counts().into_keys().collect();
            assert_eq!(
                numbers,
                (1..=50).collect::<Vec<u32>>(),
                "{version:?} {qos:?}"
            );
            assert_eq!(world.broker.received.len(), 50);
            let acknowledged = if qos == Qos::AtMostOnce { 0 } else { 50 };
            assert_eq!(world.client.acknowledged().len(), acknowledged);
        }
    }
}

#[test]
fn a_command_arrives_in_each_version_and_quality() {
    for version in VERSIONS {
        for qos in QUALITIES {
            let mut client = client_config(version, qos);
            client.subscribes = ChannelSet::of(0);
            let broker = MqttBrokerConfig {
                qos,
                ..MqttBrokerConfig::default()
            };
            let mut world = World::new(client, broker, 1);
            assert_eq!(world.broker.ready, [DeviceId(7)]);
            for number in 1..=50 {
                world.send_down(number);
            }
            world.settle();
            assert_eq!(world.client.received.len(), 50, "{version:?} {qos:?}");
            assert_eq!(world.client.received_counts().len(), 50);
        }
    }
}

#[test]
fn every_split_of_the_stream_is_the_same_to_both_ends() {
    for version in VERSIONS {
        for read_size in 1..20 {
            let mut client = client_config(version, Qos::ExactlyOnce);
            client.subscribes = ChannelSet::of(0);
            client.topic_alias = true;
            let mut world = World::new(client, destination(), 1);
            world.wire.borrow_mut().read_size = read_size;
            world.send_up(1);
            world.send_up(2);
            world.settle();
            assert_eq!(world.broker.received.len(), 2, "read size {read_size}");
            assert_eq!(
                world.client.received.len(),
                2,
                "what it published comes back"
            );
        }
    }
}

#[test]
fn a_slow_transport_loses_nothing_that_waits() {
    for qos in QUALITIES {
        let mut client = client_config(Version::V5, qos);
        client.subscribes = ChannelSet::of(0);
        let mut world = World::new(client, destination(), 1);
        world.wire.borrow_mut().set_room([7; 2]);
        for number in 1..=200 {
            world.send_up(number);
        }
        world.settle();
        assert_eq!(world.broker.received_counts().len(), 200, "{qos:?}");
        assert_eq!(world.client.received_counts().len(), 200, "{qos:?}");
    }
}

#[test]
fn qos_0_without_a_connection_fails_and_qos_1_waits() {
    for (qos, failures) in [(Qos::AtMostOnce, 1), (Qos::AtLeastOnce, 0)] {
        let mut world = World::new(client_config(Version::V5, qos), destination(), 1);
        world.cut();
        world.send_up(1);
        world.run_for(Duration::from_secs(10));
        let failed = MessageEvent::Failed {
            id: id(1),
            reason: FailureReason::NotConnected,
        };
        let count = world
            .client
            .events
            .iter()
            .filter(|event| **event == failed)
            .count();
        assert_eq!(count, failures);
        assert_eq!(world.broker.received.len(), 1 - failures);
    }
}

/// 600 seeds for each version and quality: connections are cut at random moments while messages go both ways
/// through a slow transport that splits what it carries. After draining, QoS 1 has delivered all, QoS 2 all once.
#[test]
fn what_is_promised_is_kept_across_cut_connections() {
    for version in VERSIONS {
        for qos in [Qos::AtLeastOnce, Qos::ExactlyOnce] {
            for seed in 0..600 {
                cut_at_random(version, qos, seed);
            }
        }
    }
}

fn cut_at_random(version: Version, qos: Qos, seed: u64) {
    let mut client = client_config(version, qos);
    client.subscribes = ChannelSet::of(0);
    client.topic_alias = true;
    let broker = MqttBrokerConfig {
        qos,
        is_destination: true,
        ..MqttBrokerConfig::default()
    };
    let mut random = RandomStream::named(seed, "cuts");
    let mut world = World::new(client, broker, seed);
    world.wire.borrow_mut().random = Some(RandomStream::named(seed, "splits"));
    world
        .wire
        .borrow_mut()
        .set_room([1 + random.below(200) as usize; 2]);
    for number in 1..=20 {
        world.send_up(number);
        world.send_down(1000 + number);
        // Some steps of one end or the other, and then perhaps the end of the connection in the midst of it.
        for _ in 0..random.below(6) {
            world.client.drain(world.now);
            world.broker.drain(world.now);
        }
        match random.below(4) {
            0 => world.cut(),
            1 => world.run_for(Duration::from_millis(random.below(3000))),
            _ => {}
        }
    }
    world.run_for(Duration::from_secs(600));
    let (up, down) = (
        world.broker.received_counts(),
        world.client.received_counts(),
    );
    for number in 1..=20 {
        let context = format!("{version:?} {qos:?} seed {seed} number {number}");
        let sent_up = up.get(&number).copied().unwrap_or(0);
        let sent_down = down.get(&(1000 + number)).copied().unwrap_or(0);
        // What the client publishes comes back to it, as a subscriber of its own topic.
        let came_back = down.get(&number).copied().unwrap_or(0);
        for count in [sent_up, sent_down, came_back] {
            match qos {
                Qos::ExactlyOnce => assert_eq!(count, 1, "{context}"),
                _ => assert!(count >= 1, "{context}"),
            }
        }
    }
    assert_eq!(
        world.client.acknowledged().len(),
        20,
        "{version:?} {qos:?} seed {seed}"
    );
}
