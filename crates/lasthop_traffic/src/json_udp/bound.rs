use lasthop_contract::{ConnectionId, LookupMap, RandomStream, TimerQueue};
use lasthop_units::{DataSize, Duration, Instant};

/// The subscriptions of strangers: how many there may be, whose they are, and when they lapse.
#[derive(Debug)]
pub(super) struct Bound {
    limits: SubscriptionLimits,
    subscriptions: usize,
    /// Bytes of their topics.
    size: usize,
    clients: LookupMap<ConnectionId, Subscriptions>,
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
    topics: Vec<Box<str>>,
    last_heard: Instant,
    /// When it is looked whether the client is still there.
    check_at: Instant,
}

impl Bound {
    pub(super) fn new(limits: SubscriptionLimits) -> Self {
        Self {
            limits,
            subscriptions: 0,
            size: 0,
            clients: LookupMap::new(),
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

    /// Notes a subscription; whether there is room for it.
    pub(super) fn add(&mut self, now: Instant, client: ConnectionId, topic: &str) -> bool {
        let size = self.size + topic.len();
        if self.subscriptions >= self.limits.subscriptions
            || size as u64 > self.limits.size.as_bytes()
        {
            return false;
        }
        self.subscriptions += 1;
        self.size = size;
        let check_at = now + self.limits.patience;
        if self.clients.get(&client).is_none() {
            self.timers.arm(check_at, client);
        }
        let begin = || Subscriptions {
            topics: Vec::new(),
            last_heard: now,
            check_at,
        };
        let subscriptions = self.clients.get_or_insert_with(client, begin);
        subscriptions.topics.push(topic.into());
        true
    }

    /// Takes a subscription out.
    pub(super) fn remove(&mut self, client: ConnectionId, topic: &str) {
        if let Some(subscriptions) = self.clients.get_mut(&client) {
            let before = subscriptions.topics.len();
            subscriptions.topics.retain(|known| **known != *topic);
            let gone = before - subscriptions.topics.len();
            self.subscriptions -= gone;
            self.size -= gone * topic.len();
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
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn bound(subscriptions: usize, bytes: u64, patience: Duration) -> Bound {
        Bound::new(SubscriptionLimits {
            subscriptions,
            size: DataSize::from_bytes(bytes),
            patience,
        })
    }

    #[test]
    fn long_topics_take_the_room_of_short_ones() {
        let (now, client, other) = (Instant::ZERO, ConnectionId(1), ConnectionId(2));
        let mut bound = bound(10, 5, SECOND);
        assert!(bound.add(now, client, "abc") && bound.add(now, other, "de"));
        assert!(!bound.add(now, other, "f"));
        bound.remove(other, "de");
        assert!(!bound.add(now, other, "fgh") && bound.add(now, other, "fg"));
        assert_eq!(bound.forget(client).len(), 1);
        assert!(bound.add(now, other, "hij") && !bound.add(now, other, "k"));
    }

    #[test]
    fn who_says_something_keeps_its_subscriptions() {
        let (start, client) = (Instant::ZERO, ConnectionId(1));
        let mut bound = bound(2, 100, SECOND * 10);
        assert!(bound.add(start, client, "a") && bound.add(start, client, "b"));
        assert!(!bound.add(start, ConnectionId(2), "a"));
        bound.note_heard(start + SECOND * 9, client);
        assert_eq!(bound.next_lapsed(start + SECOND * 10), None);
        assert_eq!(bound.next_deadline(), Some(start + SECOND * 19));
        assert_eq!(bound.next_lapsed(start + SECOND * 19), Some(client));
        assert_eq!(bound.forget(client).len(), 2);
        assert_eq!(bound.next_deadline(), None);
        assert!(bound.add(start, ConnectionId(2), "a"));
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
        assert!(bound.add(Instant::ZERO, client, "a"));
        bound.remove(client, "b");
        assert!(!bound.add(Instant::ZERO, client, "b"));
        bound.remove(client, "a");
        assert!(bound.add(Instant::ZERO, client, "b"));
    }
}
