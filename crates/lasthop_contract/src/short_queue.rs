use std::collections::VecDeque;

/// A first-in, first-out queue for queues that are almost always empty or hold one entry.
///
/// The first thing lies in the queue itself. Only what is behind it takes further memory, which is given back
/// when it is gone: a burst leaves nothing behind.
#[derive(Clone, Debug)]
pub struct ShortQueue<T> {
    first: Option<T>,
    /// What came after `first`; never an empty queue.
    #[expect(
        clippy::box_collection,
        reason = "what is rarely there is to take little room"
    )]
    rest: Option<Box<VecDeque<T>>>,
}

impl<T> ShortQueue<T> {
    /// Creates an empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            first: None,
            rest: None,
        }
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, thing: T) {
        if self.is_empty() {
            self.first = Some(thing);
        } else {
            self.rest.get_or_insert_default().push_back(thing);
        }
    }

    /// Removes and returns the first entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        // Mostly nothing is there; then nothing is moved either.
        if self.first.is_some() {
            return self.first.take();
        }
        if self.rest.is_some() {
            self.pop_rest()
        } else {
            None
        }
    }

    /// Returns the first entry and leaves it in the queue.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.first
            .as_ref()
            .or_else(|| self.rest.as_ref().and_then(|rest| rest.front()))
    }

    /// Iterates over all entries, the oldest first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let rest = self.rest.iter_mut().flat_map(|rest| rest.iter_mut());
        self.first.iter_mut().chain(rest)
    }

    /// Returns the number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.as_ref().map_or(0, |rest| rest.len())
    }

    /// Whether the queue is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.first.is_none() && self.rest.is_none()
    }

    #[cold]
    fn pop_rest(&mut self) -> Option<T> {
        let rest = self.rest.as_mut()?;
        let thing = rest.pop_front();
        if rest.is_empty() {
            self.rest = None;
        }
        thing
    }
}

impl<T> Default for ShortQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    #[test]
    fn behaves_as_a_queue_does() {
        let mut queue = ShortQueue::new();
        let mut model = VecDeque::new();
        let mut random = RandomStream::named(1, "queue");
        for number in 0..10_000 {
            if random.below(2) == 0 {
                queue.push(number);
                model.push_back(number);
            } else {
                assert_eq!(queue.pop(), model.pop_front());
            }
            assert_eq!(queue.is_empty(), model.is_empty());
            assert_eq!(queue.len(), model.len());
            assert_eq!(queue.first(), model.front());
        }
    }

    #[test]
    fn a_burst_leaves_nothing_behind() {
        let mut queue = ShortQueue::new();
        (0..100).for_each(|number| queue.push(number));
        while queue.pop().is_some() {}
        assert!(queue.rest.is_none());
    }
}
