use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::LookupMap;
use lasthop_units::DataSize;

use crate::{Full, Holder, Message};

/// A budget for the bytes of kept messages: in total, and for each holder.
///
/// A message that is kept several times counts once for each holder, and once for all.
#[derive(Clone, Debug)]
pub struct Budget {
    /// `None` where nothing is limited: then nothing is counted.
    kept: Option<Rc<RefCell<Kept>>>,
}

/// A charge for a message. It is released when the value is dropped.
#[derive(Debug)]
pub struct Charge {
    kept: Rc<RefCell<Kept>>,
    holder: Holder,
    message: Arc<Message>,
}

#[derive(Debug)]
struct Kept {
    most: u64,
    most_of_one: u64,
    all: Tally,
    by_holder: LookupMap<Holder, Tally>,
}

/// Messages, by where they are in memory, and how often each is kept.
#[derive(Debug, Default)]
struct Tally {
    size: u64,
    times: LookupMap<usize, u32>,
}

/// What a message costs beside its bytes: its places in memory, in bytes, rounded up.
const MESSAGE_COST: u64 = 128;

impl Budget {
    /// Creates a budget; `None` for no limit.
    #[must_use]
    pub fn new(most: Option<DataSize>, most_of_one: Option<DataSize>) -> Self {
        let is_limited = most.or(most_of_one).is_some();
        let bytes = |limit: Option<DataSize>| limit.map_or(u64::MAX, DataSize::as_bytes);
        let kept = || Kept {
            most: bytes(most),
            most_of_one: bytes(most_of_one),
            all: Tally::default(),
            by_holder: LookupMap::new(),
        };
        Self {
            kept: is_limited.then(|| Rc::new(RefCell::new(kept()))),
        }
    }

    /// Whether any limit is set.
    #[must_use]
    pub const fn is_limited(&self) -> bool {
        self.kept.is_some()
    }

    /// Charges a message to a holder.
    ///
    /// # Errors
    /// When it would be too much.
    pub fn take(
        &self,
        holder: Holder,
        message: &Arc<Message>,
    ) -> Result<Option<Box<Charge>>, Full> {
        let Some(shared) = &self.kept else {
            return Ok(None);
        };
        let kept = &mut *shared.borrow_mut();
        let of_one = kept.by_holder.get_or_insert_with(holder, Tally::default);
        let (of_all, one) = (kept.all.growth(message), of_one.growth(message));
        let left = kept.most.checked_sub(kept.all.size + of_all);
        let left = left.map(|left| share_of(left, kept.most));
        if left.is_none_or(|share| of_one.size + one > share.min(kept.most_of_one)) {
            if of_one.times.is_empty() {
                kept.by_holder.remove(&holder);
            }
            return Err(Full);
        }
        of_one.add(message);
        kept.all.add(message);
        Ok(Some(Box::new(Charge {
            kept: Rc::clone(shared),
            holder,
            message: Arc::clone(message),
        })))
    }
}

/// How much one holder may have where so much is left: the less there is, the smaller is its share of that. So of many that
/// take all they can none leaves the next one with nothing: behind *n* of them there is about an *n*-th of the budget.
fn share_of(left: u64, most: u64) -> u64 {
    if most == u64::MAX {
        return left;
    }
    let share = u128::from(left) * u128::from(left) / u128::from(most.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

impl Drop for Charge {
    fn drop(&mut self) {
        let kept = &mut *self.kept.borrow_mut();
        kept.all.remove(&self.message);
        if let Some(of_one) = kept.by_holder.get_mut(&self.holder) {
            of_one.remove(&self.message);
            if of_one.times.is_empty() {
                kept.by_holder.remove(&self.holder);
            }
        }
    }
}

impl Tally {
    /// How much more it would be with a message.
    fn growth(&self, message: &Arc<Message>) -> u64 {
        match self.times.get(&key(message)) {
            Some(_) => 0,
            None => cost_of(message),
        }
    }

    fn add(&mut self, message: &Arc<Message>) {
        self.size += self.growth(message);
        *self.times.get_or_insert_with(key(message), || 0) += 1;
    }

    fn remove(&mut self, message: &Arc<Message>) {
        let Some(times) = self.times.get_mut(&key(message)) else {
            return;
        };
        *times -= 1;
        if *times == 0 {
            self.times.remove(&key(message));
            self.size -= cost_of(message);
        }
    }
}

fn key(message: &Arc<Message>) -> usize {
    Arc::as_ptr(message).addr()
}

fn cost_of(message: &Message) -> u64 {
    message.size() as u64 + MESSAGE_COST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Identity, Origin, Publication, Qos};

    fn message(size: usize) -> Arc<Message> {
        Arc::new(Message::from(&Publication {
            topic: "t",
            payload: &vec![0; size - 1],
            properties: &[],
            qos: Qos::ExactlyOnce,
            retain: false,
            expires_at: None,
            id: None,
            origin: Origin::Gone,
        }))
    }

    fn user(number: u32) -> Holder {
        Holder::of(Identity(number), None)
    }

    fn budget(most: u64, most_of_one: u64) -> Budget {
        Budget::new(
            Some(DataSize::from_bytes(most)),
            Some(DataSize::from_bytes(most_of_one)),
        )
    }

    #[test]
    fn one_holder_and_all_together_have_no_more_than_they_may() {
        let budget = budget(10 * 1128, 2 * 1128);
        let messages = [1000; 4].map(message);
        let first = budget.take(user(1), &messages[0]).unwrap();
        let _second = budget.take(user(1), &messages[1]).unwrap();
        assert!(budget.take(user(1), &messages[2]).is_err());
        let third = budget.take(user(2), &messages[2]).unwrap();
        drop(first);
        assert!(budget.take(user(1), &messages[3]).is_ok());
        drop(third);
        let kept = budget.kept.unwrap();
        assert_eq!(kept.borrow().all.size, 1128);
        assert!(kept.borrow().by_holder.get(&user(2)).is_none());
    }

    #[test]
    fn behind_a_hundred_that_take_all_they_can_the_next_one_has_room() {
        const MIB: u64 = 1 << 20;
        let budget = budget(256 * MIB, 64 * MIB);
        let mut charges = Vec::new();
        for attacker in 0..100 {
            while let Ok(charge) = budget.take(user(attacker), &message(16 << 10)) {
                charges.push(charge);
            }
        }
        let kept = budget.kept.as_ref().unwrap().borrow().all.size;
        assert!(kept > 200 * MIB && kept < 256 * MIB, "{kept}");
        for message in [100; 50].map(message) {
            charges.push(budget.take(user(100), &message).expect("it has room"));
        }
    }

    #[test]
    fn a_message_for_many_counts_once_for_each_holder_and_once_for_all() {
        let budget = budget(12_000, 1200);
        let shared = message(1000);
        let mut charges: Vec<_> = (0..100)
            .map(|number| budget.take(user(number % 7), &shared).unwrap())
            .collect();
        assert!(budget.take(user(1), &message(1000)).is_err());
        charges.clear();
        assert!(budget.take(user(1), &message(1000)).is_ok());
    }

    #[test]
    fn without_limits_nothing_is_counted() {
        let budget = Budget::new(None, None);
        assert!(budget.take(user(1), &message(1000)).unwrap().is_none());
    }
}
