use serde::{Deserialize, Serialize};

use super::Stage;
use crate::ConfigError;

/// The order of a link's stages. Each stage occurs once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[Stage; STAGES]", into = "[Stage; STAGES]")]
pub struct StageOrder([Stage; STAGES]);

const STAGES: usize = Stage::ALL.len();

impl StageOrder {
    /// Creates an order from all stages.
    ///
    /// # Errors
    /// [`ConfigError::RepeatedStage`] when a stage stands twice.
    pub fn new(stages: [Stage; STAGES]) -> Result<Self, ConfigError> {
        let mut sorted = stages;
        sorted.sort_unstable();
        if sorted == Self::default().0 {
            Ok(Self(stages))
        } else {
            Err(ConfigError::RepeatedStage)
        }
    }

    /// Returns the stages from first to last.
    #[must_use]
    pub const fn stages(&self) -> &[Stage; STAGES] {
        &self.0
    }
}

impl Default for StageOrder {
    fn default() -> Self {
        Self(Stage::ALL)
    }
}

impl TryFrom<[Stage; STAGES]> for StageOrder {
    type Error = ConfigError;
    fn try_from(stages: [Stage; STAGES]) -> Result<Self, ConfigError> {
        Self::new(stages)
    }
}

impl From<StageOrder> for [Stage; STAGES] {
    fn from(order: StageOrder) -> Self {
        order.0
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
