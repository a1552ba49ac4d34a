use core::ops::Bound;
use std::collections::BTreeMap;

use lasthop_contract::LookupMap;
use smallvec::SmallVec;

use crate::subscribers::Single;
use crate::{Qos, TopicFilter};

/// Subscriptions as a tree of topic levels, with wildcards and shared groups (MQTT 5 §4.7 and §4.8).
///
/// A publication visits the nodes that its levels and the wildcards lead to, however many subscriptions there are.
#[derive(Clone, Debug)]
pub struct SubscriptionTree<S> {
    root: Node<S>,
}

/// The options of a subscription (MQTT 5 §3.8.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionOptions {
    /// The highest QoS for the subscriber.
    pub maximum_qos: Qos,
    /// Whether the subscriber's own publications are excluded.
    pub no_local: bool,
    /// Whether messages keep the retain flag that the publisher set.
    pub retain_as_published: bool,
    /// Which retained messages are sent when a client subscribes.
    pub retain_handling: RetainHandling,
    /// The subscription identifier; 0 for none.
    pub id: u32,
}

/// Which retained messages are sent when a client subscribes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetainHandling {
    /// All that match, at each SUBSCRIBE.
    #[default]
    Send,
    /// All that match, if the subscription is new.
    SendIfNew,
    /// None.
    DoNotSend,
}

/// A subscription that matches a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionMatch<S> {
    /// The subscriber.
    pub subscriber: S,
    /// The options.
    pub options: SubscriptionOptions,
}

/// The subscriptions that match a topic.
pub type Matches<S> = SmallVec<[SubscriptionMatch<S>; 2]>;

#[derive(Clone, Debug)]
struct Node<S> {
    children: LookupMap<Box<str>, Box<Node<S>>>,
    /// `+` in place of a child's name.
    any_child: Option<Box<Node<S>>>,
    /// `#` after this level.
    from_here: Option<Box<Subscribers<S>>>,
    here: Subscribers<S>,
}

#[derive(Clone, Debug)]
struct Subscribers<S> {
    single: Single<S>,
    #[expect(
        clippy::box_collection,
        reason = "groups are rare and are to take little room"
    )]
    groups: Option<Box<BTreeMap<Box<str>, Group<S>>>>,
}

/// A shared subscription: each publication goes to one member, in turn.
#[derive(Clone, Debug)]
struct Group<S> {
    members: BTreeMap<S, SubscriptionOptions>,
    served_last: Option<S>,
}

impl<S: Copy + Ord> SubscriptionTree<S> {
    /// Creates an empty tree.
    #[must_use]
    pub const fn new() -> Self {
        Self { root: Node::new() }
    }

    /// Adds a subscription or changes its options. Returns whether it is new.
    pub fn subscribe(
        &mut self,
        filter: &TopicFilter<'_>,
        subscriber: S,
        options: SubscriptionOptions,
    ) -> bool {
        self.root
            .place(filter.filter())
            .add(filter.group(), subscriber, options)
    }

    /// Removes a subscription. Returns whether it existed.
    pub fn unsubscribe(&mut self, filter: &TopicFilter<'_>, subscriber: S) -> bool {
        self.root
            .remove(Some(filter.filter()), filter.group(), subscriber)
    }

    /// Whether there are no subscriptions.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root.is_empty()
    }

    /// Removes all subscribers except those for which `is_kept` is true.
    pub fn retain(&mut self, is_kept: impl Fn(S) -> bool) {
        self.root.retain(&is_kept);
    }

    /// Collects the subscriptions that match a topic name, in an order that depends on the tree alone. A shared group
    /// receives at its next member in turn that is `available`, or at the next member if none is.
    pub fn collect(&mut self, topic: &str, available: impl Fn(S) -> bool, into: &mut Matches<S>) {
        let is_reserved = topic.starts_with('$');
        self.root
            .collect(Some(topic), is_reserved, &available, into);
    }
}

impl<S: Copy + Ord> Default for SubscriptionTree<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Node<S> {
    const fn new() -> Self {
        Self {
            children: LookupMap::new(),
            any_child: None,
            from_here: None,
            here: Subscribers::new(),
        }
    }
}

impl<S: Copy + Ord> Node<S> {
    /// The subscribers of a filter, made where there are none.
    fn place(&mut self, filter: &str) -> &mut Subscribers<S> {
        let mut node = self;
        for level in filter.split('/') {
            node = match level {
                "#" => {
                    return node
                        .from_here
                        .get_or_insert_with(|| Box::new(Subscribers::new()));
                }
                "+" => node.any_child.get_or_insert_with(|| Box::new(Self::new())),
                name => node
                    .children
                    .get_or_insert_with(name.into(), || Box::new(Self::new())),
            };
        }
        &mut node.here
    }

    /// Takes a subscriber out and gives back what is empty then.
    fn remove(&mut self, filter: Option<&str>, group: Option<&str>, subscriber: S) -> bool {
        let Some(filter) = filter else {
            return self.here.remove(group, subscriber);
        };
        let (level, rest) = first_level(filter);
        match level {
            "#" => take_if_empty(
                &mut self.from_here,
                |subscribers| subscribers.remove(group, subscriber),
                Subscribers::is_empty,
            ),
            "+" => take_if_empty(
                &mut self.any_child,
                |node| node.remove(rest, group, subscriber),
                Self::is_empty,
            ),
            name => {
                let Some(child) = self.children.get_mut(name) else {
                    return false;
                };
                let was_there = child.remove(rest, group, subscriber);
                if child.is_empty() {
                    self.children.remove(name);
                }
                was_there
            }
        }
    }

    fn retain(&mut self, is_kept: &impl Fn(S) -> bool) {
        self.children.retain(|child| {
            child.retain(is_kept);
            !child.is_empty()
        });
        take_if_empty(
            &mut self.any_child,
            |node| {
                node.retain(is_kept);
                true
            },
            Self::is_empty,
        );
        take_if_empty(
            &mut self.from_here,
            |subscribers| {
                subscribers.retain(is_kept);
                true
            },
            Subscribers::is_empty,
        );
        self.here.retain(is_kept);
    }

    fn collect(
        &mut self,
        topic: Option<&str>,
        is_reserved: bool,
        available: &impl Fn(S) -> bool,
        into: &mut Matches<S>,
    ) {
        if !is_reserved && let Some(subscribers) = &mut self.from_here {
            subscribers.collect(available, into);
        }
        let Some(topic) = topic else {
            self.here.collect(available, into);
            return;
        };
        let (level, rest) = first_level(topic);
        if let Some(child) = self.children.get_mut(level) {
            child.collect(rest, false, available, into);
        }
        if !is_reserved && let Some(child) = &mut self.any_child {
            child.collect(rest, false, available, into);
        }
    }

    fn is_empty(&self) -> bool {
        self.children.is_empty()
            && self.any_child.is_none()
            && self.from_here.is_none()
            && self.here.is_empty()
    }
}

fn first_level(text: &str) -> (&str, Option<&str>) {
    text.split_once('/')
        .map_or((text, None), |(level, rest)| (level, Some(rest)))
}

/// Removes something from what may be there, and that itself when it is empty then.
fn take_if_empty<T>(
    place: &mut Option<Box<T>>,
    remove: impl FnOnce(&mut T) -> bool,
    is_empty: impl FnOnce(&T) -> bool,
) -> bool {
    let Some(thing) = place else { return false };
    let was_there = remove(thing);
    if is_empty(thing) {
        *place = None;
    }
    was_there
}

impl<S> Subscribers<S> {
    const fn new() -> Self {
        Self {
            single: Single::Nobody,
            groups: None,
        }
    }

    const fn is_empty(&self) -> bool {
        matches!(self.single, Single::Nobody) && self.groups.is_none()
    }
}

impl<S: Copy + Ord> Subscribers<S> {
    fn add(&mut self, group: Option<&str>, subscriber: S, options: SubscriptionOptions) -> bool {
        let Some(group) = group else {
            return self.single.add(subscriber, options);
        };
        let groups = self.groups.get_or_insert_default();
        let group = groups.entry(group.into()).or_insert_with(|| Group {
            members: BTreeMap::new(),
            served_last: None,
        });
        group.members.insert(subscriber, options).is_none()
    }

    fn remove(&mut self, group: Option<&str>, subscriber: S) -> bool {
        let Some(name) = group else {
            return self.single.remove(subscriber);
        };
        let Some(groups) = &mut self.groups else {
            return false;
        };
        let Some(group) = groups.get_mut(name) else {
            return false;
        };
        let was_there = group.members.remove(&subscriber).is_some();
        if group.members.is_empty() {
            groups.remove(name);
        }
        if groups.is_empty() {
            self.groups = None;
        }
        was_there
    }

    fn retain(&mut self, is_kept: &impl Fn(S) -> bool) {
        self.single.retain(is_kept);
        let Some(groups) = &mut self.groups else {
            return;
        };
        groups.retain(|_, group| {
            group.members.retain(|member, _| is_kept(*member));
            !group.members.is_empty()
        });
        if groups.is_empty() {
            self.groups = None;
        }
    }

    fn collect(&mut self, available: &impl Fn(S) -> bool, into: &mut Matches<S>) {
        self.single.collect(into);
        for group in self
            .groups
            .iter_mut()
            .flat_map(|groups| groups.values_mut())
        {
            into.extend(group.next(available));
        }
    }
}

impl<S: Copy + Ord> Group<S> {
    fn next(&mut self, available: &impl Fn(S) -> bool) -> Option<SubscriptionMatch<S>> {
        let after = self.served_last.map_or(Bound::Unbounded, Bound::Excluded);
        let behind = self.members.range((after, Bound::Unbounded));
        let before = self.served_last.map(|last| self.members.range(..=last));
        let mut in_turn = behind.chain(before.into_iter().flatten());
        let first = in_turn.clone().next();
        let (subscriber, options) = in_turn
            .find(|(subscriber, _)| available(**subscriber))
            .or(first)?;
        let chosen = SubscriptionMatch {
            subscriber: *subscriber,
            options: *options,
        };
        self.served_last = Some(chosen.subscriber);
        Some(chosen)
    }
}
