use std::collections::BTreeMap;

use crate::{Matches, SubscriptionMatch, SubscriptionOptions};

/// Subscribers of a filter that are not in a shared group. Most filters have one subscriber.
#[derive(Clone, Debug)]
pub(crate) enum Single<S> {
    Nobody,
    One(S, SubscriptionOptions),
    #[expect(
        clippy::box_collection,
        reason = "many are rare and are to take little room where there is one"
    )]
    Many(Box<BTreeMap<S, SubscriptionOptions>>),
}

impl<S: Copy + Ord> Single<S> {
    pub(crate) fn add(&mut self, subscriber: S, options: SubscriptionOptions) -> bool {
        match self {
            Self::Nobody => {
                *self = Self::One(subscriber, options);
                true
            }
            Self::One(known, old) if *known == subscriber => {
                *old = options;
                false
            }
            Self::One(known, old) => {
                let both = BTreeMap::from([(*known, *old), (subscriber, options)]);
                *self = Self::Many(Box::new(both));
                true
            }
            Self::Many(many) => many.insert(subscriber, options).is_none(),
        }
    }

    pub(crate) fn remove(&mut self, subscriber: S) -> bool {
        match self {
            Self::One(known, _) if *known == subscriber => {
                *self = Self::Nobody;
                true
            }
            Self::Nobody | Self::One(..) => false,
            Self::Many(many) => {
                let was_there = many.remove(&subscriber).is_some();
                if many.len() == 1
                    && let Some((only, options)) = many.pop_first()
                {
                    *self = Self::One(only, options);
                }
                was_there
            }
        }
    }

    pub(crate) fn retain(&mut self, is_kept: &impl Fn(S) -> bool) {
        let mut all = Vec::new();
        match self {
            Self::Nobody => {}
            Self::One(subscriber, _) => all.push(*subscriber),
            Self::Many(many) => all.extend(many.keys().copied()),
        }
        for subscriber in all {
            if !is_kept(subscriber) {
                self.remove(subscriber);
            }
        }
    }

    pub(crate) fn collect(&self, into: &mut Matches<S>) {
        match self {
            Self::Nobody => {}
            Self::One(subscriber, options) => into.push(SubscriptionMatch {
                subscriber: *subscriber,
                options: *options,
            }),
            Self::Many(many) => {
                into.extend(many.iter().map(|(subscriber, options)| SubscriptionMatch {
                    subscriber: *subscriber,
                    options: *options,
                }));
            }
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        matches!(self, Self::Nobody)
    }
}
