use core::num::NonZero;
use std::sync::Arc;

use lasthop_broker::{
    BrokerCore, BrokerLimits, BrokerService, Everybody, Holder, Identity, Matches, Origin,
    Publication, RetainedSearch, SharedPublication, SubscriptionOptions,
};
use lasthop_contract::{FlowId, Keeping, MessageId, Survives, WakeFlag};

use crate::support::{
    LIMITS, at, deliveries, filter, message, publication, publish, retained, subscribe,
};

fn three_services() -> ([BrokerService; 3], WakeFlag) {
    let wake = WakeFlag::new();
    let core = BrokerCore::new(LIMITS, Box::new(Everybody), wake.clone());
    ([core.service(), core.service(), core.service()], wake)
}

#[test]
fn what_one_service_publishes_reaches_the_subscribers_of_all() {
    let ([mut mqtt, mut coap, mut json], wake) = three_services();
    subscribe(&mut mqtt, 7, "a/+");
    subscribe(&mut coap, 1, "a/b");
    subscribe(&mut coap, 2, "a/#");
    subscribe(&mut json, 1, "c");
    let (own, published) = publish(&mut mqtt, &publication("a/b", b"x"));
    assert_eq!(own, [7]);
    assert!(published.has_recipient && wake.take());
    assert_eq!(deliveries(&mut coap), [("a/b".to_owned(), vec![1, 2])]);
    assert_eq!(deliveries(&mut coap), [], "once");
    assert_eq!(deliveries(&mut json), []);
    assert_eq!(
        deliveries(&mut mqtt),
        [],
        "its own come back to the publisher at once"
    );
}

#[test]
fn nobody_is_woken_where_nobody_else_wants_it() {
    let ([mut mqtt, mut coap, _], wake) = three_services();
    subscribe(&mut mqtt, 7, "a");
    subscribe(&mut coap, 1, "b");
    publish(&mut mqtt, &publication("a", b"x"));
    assert!(!wake.take());
    let (own, published) = publish(&mut mqtt, &publication("c", b"x"));
    assert!(own.is_empty() && !published.has_recipient);
}

#[test]
fn a_subscriber_is_left_out_of_its_own_where_it_asks_so() {
    let ([mut mqtt, mut coap, _], _) = three_services();
    let options = SubscriptionOptions {
        no_local: true,
        ..SubscriptionOptions::default()
    };
    mqtt.subscribe(7, &filter("a"), options);
    coap.subscribe(7, &filter("a"), options);
    let own = Publication {
        origin: Origin::Client(mqtt.subscriber(7)),
        ..publication("a", b"x")
    };
    assert_eq!(publish(&mut mqtt, &own).0, []);
    assert_eq!(
        deliveries(&mut coap).len(),
        1,
        "the same number is somebody else there"
    );
}

#[test]
fn a_group_may_have_members_at_several_services_and_passes_over_who_is_away() {
    let ([mut mqtt, mut coap, _], _) = three_services();
    subscribe(&mut mqtt, 1, "$share/g/a");
    subscribe(&mut coap, 1, "$share/g/a");
    let served = |mqtt: &mut BrokerService, coap: &mut BrokerService| {
        let (own, _) = publish(mqtt, &publication("a", b"x"));
        (own.len(), deliveries(coap).len())
    };
    assert_eq!(
        [served(&mut mqtt, &mut coap), served(&mut mqtt, &mut coap)],
        [(1, 0), (0, 1)]
    );
    mqtt.set_absent(1, true);
    assert_eq!(
        [served(&mut mqtt, &mut coap), served(&mut mqtt, &mut coap)],
        [(0, 1), (0, 1)]
    );
    mqtt.set_absent(1, false);
    assert_eq!(served(&mut mqtt, &mut coap), (1, 0));
    coap.set_absent(1, true);
    mqtt.set_absent(1, true);
    assert_eq!(
        served(&mut mqtt, &mut coap),
        (0, 1),
        "in turn when nobody is there"
    );
}

#[test]
fn what_becomes_of_a_message_of_one_service_is_no_news_of_another() {
    let ([mut mqtt, mut coap, _], _) = three_services();
    subscribe(&mut coap, 1, "a");
    let own = Publication {
        origin: Origin::Broker,
        id: Some(MessageId {
            flow: FlowId(3),
            number: NonZero::new(4).unwrap(),
        }),
        ..publication("a", b"x")
    };
    publish(&mut mqtt, &own);
    let delivery = coap.next_delivery().unwrap();
    let crossed = delivery.message.publication();
    assert_eq!(crossed.origin, Origin::Gone);
    assert_eq!((crossed.id, crossed.payload), (own.id, own.payload));
}

#[test]
fn who_leaves_takes_its_subscriptions_along_and_no_others() {
    let ([mut mqtt, mut coap, mut json], _) = three_services();
    for (number, text) in (0..).zip(["a", "a/+", "#", "$share/g/a", "+/b"]) {
        for service in [&mut mqtt, &mut coap, &mut json] {
            subscribe(service, number, text);
        }
    }
    publish(&mut mqtt, &publication("a", b"x"));
    coap.leave();
    assert_eq!(
        deliveries(&mut coap),
        [],
        "what waited for its clients is gone, too"
    );
    deliveries(&mut json);
    let (own, _) = publish(&mut mqtt, &publication("a/b", b"x"));
    assert_eq!(own, [1, 2, 4]);
    assert_eq!(deliveries(&mut json), [("a/b".to_owned(), vec![1, 2, 4])]);
    assert_eq!(deliveries(&mut coap), []);
    json.forget(2, ["#"]);
    mqtt.leave();
    publish(&mut mqtt, &publication("x/y/z", b"x"));
    assert_eq!(deliveries(&mut json), []);
    subscribe(&mut coap, 1, "x/#");
    publish(&mut mqtt, &publication("x/y/z", b"x"));
    assert_eq!(deliveries(&mut coap).len(), 1, "and it may come back");
}

#[test]
fn a_service_that_is_not_asked_is_not_filled_without_end() {
    let ([mut mqtt, mut coap, _], _) = three_services();
    subscribe(&mut coap, 1, "a");
    let payload = vec![0; 1 << 20];
    let dropped = |_| publish(&mut mqtt, &publication("a", &payload)).1.dropped;
    assert_eq!((0..70).map(dropped).sum::<u64>(), 7, "64 MiB wait");
    assert_eq!(deliveries(&mut coap).len(), 63);
    publish(&mut mqtt, &publication("a", &payload));
    assert_eq!(deliveries(&mut coap).len(), 1, "then there is room again");
}

#[test]
fn retained_messages_are_limited_and_are_those_of_all_services() {
    let ([mut mqtt, mut coap, _], _) = three_services();
    for topic in ["1", "2", "1", "3"] {
        let published = publish(&mut mqtt, &retained(topic, b"x")).1;
        assert_eq!(published.dropped, 0, "{topic}");
    }
    assert_eq!(coap.retained(at(0), &filter("#")).len(), 2);
    assert_eq!(coap.retained_of(at(0), "1").unwrap().topic(), "1");
    assert!(
        coap.retained_of(at(0), "2").is_none(),
        "it was there longest"
    );
    for (sessions, left) in [(Keeping::Flash, 2), (Keeping::Memory, 0)] {
        mqtt.crash(Survives {
            sessions,
            ..Survives::default()
        });
        assert_eq!(coap.retained(at(0), &filter("#")).len(), left);
    }
}

#[test]
fn the_bytes_of_retained_messages_are_limited() {
    let ([mut mqtt, ..], _) = three_services();
    // With its topic and properties, 3 B; what is put in place of another counts alone, and what is cleared not at all.
    let steps = [
        ("1", 57, 0, &[60][..]),
        ("2", 40, 0, &[43]),
        ("1", 47, 0, &[50, 43]),
        ("2", 47, 0, &[50, 50]),
        ("2", 98, 1, &[50, 50]),
        ("1", 0, 0, &[50]),
        ("2", 97, 0, &[100]),
    ];
    for (topic, length, dropped, left) in steps {
        let payload = vec![b'x'; length];
        let published = publish(&mut mqtt, &retained(topic, &payload)).1;
        assert_eq!(published.dropped, dropped, "{length} B for {topic}");
        let kept = mqtt.retained(at(0), &filter("#"));
        let lengths: Vec<usize> = kept.iter().map(|it| it.size()).collect();
        assert_eq!(lengths, left, "{length} B for {topic}");
    }
}

#[test]
fn who_retains_too_much_loses_its_own() {
    let mut core = BrokerCore::of_one_service(LIMITS);
    let holder = |number| Holder::of(Identity(number), None);
    for (number, topic) in [(1, "honest"), (2, "a"), (2, "b"), (2, "c")] {
        let publication = retained(topic, b"x");
        let mut shared = SharedPublication::new(&publication);
        core.publish_for(holder(number), &mut shared, &mut Matches::new());
    }
    assert!(core.retained_of(at(0), "honest").is_some());
    assert!(core.retained_of(at(0), "c").is_some());
    assert_eq!(core.retained(at(0), &filter("#")).len(), 2);
}

#[test]
fn retained_messages_come_in_the_order_of_their_topics_until_they_expire() {
    let mut core = BrokerCore::of_one_service(BrokerLimits::default());
    for (topic, expires_at) in [
        ("a/c", None),
        ("a/b", Some(at(5))),
        ("a", None),
        ("ab", None),
        ("$s", None),
    ] {
        let kept = Publication {
            expires_at,
            ..retained(topic, b"x")
        };
        publish(&mut core, &kept);
    }
    assert!(core.retained_of(at(4), "a/b").is_some());
    assert!(core.retained_of(at(5), "a/b").is_none());
    let mut topics = |now, text| -> Vec<String> {
        let found = core.retained(now, &filter(text));
        let topics = found.iter().map(|message| message.topic().to_owned());
        topics.collect()
    };
    assert_eq!(topics(at(4), "a/#"), ["a", "a/b", "a/c"]);
    assert_eq!(topics(at(5), "a/#"), ["a", "a/c"]);
    assert_eq!(topics(at(0), "#"), ["a", "a/c", "ab"]);
    assert_eq!(topics(at(0), "$s"), ["$s"]);
    publish(&mut core, &retained("a", b""));
    let mut count = |text| core.retained(at(9), &filter(text)).len();
    assert_eq!((count("a"), count("a/c"), count("+/c")), (0, 1, 1));
}

#[test]
fn a_search_in_parts_finds_the_same_and_looks_at_no_more_than_it_may() {
    let mut core = BrokerCore::of_one_service(BrokerLimits::default());
    for number in 0..100 {
        let expires_at = (number % 10 == 3).then(|| at(5));
        let topic = format!("a/{number:02}/{}", number % 2);
        publish(
            &mut core,
            &Publication {
                expires_at,
                ..retained(&topic, b"x")
            },
        );
    }
    publish(&mut core, &retained("b", b"x"));
    for (text, now, found) in [
        ("a/+/1", 4, 50),
        ("a/+/1", 6, 40),
        ("#", 6, 91),
        ("c/#", 6, 0),
    ] {
        let whole = core.retained(at(now), &filter(text));
        for (most_topics, most_messages) in [(1, 7), (7, 1), (1000, 1000)] {
            let mut search = RetainedSearch::of(&filter(text));
            let mut messages = Vec::new();
            while !search.is_over() {
                let part = core.search_retained(at(now), &mut search, most_topics, most_messages);
                assert!(part.looked_at <= most_topics && part.messages.len() <= most_messages);
                messages.extend(part.messages);
            }
            assert_eq!(messages.len(), found, "{text}");
            assert!(
                messages
                    .iter()
                    .zip(&whole)
                    .all(|(one, same)| Arc::ptr_eq(one, same))
            );
        }
    }
}

#[test]
fn a_message_gives_back_what_was_published() {
    let kept = message(&Publication {
        expires_at: Some(at(1)),
        ..publication("t", b"payload")
    });
    let publication = kept.publication();
    assert_eq!(publication.topic, "t");
    assert_eq!(publication.payload, b"payload");
    assert_eq!(publication.properties, [1, 1]);
    assert!(!kept.is_expired(at(0)) && kept.is_expired(at(1)));
}
