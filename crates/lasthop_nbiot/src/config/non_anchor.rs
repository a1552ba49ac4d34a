use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::integer_within;

/// Non-anchor carriers of each cell, which have no synchronisation signals and no broadcast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NonAnchorCarriers {
    /// The number of carriers.
    pub count: u8,
    /// The share of devices on the anchor in sixteenths, as in `nprach-ProbabilityAnchor`. The others are spread over
    /// the other carriers.
    pub anchor_sixteenths: u8,
    /// The purposes for which the non-anchor carriers are used.
    pub serve: CarrierUse,
}

/// The purposes for which a non-anchor carrier is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarrierUse {
    /// Random access, paging and data, as on the anchor (Release 14; TS 36.331 SIB22-NB).
    Everything,
    /// Data of connections only, assigned by Msg4 (Release 13; TS 36.331 `carrierConfigDedicated`).
    ///
    /// Random access and paging stay on the anchor.
    Data,
}

impl NonAnchorCarriers {
    /// Carriers of all cells together, one for each place of a byte.
    const MOST_OF_A_NETWORK: u64 = 255;

    pub(super) fn check(&self, cells: u16) -> Result<(), ConfigError> {
        integer_within(
            "count",
            self.count.into(),
            1..=15,
            "TS 36.331 maxNonAnchorCarriers-NB",
            "carriers",
        )?;
        integer_within(
            "anchor_sixteenths",
            self.anchor_sixteenths.into(),
            0..=15,
            "TS 36.331 nprach-ProbabilityAnchor",
            "sixteenths",
        )?;
        let all = u64::from(cells) * (1 + u64::from(self.count));
        if all > Self::MOST_OF_A_NETWORK {
            return Err(ConfigError::new(
                "count",
                format!(
                    "makes {all} carriers in {cells} cells; lasthop has at most {}, so choose at most {}",
                    Self::MOST_OF_A_NETWORK,
                    Self::MOST_OF_A_NETWORK / u64::from(cells) - 1
                ),
            ));
        }
        Ok(())
    }

    /// The carrier of a device by a number from 0 to 1; 0 is the anchor.
    pub(crate) fn of(&self, draw: f64) -> u8 {
        let anchor = f64::from(self.anchor_sixteenths) / 16.0;
        if draw < anchor {
            return 0;
        }
        let place = (draw - anchor) / (1.0 - anchor) * f64::from(self.count);
        1 + (place as u8).min(self.count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_on_the_anchor_by_its_probability_and_evenly_on_the_others() {
        let carriers = NonAnchorCarriers {
            count: 3,
            anchor_sixteenths: 4,
            serve: CarrierUse::Everything,
        };
        let mut devices = [0; 4];
        for number in 0..1600 {
            devices[usize::from(carriers.of(f64::from(number) / 1600.0))] += 1;
        }
        assert_eq!(devices, [400; 4]);
        assert_eq!(carriers.of(1.0), 3);
    }
}
