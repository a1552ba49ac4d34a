use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// Loss of listed packets of a direction, counted from 1 as they reach the stage. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Indices", into = "Indices")]
pub struct PacketList {
    /// In rising order, each once.
    indices: Arc<[u64]>,
}

impl PacketList {
    /// Creates a loss model from the indices of lost packets, in any order.
    ///
    /// # Errors
    /// [`ConfigError::PacketZero`] for the index 0.
    pub fn new(indices: impl IntoIterator<Item = u64>) -> Result<Self, ConfigError> {
        let mut indices: Vec<u64> = indices.into_iter().collect();
        indices.sort_unstable();
        indices.dedup();
        if indices.first() == Some(&0) {
            return Err(ConfigError::PacketZero);
        }
        Ok(Self {
            indices: indices.into(),
        })
    }

    pub(super) fn start(&self) -> PacketListLoss {
        PacketListLoss {
            indices: Arc::clone(&self.indices),
            seen: 0,
            lost: 0,
        }
    }
}

#[derive(Debug)]
pub(crate) struct PacketListLoss {
    indices: Arc<[u64]>,
    seen: u64,
    /// How many of the list are behind us.
    lost: usize,
}

impl PacketListLoss {
    pub(super) fn takes(&mut self) -> bool {
        self.seen += 1;
        let lost = self.indices.get(self.lost) == Some(&self.seen);
        self.lost += usize::from(lost);
        lost
    }
}

/// A list as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Indices {
    indices: Vec<u64>,
}

impl TryFrom<Indices> for PacketList {
    type Error = ConfigError;
    fn try_from(list: Indices) -> Result<Self, ConfigError> {
        Self::new(list.indices)
    }
}

impl From<PacketList> for Indices {
    fn from(list: PacketList) -> Self {
        Self {
            indices: list.indices.to_vec(),
        }
    }
}
