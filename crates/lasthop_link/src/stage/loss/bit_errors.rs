use lasthop_contract::RandomStream;
use lasthop_units::{DataSize, Probability};
use serde::{Deserialize, Serialize};

/// Independent errors of bits: a packet of `n` bits is lost with `1 - (1 - ratio)^n`, as what has no code against errors
/// and a checksum over all of it.
///
/// One draw a packet, of whatever size: of two packets that meet the same draw, the larger is lost wherever the smaller
/// is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BitErrors {
    /// How likely a bit is wrong.
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
