use super::*;

const PLACES: usize = 6;
const CONNECTIONS: usize = 5;
const HOW: Established = Established::Full;

fn id(number: u64) -> ConnectionId {
    ConnectionId(number)
}

fn accept(number: u64) -> Next {
    Next::Accept(id(number), HOW)
}

/// Connections from 0 on wait to be accepted.
fn waiting(count: u64) -> Acceptor {
    let mut acceptor = Acceptor::default();
    for number in 0..count {
        assert!(acceptor.put(id(number), HOW, PLACES));
    }
    acceptor
}

/// One is accepted already, so that errors are told.
fn serving() -> Acceptor {
    let mut acceptor = waiting(1);
    assert_eq!(acceptor.next(0, CONNECTIONS), accept(0));
    acceptor
}

fn put_errors(acceptor: &mut Acceptor, count: usize) {
    for _ in 0..count {
        acceptor.put_error(PLACES, |_| true);
    }
}

/// What a task does while so much is there to be read each time, until it pauses.
fn does(acceptor: &mut Acceptor, readable: usize, most: usize) -> Vec<Next> {
    (0..most)
        .map(|_| acceptor.next(readable, CONNECTIONS))
        .take_while(|next| *next != Next::Pause)
        .collect()
}

#[test]
fn nothing_waits_and_nothing_is_accepted() {
    let mut acceptor = Acceptor::default();
    assert!(acceptor.is_empty());
    assert_eq!(acceptor.next(0, CONNECTIONS), Next::Pause);
    assert_eq!(acceptor.next(1, CONNECTIONS), Next::Read);
    assert_eq!(acceptor.next(0, CONNECTIONS), Next::Pause);
}

#[test]
fn one_that_waits_is_accepted_at_once_by_a_task_with_nothing_to_read() {
    let mut acceptor = waiting(1);
    assert_eq!(does(&mut acceptor, 0, 10), [accept(0)]);
    assert!(acceptor.is_empty());
}

#[test]
fn a_turn_reads_all_that_is_there_and_accepts_one() {
    let mut acceptor = waiting(3);
    let done = does(&mut acceptor, 2, 7);
    let (read, one, two) = (Next::Read, accept(0), accept(1));
    assert_eq!(done, [read, read, one, read, read, two, read]);
}

#[test]
fn what_comes_after_a_turn_began_waits_for_the_next() {
    let mut acceptor = Acceptor::default();
    assert_eq!(acceptor.next(2, CONNECTIONS), Next::Read);
    assert!(acceptor.put(id(0), HOW, PLACES));
    assert_eq!(acceptor.next(1, CONNECTIONS), Next::Read);
    assert_eq!(acceptor.next(1, CONNECTIONS), Next::Read);
    assert_eq!(acceptor.next(0, CONNECTIONS), accept(0));
}

#[test]
fn the_last_place_is_taken_and_no_other() {
    let mut acceptor = waiting(PLACES as u64);
    assert!(!acceptor.put(id(6), HOW, PLACES));
    assert!(acceptor.has_refused(id(6)) && !acceptor.holds(id(6)));
    acceptor.forget_refused(id(6));
    assert!(!acceptor.has_refused(id(6)));
    assert_eq!(acceptor.next(0, CONNECTIONS), accept(0));
    assert!(acceptor.put(id(7), HOW, PLACES));
    assert!(!acceptor.put(id(8), HOW, PLACES));
}

#[test]
fn errors_take_the_places_of_connections() {
    let mut acceptor = serving();
    put_errors(&mut acceptor, PLACES - 1);
    assert!(acceptor.put(id(1), HOW, PLACES));
    assert!(!acceptor.put(id(2), HOW, PLACES));
    // One more error finds no place, and nobody is told of it.
    put_errors(&mut acceptor, 1);
    assert_eq!(
        does(&mut acceptor, 0, 10),
        [[Next::Error; 5].as_slice(), &[accept(1)]].concat()
    );
}

#[test]
fn a_mailbox_full_of_errors_is_emptied_one_a_turn() {
    let mut acceptor = serving();
    put_errors(&mut acceptor, 100);
    assert!(!acceptor.put(id(1), HOW, PLACES));
    assert_eq!(does(&mut acceptor, 1, 2), [Next::Read, Next::Error]);
    assert!(acceptor.put(id(2), HOW, PLACES));
}

#[test]
fn nobody_is_told_while_all_connections_wait() {
    let mut acceptor = waiting(CONNECTIONS as u64);
    put_errors(&mut acceptor, 1);
    assert_eq!(does(&mut acceptor, 1, 2), [Next::Read, accept(0)]);
    put_errors(&mut acceptor, 2);
    assert!(!acceptor.put(id(5), HOW, PLACES));
    // One that was accepted and is gone takes no connection any more.
    let mut acceptor = serving();
    acceptor.put_error(PLACES, |_| false);
    assert!(acceptor.is_empty());
}

#[test]
fn a_task_that_serves_as_many_as_it_can_takes_no_error() {
    let mut acceptor = waiting(CONNECTIONS as u64);
    assert_eq!(does(&mut acceptor, 0, 10).len(), CONNECTIONS);
    put_errors(&mut acceptor, 2);
    assert!(!acceptor.may_accept(CONNECTIONS));
    assert_eq!(acceptor.next(0, CONNECTIONS), Next::Pause);
    acceptor.leave(id(3), |_| true);
    assert_eq!(does(&mut acceptor, 0, 10), [Next::Error; 2]);
}

#[test]
fn a_connection_that_is_gone_keeps_its_place() {
    let mut acceptor = waiting(2);
    acceptor.lose(id(0));
    assert!(!acceptor.holds(id(0)) && acceptor.holds(id(1)));
    assert_eq!(does(&mut acceptor, 0, 10), [Next::Error, accept(1)]);
}

#[test]
fn what_this_end_opened_is_not_accepted() {
    let mut acceptor = Acceptor::default();
    acceptor.note_opened(id(1), |_| true);
    acceptor.note_opened(id(2), |it| it != id(1));
    assert!(acceptor.has_opened(id(2)) && !acceptor.has_opened(id(1)));
    // It takes a connection all the same.
    acceptor.put_error(PLACES, |_| true);
    assert_eq!(does(&mut acceptor, 0, 10), [Next::Error]);
}
