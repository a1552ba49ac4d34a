use lasthop_contract::RandomStream;
use lasthop_units::{DataSize, Probability};
use serde::{Deserialize, Serialize};

/// Independent bit errors without error correction.
///
/// A packet of `n` bits is lost with probability `1 - (1 - ratio)^n`.
///
/// One draw a packet, of whatever size: of two packets that meet the same draw, the larger is lost wherever the smaller
/// is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BitErrors {
    /// The bit error ratio.
    pub ratio: Probability,
}

impl BitErrors {
    pub(super) fn start(self, seed: u64, prefix: &str) -> BitErrorLoss {
        BitErrorLoss {
            log_right: libm::log1p(-self.ratio.value()),
            draws: RandomStream::named(seed, format_args!("{prefix}/loss")),
        }
    }
}

#[derive(Debug)]
pub(crate) struct BitErrorLoss {
    /// The logarithm of how likely a bit is right.
    log_right: f64,
    draws: RandomStream,
}

impl BitErrorLoss {
    pub(super) fn takes(&mut self, size: DataSize) -> bool {
        let bits = (8 * size.as_bytes()) as f64;
        self.draws.unit() < -libm::expm1(bits * self.log_right)
    }
}
