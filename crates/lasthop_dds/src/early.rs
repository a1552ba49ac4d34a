//! What is held of one sample before its turn has come.

use std::collections::BTreeMap;

/// A sample, or what has come of it.
#[derive(Debug)]
pub(crate) enum Early {
    /// A message with nothing but the sample.
    Whole(Vec<u8>),
    InParts(InParts),
}

/// The fragments of a sample that have come.
#[derive(Debug)]
pub(crate) struct InParts {
    /// How many the sample has.
    all: u32,
    /// By their numbers: how many each message carries, and the message, until it is read.
    parts: BTreeMap<u32, (u16, Vec<u8>)>,
}

impl Early {
    /// Notes that some fragments have come, from the first of them on.
    pub(crate) fn add(&mut self, (first, count): (u32, u16), message: impl FnOnce() -> Vec<u8>) {
        if let Self::InParts(parts) = self {
            let part = parts.parts.entry(first);
            part.or_insert_with(|| (count, message()));
        }
    }

    /// Whether nothing is missing.
    pub(crate) fn is_whole(&self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::InParts(parts) => parts.missing().is_none(),
        }
    }

    /// Gives the messages that are held. That they have come is known still.
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

    /// The numbers of the fragments that have not come; `None` where all have.
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
