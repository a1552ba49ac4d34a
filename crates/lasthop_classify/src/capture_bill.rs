use core::net::IpAddr;
use std::collections::BTreeMap;

use lasthop_contract::{Cause, Direction};
use lasthop_tariff::{CloudUsage, CostParts, DataPlan, Month, Tariff, Usage};
use lasthop_units::{Duration, Instant};

use crate::account::{Account, AccountRow};
use crate::conversation::Conversation;
use crate::portion::Portion;

/// The cost of a capture's packets by a tariff. Each address that opens conversations counts as one SIM.
///
/// The handshake of the first session of a SIM counts once, where the capture begins with it; all else counts as what
/// comes again.
#[derive(Clone, Debug)]
pub struct CaptureBill {
    tariff: Tariff,
    plan: DataPlan,
    began: Option<Instant>,
    sims: BTreeMap<IpAddr, Sim>,
    account: Account,
    added: u64,
}

/// The bill of a SIM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimTotal {
    /// The address of the SIM.
    pub address: IpAddr,
    /// IP bytes each month.
    pub bytes_per_month: f64,
    /// Billed bytes each month.
    pub billed_bytes_per_month: f64,
    /// Billed bytes of the first handshake, which occur once.
    pub set_up_bytes: f64,
    /// The cost of the first year, in its parts.
    pub cost: CostParts,
}

/// The bill of a capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BilledCapture {
    /// The bill of each SIM, the most expensive first.
    pub sims: Vec<SimTotal>,
    /// Bytes each month by layer and cause, over all SIMs.
    pub by_cause: Vec<(AccountRow, f64)>,
    /// Bytes each month that the tariff adds to packets.
    pub packet_overhead: f64,
    /// Bytes each month that rounding adds.
    pub rounding: f64,
}

#[derive(Clone, Debug, Default)]
struct Sim {
    usage: Usage,
    bytes: u64,
    is_set_up: bool,
}

impl CaptureBill {
    /// Creates a bill with this tariff.
    #[must_use]
    pub fn new(tariff: Tariff) -> Self {
        Self {
            plan: tariff.data.clone().unwrap_or_default(),
            tariff,
            began: None,
            sims: BTreeMap::new(),
            account: Account::default(),
            added: 0,
        }
    }

    pub(crate) fn add(&mut self, portion: &Portion, conversation: &Conversation) {
        if self.plan.counts_up_only && portion.direction == Direction::Down {
            return;
        }
        let began = *self.began.get_or_insert(portion.at);
        let sim = self.sims.entry(conversation.opener.ip()).or_default();
        let packets = portion.packets.max(1);
        let bytes = portion.bytes();
        let is_of_traffic = |cause| {
            matches!(
                cause,
                Cause::Payload | Cause::Opaque | Cause::KeepAlive | Cause::Retransmission
            )
        };
        let mut causes = portion.spans.iter().map(|span| span.provenance.cause);
        sim.is_set_up |= causes.any(is_of_traffic);
        let each = (bytes / u64::from(packets)) as u32;
        let rest = (bytes - u64::from(each) * u64::from(packets - 1)) as u32;
        for number in 1..=packets {
            let length = if number == packets { rest } else { each };
            if sim.is_set_up {
                let at = portion.at - began;
                let metered = sim.usage.add(&self.plan, at, length);
                self.added += metered - u64::from(length);
            } else {
                sim.usage.add_set_up(&self.plan, length);
            }
        }
        if sim.is_set_up {
            sim.bytes += bytes;
            self.account.add(&portion.spans);
        }
    }

    /// Returns the bill, if the capture represents this span.
    #[must_use]
    pub fn finish(&self, span: Duration) -> BilledCapture {
        if span == Duration::ZERO {
            return BilledCapture::default();
        }
        let months = lasthop_tariff::MONTH.as_secs_f64() / span.as_secs_f64();
        let mut billed = 0.0;
        let sims = self.sims.iter().map(|(address, sim)| {
            let month: Month = sim.usage.month(&self.plan, span);
            billed += month.billed_bytes;
            SimTotal {
                address: *address,
                bytes_per_month: sim.bytes as f64 * months,
                billed_bytes_per_month: month.billed_bytes,
                set_up_bytes: month.set_up_bytes,
                cost: self.tariff.cost_parts(&month, &CloudUsage::default()),
            }
        });
        let mut sims: Vec<SimTotal> = sims.collect();
        sims.sort_by(|a, b| b.cost.total().total_cmp(&a.cost.total()));
        let rows = self.account.rows().into_iter();
        let by_cause: Vec<_> = rows.map(|row| (row, row.bytes as f64 * months)).collect();
        let packet_overhead = self.added as f64 * months;
        let told = by_cause.iter().map(|(_, bytes)| bytes).sum::<f64>() + packet_overhead;
        let rounding = billed - told;
        BilledCapture {
            sims,
            by_cause,
            packet_overhead,
            // What is left by the last digits of sums is nothing.
            rounding: if rounding < 1e-6 * billed {
                0.0
            } else {
                rounding
            },
        }
    }
}
