use crate::ConfigError;

/// One kind of impairment, as a place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Packets that are too large end here.
    Mtu,
    /// Packets during an outage end here.
    Outage,
    /// Packets are lost here.
    Loss,
    /// Packets wait for the bottleneck here.
    Rate,
    /// Packets travel here.
    Delay,
    /// Packets change here.
    Corrupt,
    /// Packets become two here.
    Duplicate,
}

/// The order in which a packet meets the stages of a link: each stage once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageOrder([Stage; 7]);

impl StageOrder {
    /// An order of all stages.
    ///
    /// # Errors
    /// [`ConfigError::RepeatedStage`] when a stage stands twice.
    pub fn new(stages: [Stage; 7]) -> Result<Self, ConfigError> {
        let mut sorted = stages;
        sorted.sort_unstable();
        if sorted == Self::default().0 {
            Ok(Self(stages))
        } else {
            Err(ConfigError::RepeatedStage)
        }
    }

    /// The stages, first to last.
    #[must_use]
    pub const fn stages(&self) -> &[Stage; 7] {
        &self.0
    }
}

/// The order of the variants of [`Stage`].
impl Default for StageOrder {
    fn default() -> Self {
        use Stage::{Corrupt, Delay, Duplicate, Loss, Mtu, Outage, Rate};
        Self([Mtu, Outage, Loss, Rate, Delay, Corrupt, Duplicate])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_names_each_stage_once() {
        let mut stages = *StageOrder::default().stages();
        stages.swap(2, 3);
        assert_eq!(
            StageOrder::new(stages).map(|order| *order.stages()),
            Ok(stages)
        );
        stages[0] = Stage::Loss;
        assert_eq!(StageOrder::new(stages), Err(ConfigError::RepeatedStage));
    }
}
