use std::collections::{BTreeMap, BTreeSet};

use lasthop_broker::{
    MAX_LEVELS, Matches, Qos, SubscriptionOptions, SubscriptionTree, TopicFilter, is_topic_name,
};
use lasthop_contract::RandomStream;

fn options(id: u32) -> SubscriptionOptions {
    SubscriptionOptions {
        id,
        ..SubscriptionOptions::default()
    }
}

fn draw<'a>(random: &mut RandomStream, words: &[&'a str]) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

fn topic(random: &mut RandomStream) -> String {
    let levels = 1 + random.below(4);
    let mut names: Vec<&str> = (0..levels).map(|_| draw(random, &["a", "b", ""])).collect();
    names[0] = draw(random, &["a", "b", "", "$SYS"]);
    names.join("/")
}

fn filter(random: &mut RandomStream) -> String {
    let levels = 1 + random.below(4);
    let mut names: Vec<&str> = (0..levels)
        .map(|_| draw(random, &["a", "b", "", "+", "+"]))
        .collect();
    if random.below(3) == 0 {
        names.push("#");
    }
    if random.below(8) == 0 {
        names[0] = "$SYS";
    }
    names.join("/")
}

/// A list of subscriptions, asked one by one, is the model. Some subscribers share: then one of a group is expected.
#[test]
fn the_tree_finds_what_a_list_finds() {
    let mut random = RandomStream::named(1, "tree");
    let mut tree = SubscriptionTree::new();
    let mut list: BTreeMap<(String, u32), u32> = BTreeMap::new();
    let mut checked = 0;
    for step in 0..6_000 {
        let mut text = filter(&mut random);
        if random.below(5) == 0 {
            text = format!("$share/{}/{text}", draw(&mut random, &["g", "h"]));
        }
        let Ok(parsed) = TopicFilter::parse(&text) else {
            assert!(
                text.is_empty() || text.ends_with('/') && text.starts_with("$share"),
                "{text}"
            );
            continue;
        };
        let subscriber = random.below(6) as u32;
        if random.below(2) == 0 {
            let is_new = tree.subscribe(&parsed, subscriber, options(step));
            assert_eq!(list.insert((text, subscriber), step).is_none(), is_new);
        } else {
            let was_there = tree.unsubscribe(&parsed, subscriber);
            assert_eq!(list.remove(&(text, subscriber)).is_some(), was_there);
        }
        let topic = topic(&mut random);
        if !is_topic_name(&topic) {
            continue;
        }
        let mut found = Matches::new();
        tree.collect(&topic, |_| true, &mut found);
        let mut plain = BTreeSet::new();
        let mut groups: BTreeMap<(&str, &str), BTreeSet<(u32, u32)>> = BTreeMap::new();
        for ((text, subscriber), id) in &list {
            let filter = TopicFilter::parse(text).unwrap();
            if filter.matches(&topic) {
                let member = (*subscriber, *id);
                match filter.group() {
                    None => drop(plain.insert(member)),
                    Some(group) => {
                        groups
                            .entry((group, filter.filter()))
                            .or_default()
                            .insert(member);
                    }
                }
            }
        }
        let expected = plain.len() + groups.len();
        assert_eq!(found.len(), expected, "{topic}");
        for found in found {
            let member = (found.subscriber, found.options.id);
            let is_of_a_group = groups.values().any(|members| members.contains(&member));
            assert!(plain.contains(&member) || is_of_a_group);
        }
        checked += expected;
    }
    assert!(checked > 10_000, "{checked} matches");
    for (text, subscriber) in list.into_keys() {
        assert!(tree.unsubscribe(&TopicFilter::parse(&text).unwrap(), subscriber));
    }
    let empty = SubscriptionTree::<u32>::new();
    assert_eq!(
        format!("{tree:?}"),
        format!("{empty:?}"),
        "nothing is left behind"
    );
}

#[test]
fn a_repeated_subscription_counts_once_with_its_last_options() {
    let mut tree = SubscriptionTree::new();
    let filter = TopicFilter::parse("a").unwrap();
    let best = SubscriptionOptions {
        maximum_qos: Qos::ExactlyOnce,
        ..options(2)
    };
    assert!(tree.subscribe(&filter, 7, options(1)));
    assert!(!tree.subscribe(&filter, 7, best));
    assert!(tree.subscribe(&filter, 8, options(3)));
    let mut found = Matches::new();
    tree.collect("a", |_| true, &mut found);
    let found: Vec<_> = found
        .iter()
        .map(|found| (found.subscriber, found.options))
        .collect();
    assert_eq!(found, [(7, best), (8, options(3))]);
}

#[test]
fn members_of_a_group_take_turns_and_those_away_are_passed_over() {
    let mut tree = SubscriptionTree::new();
    let filter = TopicFilter::parse("$share/g/a").unwrap();
    for member in 0..4 {
        tree.subscribe(&filter, member, options(0));
    }
    let mut served = |is_there: fn(u32) -> bool| {
        let mut found = Matches::new();
        tree.collect("a", is_there, &mut found);
        assert_eq!(found.len(), 1);
        found[0].subscriber
    };
    let all: Vec<u32> = (0..6).map(|_| served(|_| true)).collect();
    assert_eq!(all, [0, 1, 2, 3, 0, 1]);
    let even: Vec<u32> = (0..3).map(|_| served(|member| member % 2 == 0)).collect();
    assert_eq!(even, [2, 0, 2]);
    assert_eq!(
        served(|_| false),
        3,
        "someone gets it even when all are away"
    );
}

#[test]
fn refuses_what_is_no_filter() {
    for text in [
        "",
        "a#",
        "#/a",
        "a/#/b",
        "a+",
        "+a",
        "a/b+/c",
        "\0",
        "$share/",
        "$share/g",
        "$share/g/",
        "$share//a",
        "$share/g+/a",
        "$share/#/a",
        "$share/g/a#",
    ] {
        assert!(TopicFilter::parse(text).is_err(), "{text:?}");
    }
    for text in [
        "/",
        "#",
        "+",
        "a b",
        "//",
        "$share",
        "$shared/g/a",
        "$share/g/#",
        "$share/g//",
    ] {
        assert!(TopicFilter::parse(text).is_ok(), "{text:?}");
    }
}

/// The bound keeps the walk down the tree short, whatever a topic looks like.
#[test]
fn a_filter_has_at_most_so_many_levels() {
    let deepest = vec!["+"; MAX_LEVELS].join("/");
    let filter = TopicFilter::parse(&deepest).unwrap();
    assert!(TopicFilter::parse(&format!("{deepest}/+")).is_err());
    let mut tree = SubscriptionTree::new();
    tree.subscribe(&filter, 1, options(0));
    for (levels, count) in [(MAX_LEVELS, 1), (MAX_LEVELS + 1, 0), (60_000, 0)] {
        let mut found = Matches::new();
        tree.collect(&"/".repeat(levels - 1), |_| true, &mut found);
        assert_eq!(found.len(), count, "{levels} levels");
    }
}
