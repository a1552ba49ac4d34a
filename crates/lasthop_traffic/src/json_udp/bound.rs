use std::collections::BTreeMap;

use lasthop_broker::Holder;
use lasthop_contract::{ConnectionId, LookupMap, RandomStream, TimerQueue};
use lasthop_units::{DataSize, Duration, Instant};

/// The subscriptions of strangers: how many there may be, whose they are, and when they lapse.
#[derive(Debug)]
pub(super) struct Bound {
    limits: SubscriptionLimits,
    subscriptions: usize,
    /// Bytes of their topics.
    size: usize,
    clients: BTreeMap<ConnectionId, Subscriptions>,
    /// The number of subscriptions of each address.
    by_holder: BTreeMap<Holder, usize>,
    timers: TimerQueue<ConnectionId>,
    proofs: Option<Box<Proofs>>,
}

/// Which clients have shown that they receive what is sent to their address.
#[derive(Debug)]
struct Proofs {
    by_client: LookupMap<ConnectionId, Proof>,
    stream: RandomStream,
}

#[derive(Debug)]
enum Proof {
    /// The client is to give these letters back.
    Awaited(Box<str>),
    Given,
}

/// The limits on subscriptions of unknown clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionLimits {
    /// The maximum number of subscriptions of all unknown clients.
    pub subscriptions: usize,
    /// The maximum size of their topics, summed up.
    pub size: DataSize,
    /// The idle time after which a client's subscriptions end.
    pub patience: Duration,
}

#[derive(Debug)]
struct Subscriptions {
    holder: Holder,
    topics: Vec<Box<str>>,
    last_heard: Instant,
    /// When it is looked whether the client is still there.
    check_at: Instant,
}

/// An address with fewer subscriptions than this finds room where another one has more.
const SHARE: usize = 16;

impl Bound {
    pub(super) fn new(limits: SubscriptionLimits) -> Self {
        Self {
            limits,
            subscriptions: 0,
            size: 0,
            clients: BTreeMap::new(),
            by_holder: BTreeMap::new(),
            timers: TimerQueue::new(),
            proofs: None,
        }
    }

    pub(super) fn ask_for_proof(&mut self, stream: RandomStream) {
        self.proofs = Some(Box::new(Proofs {
            by_client: LookupMap::new(),
            stream,
        }));
    }

    /// Takes what a client gives back; what it is to give back where it has shown nothing yet.
    pub(super) fn challenge(&mut self, client: ConnectionId, echo: &str) -> Option<Box<str>> {
        let Proofs { by_client, stream } = self.proofs.as_deref_mut()?;
        // With 12 digits the challenge is shorter than every subscription.
        let draw = || Proof::Awaited(format!("{:012x}", stream.next_u64() >> 16).into());
        let proof = by_client.get_or_insert_with(client, draw);
        match proof {
            Proof::Awaited(awaited) if **awaited != *echo => Some(awaited.clone()),
            _ => {
                *proof = Proof::Given;
                None
            }
        }
    }

    /// Whether a client has shown that it receives at its address, where it has to.
    pub(super) fn is_proven(&self, client: ConnectionId) -> bool {
        self.proofs
            .as_deref()
            .is_none_or(|it| matches!(it.by_client.get(&client), Some(Proof::Given)))
    }

    /// A flow is gone.
    pub(super) fn close(&mut self, client: ConnectionId) {
        if let Some(proofs) = &mut self.proofs {
            proofs.by_client.remove(&client);
        }
    }

    /// The client whose subscriptions make room for one of an address that has few: of the address with the most, the client that
    /// was silent for longest. `None` if there is room, or none is made.
    pub(super) fn first_to_go(&self, holder: Holder, topic: &str) -> Option<ConnectionId> {
        let own = self.by_holder.get(&holder).copied().unwrap_or_default();
        if self.has_room(topic) || own >= SHARE {
            return None;
        }
        let others = self.by_holder.iter().filter(|(of, _)| **of != holder);
        let (largest, _) = others
            .max_by_key(|(_, count)| **count)
            .filter(|(_, count)| **count > own + 1)?;
        let clients = self.clients.iter();
        let of_largest = clients.filter(|(_, it)| it.holder == *largest);
        let silent = of_largest.min_by_key(|(client, it)| (it.last_heard, client.0));
        silent.map(|(client, _)| *client)
    }

    fn has_room(&self, topic: &str) -> bool {
        let size = self.size + topic.len();
        self.subscriptions < self.limits.subscriptions && size as u64 <= self.limits.size.as_bytes()
    }

    /// Notes a subscription; whether there is room for it.
    pub(super) fn add(
        &mut self,
        now: Instant,
        client: ConnectionId,
        holder: Holder,
        topic: &str,
    ) -> bool {
        if !self.has_room(topic) {
            return false;
        }
        self.subscriptions += 1;
        self.size += topic.len();
        *self.by_holder.entry(holder).or_default() += 1;
        let check_at = now + self.limits.patience;
        if !self.clients.contains_key(&client) {
            self.timers.arm(check_at, client);
        }
        let begin = || Subscriptions {
            holder,
            topics: Vec::new(),
            last_heard: now,
            check_at,
        };
        let subscriptions = self.clients.entry(client).or_insert_with(begin);
        subscriptions.topics.push(topic.into());
        true
    }

    /// Takes a subscription out.
    pub(super) fn remove(&mut self, client: ConnectionId, topic: &str) {
        if let Some(subscriptions) = self.clients.get_mut(&client) {
            let before = subscriptions.topics.len();
            subscriptions.topics.retain(|known| **known != *topic);
            let gone = before - subscriptions.topics.len();
            let holder = subscriptions.holder;
            self.subscriptions -= gone;
            self.size -= gone * topic.len();
            self.give_back(holder, gone);
        }
    }

    fn give_back(&mut self, holder: Holder, gone: usize) {
        if let Some(count) = self.by_holder.get_mut(&holder) {
            *count -= gone;
            if *count == 0 {
                self.by_holder.remove(&holder);
            }
        }
    }

    pub(super) fn note_heard(&mut self, now: Instant, client: ConnectionId) {
        if let Some(subscriptions) = self.clients.get_mut(&client) {
            subscriptions.last_heard = now;
        }
    }

    /// Takes out all that a client has.
    pub(super) fn forget(&mut self, client: ConnectionId) -> Vec<Box<str>> {
        let Some(subscriptions) = self.clients.remove(&client) else {
            return Vec::new();
        };
        self.timers.disarm(subscriptions.check_at, client);
        self.subscriptions -= subscriptions.topics.len();
        self.give_back(subscriptions.holder, subscriptions.topics.len());
        self.size -= subscriptions
            .topics
            .iter()
            .map(|it| it.len())
            .sum::<usize>();
        subscriptions.topics
    }

    /// The next client that has been silent for too long.
    pub(super) fn next_lapsed(&mut self, now: Instant) -> Option<ConnectionId> {
        while let Some(client) = self.timers.pop_due(now) {
            let Some(subscriptions) = self.clients.get_mut(&client) else {
                continue;
            };
            let lapses_at = subscriptions.last_heard + self.limits.patience;
            subscriptions.check_at = lapses_at;
            if lapses_at <= now {
                return Some(client);
            }
            self.timers.arm(lapses_at, client);
        }
        None
    }

    /// When the next client may have been silent for too long.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.timers.next_deadline()
    }

    pub(super) fn clear(&mut self) {
        let proofs = self.proofs.take();
        *self = Self::new(self.limits);
        if let Some(proofs) = proofs {
            self.ask_for_proof(proofs.stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::net::{IpAddr, Ipv4Addr};

    use lasthop_broker::Identity;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn bound(subscriptions: usize, bytes: u64, patience: Duration) -> Bound {
        Bound::new(SubscriptionLimits {
            subscriptions,
            size: DataSize::from_bytes(bytes),
            patience,
        })
    }

    fn of(host: u8) -> Holder {
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, host));
        Holder::of(Identity::ANONYMOUS, Some(address))
    }

    #[test]
    fn an_address_with_few_subscriptions_finds_room_where_another_has_many() {
        let (start, patience) = (Instant::ZERO, SECOND * 100);
        let mut bound = bound(40, 1_000, patience);
        for number in 0..40 {
            let client = ConnectionId(number / 20);
            assert_eq!(bound.first_to_go(of(1), "t"), None);
            assert!(bound.add(start + SECOND * number, client, of(1), &number.to_string()));
        }
        // Its own address makes no room, and one with a share neither.
        assert_eq!(bound.first_to_go(of(1), "t"), None);
        assert_eq!(bound.first_to_go(of(2), "t"), Some(ConnectionId(0)));
        assert_eq!(bound.forget(ConnectionId(0)).len(), 20);
        for number in 0..20 {
            assert!(bound.add(start, ConnectionId(9), of(2), &format!("t{number}")));
        }
        assert_eq!(bound.first_to_go(of(2), "t"), None, "it has its share");
        assert_eq!(
            bound
                .first_to_go(of(3), "t")
                .map(|it| bound.forget(it).len()),
            Some(20)
        );
    }

    #[test]
    fn long_topics_take_the_room_of_short_ones() {
        let (now, client, other) = (Instant::ZERO, ConnectionId(1), ConnectionId(2));
        let mut bound = bound(10, 5, SECOND);
        assert!(bound.add(now, client, of(1), "abc") && bound.add(now, other, of(1), "de"));
        assert!(!bound.add(now, other, of(1), "f"));
        bound.remove(other, "de");
        assert!(!bound.add(now, other, of(1), "fgh") && bound.add(now, other, of(1), "fg"));
        assert_eq!(bound.forget(client).len(), 1);
        assert!(bound.add(now, other, of(1), "hij") && !bound.add(now, other, of(1), "k"));
    }

    #[test]
    fn who_says_something_keeps_its_subscriptions() {
        let (start, client) = (Instant::ZERO, ConnectionId(1));
        let mut bound = bound(2, 100, SECOND * 10);
        assert!(bound.add(start, client, of(1), "a") && bound.add(start, client, of(1), "b"));
        assert!(!bound.add(start, ConnectionId(2), of(1), "a"));
        bound.note_heard(start + SECOND * 9, client);
        assert_eq!(bound.next_lapsed(start + SECOND * 10), None);
        assert_eq!(bound.next_deadline(), Some(start + SECOND * 19));
        assert_eq!(bound.next_lapsed(start + SECOND * 19), Some(client));
        assert_eq!(bound.forget(client).len(), 2);
        assert_eq!(bound.next_deadline(), None);
        assert!(bound.add(start, ConnectionId(2), of(1), "a"));
    }

    #[test]
    fn a_client_is_asked_until_it_gives_back_its_own_challenge() {
        let (client, other) = (ConnectionId(1), ConnectionId(2));
        let mut bound = bound(1, 100, SECOND);
        assert_eq!(bound.challenge(client, ""), None, "nobody is asked");
        bound.ask_for_proof(RandomStream::named(1, "proofs"));
        let asked = bound.challenge(client, "").expect("it is asked");
        let of_other = bound.challenge(other, &asked).expect("it is asked");
        assert_ne!(asked, of_other);
        assert_eq!(bound.challenge(client, "0"), Some(asked.clone()));
        assert!(!bound.is_proven(client));
        assert_eq!(bound.challenge(client, &asked), None);
        assert!(bound.is_proven(client) && bound.challenge(client, "").is_none());
        bound.close(client);
        assert!(bound.challenge(client, &asked).is_some(), "another flow");
    }

    #[test]
    fn a_subscription_that_is_taken_out_makes_room() {
        let client = ConnectionId(1);
        let mut bound = bound(1, 100, SECOND);
        assert!(bound.add(Instant::ZERO, client, of(1), "a"));
        bound.remove(client, "b");
        assert!(!bound.add(Instant::ZERO, client, of(1), "b"));
        bound.remove(client, "a");
        assert!(bound.add(Instant::ZERO, client, of(1), "b"));
    }
}
