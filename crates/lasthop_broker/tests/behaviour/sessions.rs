use lasthop_broker::{Full, Holder, Identity, Qos, QueuedMessage, Sessions};

use crate::support::{LIMITS, at, filter, message, publication};

#[test]
fn a_session_is_found_by_its_client_until_it_ends() {
    let mut sessions = Sessions::new(LIMITS);
    let id = sessions.open("alice", Holder::Host, ()).unwrap();
    assert_eq!(sessions.of("alice"), Some(id));
    sessions.note_filter(id, &filter("a/+")).unwrap();
    let ended = sessions.end(id).unwrap();
    assert_eq!(ended.client_id(), "alice");
    assert_eq!(ended.filters(), [Box::from("a/+")]);
    assert_eq!(sessions.of("alice"), None);
    let again = sessions.open("bob", Holder::Host, ()).unwrap();
    assert_eq!(again, id, "a number is used again");
    let filters = sessions.get(again).unwrap().filters();
    assert!(filters.is_empty(), "without what it had");
}

#[test]
fn a_parked_session_ends_at_its_time_unless_the_client_is_back() {
    let mut sessions = Sessions::new(LIMITS);
    let [alice, bob, carol] =
        ["alice", "bob", "carol"].map(|name| sessions.open(name, Holder::Host, ()).unwrap());
    sessions.park(alice, Some(at(20)));
    sessions.park(bob, Some(at(10)));
    sessions.park(carol, None);
    sessions.park(alice, Some(at(30)));
    assert_eq!(sessions.next_ending(), Some(at(10)));
    sessions.resume(bob, Holder::Host);
    assert_eq!(sessions.pop_ending(at(29)), None);
    assert_eq!(sessions.pop_ending(at(30)), Some(alice));
    assert_eq!(sessions.next_ending(), None);
}

#[test]
fn limits_hold() {
    let mut sessions = Sessions::new(LIMITS);
    let ids = ["a", "b", "c"].map(|name| sessions.open(name, Holder::Host, ()).unwrap());
    assert_eq!(sessions.open("d", Holder::Host, ()), Err(Full));
    for text in ["x", "y", "x"] {
        assert!(sessions.note_filter(ids[0], &filter(text)).is_ok());
    }
    assert_eq!(sessions.note_filter(ids[0], &filter("z")), Err(Full));
    sessions.forget_filter(ids[0], &filter("x"));
    assert!(sessions.note_filter(ids[0], &filter("z")).is_ok());
    let queued = |size: usize| QueuedMessage {
        message: message(&publication("t", &vec![0; size - 3])),
        qos: Qos::AtLeastOnce,
        retain: false,
        ids: Default::default(),
        charge: None,
    };
    for (size, has_room) in [(60, true), (41, false), (40, true), (3, false)] {
        assert_eq!(sessions.enqueue(ids[0], queued(size)), has_room, "{size} B");
    }
    for number in 0..6 {
        assert_eq!(sessions.enqueue(ids[1], queued(5)), number < 4);
    }
    let queue = &mut sessions.get_mut(ids[0]).unwrap().queue;
    queue.pop();
    assert!(
        sessions.enqueue(ids[0], queued(60)),
        "what has gone makes room"
    );
}

#[test]
fn filters_of_all_sessions_share_their_bytes() {
    let mut sessions = Sessions::new(LIMITS);
    let ids = ["a", "b"].map(|name| sessions.open(name, Holder::Host, ()).unwrap());
    let [long, longer] = [372 - 128, 628 - 128].map(|length| "x".repeat(length));
    let note = |sessions: &mut Sessions<()>, id, text| sessions.note_filter(id, &filter(text));
    assert_eq!(note(&mut sessions, ids[0], &long), Ok(()));
    assert_eq!(note(&mut sessions, ids[1], &longer), Ok(()), "1000 B");
    assert_eq!(note(&mut sessions, ids[0], "y"), Err(Full));
    assert_eq!(note(&mut sessions, ids[0], &long), Ok(()), "known");
    sessions.forget_filter(ids[0], &filter("never there"));
    assert_eq!(note(&mut sessions, ids[0], "y"), Err(Full));
    sessions.forget_filter(ids[0], &filter(&long));
    assert_eq!(note(&mut sessions, ids[1], &long), Ok(()));
    assert_eq!(note(&mut sessions, ids[0], "y"), Err(Full));
    sessions.end(ids[1]);
    assert_eq!(note(&mut sessions, ids[0], &longer), Ok(()));
    assert_eq!(note(&mut sessions, ids[0], &long), Ok(()));
}

#[test]
fn where_there_are_too_many_the_longest_parked_one_of_the_largest_holder_goes_first() {
    let mut sessions = Sessions::new(LIMITS);
    let address = |text: &str| text.parse().ok();
    let squatter = Holder::of(Identity::ANONYMOUS, address("192.0.2.1"));
    let user = Holder::of(Identity(1), address("192.0.2.1"));
    let mine = sessions.open("device", user, ()).unwrap();
    sessions.park(mine, None);
    let squats = ["a", "b"].map(|name| sessions.open(name, squatter, ()).unwrap());
    assert_eq!(sessions.open("c", squatter, ()), Err(Full));
    assert_eq!(sessions.first_to_go(), Some(mine), "nobody else is away");
    for id in squats {
        sessions.park(id, None);
    }
    assert_eq!(sessions.first_to_go(), Some(squats[0]));
    sessions.end(squats[0]);
    let third = sessions.open("c", squatter, ()).unwrap();
    sessions.park(third, None);
    assert_eq!(sessions.first_to_go(), Some(squats[1]));
    sessions.resume(squats[1], squatter);
    assert_ne!(sessions.first_to_go(), Some(squats[1]), "it is back");
}
