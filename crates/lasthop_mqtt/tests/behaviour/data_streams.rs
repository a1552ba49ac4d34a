//! Streams beside the first one of a connection, as EMQX 5 has them.

use lasthop_contract::Direction;
use lasthop_mqtt::codec::{Connect, PacketType};
use lasthop_mqtt::{Qos, Version};
use lasthop_units::Duration;

use super::over_quic::{CONTROL, World, publish, subscribe, unsubscribe};
use PacketType::{Connack, Pingresp, Puback, Pubcomp, Publish, Pubrec, Suback, Unsuback};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn what_comes_before_connect_waits_until_the_client_is_known() {
    let mut world = World::new();
    let data = world.open();
    world.say(data, &publish("a", Qos::AtLeastOnce, 1, "early"));
    world.run(SECOND);
    assert_eq!(world.kinds(data), []);
    world.say(CONTROL, &Connect::new(Version::V3_1_1, "hand").write());
    world.run(SECOND);
    assert_eq!(world.kinds(CONTROL), [Connack]);
    assert_eq!(world.kinds(data), [Puback]);
}

#[test]
fn a_client_that_is_refused_has_said_nothing_by_other_streams() {
    let mut world = World::new();
    let data = world.open();
    world.say(data, &publish("a", Qos::AtLeastOnce, 1, "early"));
    let nobody = Connect {
        clean_start: false,
        ..Connect::new(Version::V3_1_1, "")
    };
    world.say(CONTROL, &nobody.write());
    world.run(SECOND);
    assert_eq!(world.kinds(CONTROL), [Connack]);
    assert_eq!(world.kinds(data), []);
    assert_eq!(world.ends.server.broker.session_count(), 0);
}

#[test]
fn each_stream_counts_its_messages_for_itself() {
    let mut world = World::connected(Version::V3_1_1);
    world.say(CONTROL, &subscribe("a"));
    let streams = [world.open(), world.open()];
    for (stream, text) in streams.into_iter().zip(["one", "two"]) {
        world.say(stream, &publish("a", Qos::ExactlyOnce, 7, text));
    }
    world.run(SECOND);
    assert_eq!(world.kinds(CONTROL), [Suback], "nothing was released");
    for stream in streams {
        assert_eq!(world.kinds(stream), [Pubrec]);
        world.say(stream, &[0x62, 2, 0, 7]);
    }
    world.run(SECOND);
    for stream in streams {
        assert_eq!(world.kinds(stream), [Pubcomp]);
    }
    assert_eq!(world.kinds(CONTROL), [Publish, Publish]);
}

#[test]
fn a_filter_on_two_streams_brings_two_copies_until_one_of_them_ends() {
    let mut world = World::connected(Version::V3_1_1);
    let [one, other, from] = [(); 3].map(|()| world.open());
    for stream in [one, other] {
        world.say(stream, &subscribe("a"));
    }
    world.run(SECOND);
    world.say(from, &publish("a", Qos::AtMostOnce, 0, "x"));
    world.run(SECOND);
    assert_eq!(world.kinds(one), [Suback, Publish]);
    assert_eq!(world.kinds(other), [Suback, Publish]);
    assert_eq!(world.kinds(CONTROL), []);
    world.finish(one);
    world.run(SECOND);
    assert!(world.read(one).1, "the broker ends it, too");
    world.give_up(other);
    world.run(SECOND);
    world.say(from, &publish("a", Qos::AtLeastOnce, 1, "y"));
    world.run(SECOND);
    assert_eq!(world.kinds(from), [Puback]);
    assert!(world.read(other).0.is_empty());
    assert_eq!(world.ends.server.broker.session_count(), 1);
}

#[test]
fn a_brief_stream_ends_what_another_one_subscribed_to() {
    let mut world = World::connected(Version::V3_1_1);
    let [heard, brief] = [(); 2].map(|()| world.open());
    world.say(heard, &subscribe("a"));
    world.run(SECOND);
    world.say(brief, &unsubscribe("a"));
    world.finish(brief);
    world.run(SECOND);
    assert_eq!(world.kinds(brief), [Unsuback]);
    world.say(CONTROL, &publish("a", Qos::AtMostOnce, 0, "x"));
    world.run(SECOND);
    assert_eq!(world.kinds(heard), [Suback]);
}

#[test]
fn a_stream_ends_its_own_subscription_before_those_of_others() {
    let mut world = World::connected(Version::V3_1_1);
    let [one, other] = [(); 2].map(|()| world.open());
    for stream in [one, other] {
        world.say(stream, &subscribe("a"));
    }
    world.run(SECOND);
    world.say(one, &unsubscribe("a"));
    world.run(SECOND);
    world.say(CONTROL, &publish("a", Qos::AtMostOnce, 0, "x"));
    world.run(SECOND);
    assert_eq!(world.kinds(one), [Suback, Unsuback]);
    assert_eq!(world.kinds(other), [Suback, Publish]);
}

#[test]
fn messages_and_subscriptions_alone_go_by_further_streams() {
    for (name, packet, code) in [
        (
            "CONNECT",
            Connect::new(Version::V5, "again").write().to_vec(),
            0x82,
        ),
        ("CONNACK", vec![0x20, 3, 0, 0, 0], 0x82),
        ("SUBACK", vec![0x90, 4, 0, 1, 0, 0], 0x82),
        ("PINGREQ", vec![0xc0, 0], 0x82),
        ("PINGRESP", vec![0xd0, 0], 0x82),
        ("DISCONNECT", vec![0xe0, 0], 0x82),
        ("AUTH", vec![0xf0, 0], 0x82),
        ("the reserved type 0", vec![0x00, 0], 0x81),
    ] {
        let mut world = World::connected(Version::V5);
        let [bad, good] = [(); 2].map(|()| world.open());
        world.say(bad, &packet);
        world.run(SECOND);
        assert_eq!(world.code_of(bad), Some(code), "{name}");
        world.say(CONTROL, &[0xc0, 0]);
        world.say(good, &[0x82, 7, 0, 9, 0, 0, 1, b'a', 2]);
        world.run(SECOND);
        assert_eq!(world.kinds(CONTROL), [Pingresp], "{name}");
        assert_eq!(world.kinds(good), [Suback], "{name}");
    }
}

#[test]
fn a_stream_that_ends_in_the_middle_of_a_message_has_said_nothing() {
    let mut world = World::connected(Version::V3_1_1);
    let [heard, cut] = [(); 2].map(|()| world.open());
    world.say(heard, &subscribe("a"));
    let message = publish("a", Qos::AtLeastOnce, 1, "a message of some length");
    world.say(cut, &message[..10]);
    world.run(SECOND);
    world.give_up(cut);
    world.run(SECOND);
    assert_eq!(world.kinds(heard), [Suback]);
    let again = world.open();
    world.say(again, &message);
    world.run(SECOND);
    assert_eq!(world.kinds(again), [Puback]);
    assert_eq!(world.kinds(heard), [Publish]);
}

#[test]
fn all_streams_end_with_the_first_and_leave_nothing_behind() {
    for says_good_bye in [true, false] {
        let mut world = World::connected(Version::V3_1_1);
        for filter in ["a", "b"] {
            let stream = world.open();
            world.say(stream, &subscribe(filter));
        }
        world.run(SECOND);
        if says_good_bye {
            world.say(CONTROL, &[0xe0, 0]);
        }
        world.finish(CONTROL);
        world.run(SECOND);
        assert!(world.read(CONTROL).1);
        world.run(SECOND);
        assert_eq!(world.ends.server.broker.session_count(), 0, "a clean one");
        assert!(world.ends.server.broker.is_free(), "{says_good_bye}");
    }
}

/// The wire loses the first packet that is sent: what is said by the other stream does not wait for it.
#[test]
fn a_lost_message_keeps_those_of_its_own_stream_waiting_alone() {
    for (others, after) in [(true, 1), (false, 2)] {
        let mut world = World::connected(Version::V3_1_1);
        let one = world.open();
        let other = if others { world.open() } else { one };
        world.say(one, &publish("a", Qos::AtLeastOnce, 1, "lost"));
        let next = world.ends.sent(Direction::Up);
        world.ends.lost = vec![(Direction::Up, next)];
        world.run(Duration::from_millis(10));
        world.say(other, &publish("b", Qos::AtLeastOnce, 2, "not lost"));
        world.run(Duration::from_millis(105));
        let come = world.kinds(other).len();
        assert_eq!(come, usize::from(others), "within a round trip");
        world.run(SECOND);
        let rest = world.kinds(other).len() + come;
        assert_eq!(rest, after, "in the end");
    }
}
