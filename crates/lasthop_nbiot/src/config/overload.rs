use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::integer_within;

/// When a base station rejects connection requests (TS 36.331 section 5.3.3.8, RRCConnectionReject-NB).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionReject {
    /// The number of waiting devices above which the base station rejects requests.
    pub above_waiting: u32,
    /// `extendedWaitTime`: the time that a rejected device waits before its next request, in seconds.
    pub wait_s: u16,
}

/// Access barring of NB-IoT (TS 36.331 section 5.3.3.14, `ab-Config` of SIB14-NB).
///
/// Devices of some of the ten access classes must not begin. The base station rotates the barred classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessBarring {
    /// The number of access classes, out of 0 to 9, that are barred at a time: ones of `ab-BarringBitmap`.
    pub barred_classes: u8,
    /// The interval after which the bitmap rotates by one class, in ms.
    pub moves_on_ms: u32,
}

/// Connection re-establishment after a radio link failure (TS 36.331 section 5.3.7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reestablishment {
    /// Timer T311 in ms: the maximum time of the device's search for a cell.
    pub t311_ms: u32,
    /// Timer T301 in ms: the timeout for the answer to a re-establishment request.
    pub t301_ms: u32,
}

impl ConnectionReject {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        integer_within(
            "above_waiting",
            self.above_waiting.into(),
            0..=1_000_000,
            "the base station",
            "devices",
        )?;
        integer_within(
            "wait_s",
            self.wait_s.into(),
            1..=1800,
            "TS 36.331 extendedWaitTime",
            "s",
        )
    }
}

impl AccessBarring {
    /// The number of access classes of ordinary devices, without the special classes 11 to 15.
    pub const CLASSES: u8 = 10;

    /// When a device of an access class may begin, at a millisecond or after it; `None` where all classes are barred.
    pub(crate) fn allowed_from_ms(&self, access_class: u8, at_ms: u64) -> Option<u64> {
        if self.barred_classes >= Self::CLASSES {
            return None;
        }
        let classes = u64::from(Self::CLASSES);
        let moves_on = u64::from(self.moves_on_ms);
        let first = at_ms / moves_on;
        // Of the barred classes, the first one is that of the number of moves.
        let place = (u64::from(access_class) + classes - first % classes) % classes;
        Some(if place < u64::from(self.barred_classes) {
            (first + place + 1) * moves_on
        } else {
            at_ms
        })
    }

    pub(super) fn check(&self, paging_cycle_ms: u64) -> Result<(), ConfigError> {
        integer_within(
            "barred_classes",
            self.barred_classes.into(),
            0..=10,
            "TS 36.331 ab-BarringBitmap",
            "access classes",
        )?;
        // A device that finds itself barred looks again once a paging cycle.
        integer_within(
            "moves_on_ms",
            self.moves_on_ms.into(),
            paging_cycle_ms..=86_400_000,
            "the paging cycle",
            "ms",
        )
    }
}

impl Reestablishment {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        super::allowed::one_of(
            "t311_ms",
            self.t311_ms,
            &[1000, 3000, 5000, 10_000, 15_000, 20_000, 30_000],
            "TS 36.331 t311",
            "ms",
        )?;
        super::allowed::one_of(
            "t301_ms",
            self.t301_ms,
            &[2500, 4000, 6000, 10_000, 15_000, 25_000, 40_000, 60_000],
            "TS 36.331 t301",
            "ms",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_turn_and_so_many_are_barred_at_a_time() {
        for barred_classes in 0..10 {
            let barring = AccessBarring {
                barred_classes,
                moves_on_ms: 1000,
            };
            for at in (0..25_000).step_by(250) {
                let barred = (0..10)
                    .filter(|class| barring.allowed_from_ms(*class, at) != Some(at))
                    .count();
                assert_eq!(barred, usize::from(barred_classes));
                for class in 0..10 {
                    let from = barring
                        .allowed_from_ms(class, at)
                        .expect("not all are barred");
                    assert_eq!(barring.allowed_from_ms(class, from), Some(from));
                    assert!(
                        from == at || barring.allowed_from_ms(class, from - 1) != Some(from - 1)
                    );
                }
            }
        }
        let closed = AccessBarring {
            barred_classes: 10,
            moves_on_ms: 1000,
        };
        assert_eq!(closed.allowed_from_ms(3, 7), None);
    }
}
