/// The format that costs least for each bit that it carries; while none is robust enough, the most robust. Formats come
/// in the reverse of the order in which they are preferred.
pub(super) struct Best<F> {
    pub(super) format: Option<F>,
    cost_per_bit: f32,
    lacking_db: f32,
}

impl<F> Best<F> {
    pub(super) const fn nothing() -> Self {
        Self {
            format: None,
            cost_per_bit: f32::INFINITY,
            lacking_db: f32::INFINITY,
        }
    }

    /// Whether what costs so much a bit cannot be better.
    pub(super) fn costs_less_than(&self, cost_per_bit: f32) -> bool {
        self.lacking_db == 0.0 && self.cost_per_bit < cost_per_bit
    }

    pub(super) fn consider(&mut self, format: F, cost_per_bit: f32, lacking_db: f32) {
        let is_better = lacking_db < self.lacking_db
            || (lacking_db == self.lacking_db && cost_per_bit <= self.cost_per_bit);
        if is_better || self.format.is_none() {
            *self = Self {
                format: Some(format),
                cost_per_bit,
                lacking_db,
            };
        }
    }
}
