/// Which ordinals of the near future are taken: a ring of bits.
#[derive(Clone, Debug)]
pub(super) struct SubframeRing {
    words: Box<[u64]>,
    /// The number of the oldest word that is kept, counted without wrapping.
    oldest: u64,
}

impl SubframeRing {
    /// 65,536 ordinals: a minute and a half of usable subframes, 8 KiB.
    const WORDS: u64 = 1024;
    const BITS: u64 = 64;

    pub(super) fn new() -> Self {
        Self {
            words: vec![0; Self::WORDS as usize].into(),
            oldest: 0,
        }
    }

    /// Forgets what is before this ordinal, whole words at a time.
    #[inline]
    pub(super) fn advance(&mut self, ordinal: u64) {
        let oldest = ordinal / Self::BITS;
        if oldest <= self.oldest {
            return;
        }
        let forgotten = (oldest - self.oldest).min(Self::WORDS);
        for word in self.oldest..self.oldest + forgotten {
            self.words[(word % Self::WORDS) as usize] = 0;
        }
        self.oldest = oldest;
    }

    /// Whether so many ordinals from this one on are free; in the past and beyond the ring none is.
    #[inline]
    pub(super) fn is_free(&self, first: u64, count: u64) -> bool {
        let (from, to) = (first / Self::BITS, (first + count - 1) / Self::BITS);
        if from < self.oldest || to >= self.oldest + Self::WORDS {
            return false;
        }
        let mut word = from;
        loop {
            if self.words[Self::slot(word)] & Self::mask(word, first, count) != 0 {
                return false;
            }
            if word == to {
                return true;
            }
            word += 1;
        }
    }

    /// Takes ordinals that are free.
    #[inline]
    pub(super) fn take(&mut self, first: u64, count: u64) {
        assert!(self.is_free(first, count), "no subframe may be used twice");
        let (from, to) = (first / Self::BITS, (first + count - 1) / Self::BITS);
        for word in from..=to {
            self.words[Self::slot(word)] |= Self::mask(word, first, count);
        }
    }

    const fn slot(word: u64) -> usize {
        (word % Self::WORDS) as usize
    }

    /// The bits of a word that are in the range.
    const fn mask(word: u64, first: u64, count: u64) -> u64 {
        let start = word * Self::BITS;
        let below = first.saturating_sub(start);
        let end = first + count - start;
        let above = Self::BITS.saturating_sub(end);
        (u64::MAX << below) & (u64::MAX >> above)
    }
}
