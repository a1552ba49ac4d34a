//! Storage of a sample that arrived out of order.

use std::collections::BTreeMap;

/// A sample that arrived early, in whole or in part.
#[derive(Debug)]
pub(crate) enum Early {
    /// A message with only the sample.
    Whole(Vec<u8>),
    InParts(InParts),
}

/// The received fragments of a sample.
#[derive(Debug)]
pub(crate) struct InParts {
    /// How many the sample has.
    all: u32,
    /// By their numbers: how many each message carries, and the message, until it is read.
    parts: BTreeMap<u32, (u16, Vec<u8>)>,
}

impl Early {
    /// Records received fragments, `count` of them from `first` on.
    pub(crate) fn add(&mut self, (first, count): (u32, u16), message: impl FnOnce() -> Vec<u8>) {
        if let Self::InParts(parts) = self {
            let part = parts.parts.entry(first);
            part.or_insert_with(|| (count, message()));
        }
    }

    /// Whether all fragments have arrived.
    pub(crate) fn is_whole(&self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::InParts(parts) => parts.missing().is_none(),
        }
    }

    /// Returns the stored messages. Their arrival stays recorded.
    pub(crate) fn read(&mut self, pieces: &mut Vec<Vec<u8>>) {
        match self {
            Self::Whole(message) => pieces.push(core::mem::take(message)),
            Self::InParts(parts) => {
                let held = parts.parts.values_mut();
                let held = held.map(|(_, message)| core::mem::take(message));
                pieces.extend(held.filter(|message| !message.is_empty()));
            }
        }
    }
}

impl InParts {
    pub(crate) const fn new(all: u32) -> Self {
        Self {
            all,
            parts: BTreeMap::new(),
        }
    }

    /// Returns the numbers of the missing fragments, or `None` without any.
    pub(crate) fn missing(&self) -> Option<Vec<u32>> {
        let has = |fragment: &u32| {
            let before = self.parts.range(..=*fragment).next_back();
            before.is_some_and(|(first, (count, _))| fragment - first < u32::from(*count))
        };
        let missing: Vec<u32> = (1..=self.all).filter(|it| !has(it)).collect();
        (!missing.is_empty()).then_some(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_what_no_message_carried() {
        let mut early = Early::InParts(InParts::new(6));
        for (first, count) in [(2, 2), (5, 1), (2, 2)] {
            early.add((first, count), || vec![first as u8]);
        }
        let Early::InParts(parts) = &early else {
            panic!("it is in parts");
        };
        assert_eq!(parts.missing(), Some(vec![1, 4, 6]));
        let mut pieces = Vec::new();
        early.read(&mut pieces);
        early.read(&mut pieces);
        assert_eq!(pieces, [vec![2], vec![5]]);
        for first in [6, 4, 1] {
            assert!(!early.is_whole());
            early.add((first, 1), || vec![first as u8]);
        }
        assert!(early.is_whole());
    }
}
