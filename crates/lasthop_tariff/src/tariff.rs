use crate::{CloudPlan, CloudUsage, DataPlan, MONTHS, RoundingUnit};

/// The tariff of a SIM: fees, data, and cloud messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tariff {
    /// The fixed fees of a year.
    pub fee_per_year: f64,
    /// The data plan; `None` if data costs nothing.
    pub data: Option<DataPlan>,
    /// The prices of a cloud for messages and connections.
    pub cloud: Option<CloudPlan>,
}

/// The use of a SIM in a month, and its one-time use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Month {
    /// Counted bytes, before rounding.
    pub bytes: f64,
    /// Billed bytes.
    pub billed_bytes: f64,
    /// Bytes of the set-up, which occur once and are in neither of the two.
    pub set_up_bytes: f64,
    /// Started minutes of data sessions.
    pub minutes: f64,
}

/// The cost of a year in its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostParts {
    /// The fixed fees.
    pub fees: f64,
    /// The cost of data, with that of the set-up.
    pub data: f64,
    /// The cost of minutes of data sessions.
    pub minutes: f64,
    /// The cost of a cloud.
    pub cloud: f64,
}

impl Tariff {
    /// Returns the cost of a SIM in its first year, with its set-up and without a cloud.
    #[must_use]
    pub fn cost_per_year(&self, month: &Month) -> f64 {
        self.cost_parts(month, &CloudUsage::default()).total()
    }

    /// Returns the cost of a SIM in its first year in its parts, with a cloud.
    #[must_use]
    pub fn cost_parts(&self, month: &Month, cloud: &CloudUsage) -> CostParts {
        let of_data = self.data.as_ref().map(|plan| plan.cost_of_a_year(month));
        let (prepaid, data) = of_data.unwrap_or_default();
        let minutes = self
            .data
            .as_ref()
            .map_or(0.0, |plan| MONTHS * month.minutes * plan.price_per_minute);
        CostParts {
            fees: self.fee_per_year + prepaid,
            data,
            minutes,
            cloud: self
                .cloud
                .as_ref()
                .map_or(0.0, |plan| MONTHS * plan.cost_of_a_month(cloud)),
        }
    }
}

impl CostParts {
    /// Returns the sum of all parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.fees + self.data + self.minutes + self.cloud
    }
}

impl DataPlan {
    /// What is paid in the first year whatever is sent, and what bytes cost.
    fn cost_of_a_year(&self, month: &Month) -> (f64, f64) {
        let Some(prepaid) = self.prepaid else {
            return (0.0, self.price_per_byte * self.paid_bytes_of_a_year(month));
        };
        // Whoever has used the volume up buys another.
        let of_a_year = MONTHS * month.billed_bytes;
        let lasts = if of_a_year > 0.0 {
            (prepaid.bytes - month.set_up_bytes).max(0.0) / of_a_year
        } else {
            prepaid.years
        };
        let at_least = prepaid.fee / prepaid.years;
        let cost = prepaid.fee / lasts.min(prepaid.years).max(f64::MIN_POSITIVE);
        (at_least, cost - at_least)
    }

    fn paid_bytes_of_a_year(&self, month: &Month) -> f64 {
        let first = match self.rounding {
            Some(rounding) if rounding.per == RoundingUnit::Year => {
                let year = MONTHS * month.bytes + month.set_up_bytes;
                return (rounding.round_mean(year) - MONTHS * self.included_bytes).max(0.0);
            }
            Some(rounding) if rounding.per == RoundingUnit::Month => {
                rounding.round_mean(month.bytes + month.set_up_bytes)
            }
            _ => month.billed_bytes + month.set_up_bytes,
        };
        let paid = |bytes: f64| (bytes - self.included_bytes).max(0.0);
        paid(first) + (MONTHS - 1.0) * paid(month.billed_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prepaid, Rounding};

    fn month(billed_bytes: f64, set_up_bytes: f64) -> Month {
        Month {
            bytes: billed_bytes,
            billed_bytes,
            set_up_bytes,
            minutes: 0.0,
        }
    }

    fn tariff(data: DataPlan) -> Tariff {
        Tariff {
            data: Some(data),
            ..Tariff::default()
        }
    }

    fn close_to(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn the_set_up_is_paid_in_the_first_month_alone() {
        let data = DataPlan {
            price_per_byte: 1e-6,
            included_bytes: 1e6,
            ..DataPlan::default()
        };
        // 11 months of 0.5 MB too much, and one of 0.8 MB.
        close_to(
            tariff(data).cost_per_year(&month(1.5e6, 0.3e6)),
            11.0 * 0.5 + 0.8,
        );
    }

    #[test]
    fn what_is_included_costs_nothing_and_is_not_paid_back() {
        let data = DataPlan {
            price_per_byte: 1e-6,
            included_bytes: 1e6,
            ..DataPlan::default()
        };
        close_to(tariff(data).cost_per_year(&month(0.4e6, 0.5e6)), 0.0);
    }

    #[test]
    fn a_prepaid_volume_is_bought_anew_when_it_is_used_up() {
        let data = DataPlan {
            prepaid: Some(Prepaid {
                fee: 12.0,
                bytes: 500e6,
                years: 10.0,
            }),
            ..DataPlan::default()
        };
        let tariff = tariff(data);
        close_to(tariff.cost_per_year(&month(116_880.0, 0.0)), 1.2);
        // 120 MB a year last for 500 / 120 years.
        close_to(
            tariff.cost_per_year(&month(10e6, 0.0)),
            12.0 / (500.0 / 120.0),
        );
        close_to(tariff.cost_per_year(&month(0.0, 0.0)), 1.2);
    }

    #[test]
    fn a_year_is_rounded_once_where_increments_last_for_a_year() {
        let data = DataPlan {
            price_per_byte: 0.1 / 1e6,
            rounding: Some(Rounding {
                step: 100_000,
                minimum: 0,
                per: RoundingUnit::Year,
            }),
            ..DataPlan::default()
        };
        // 12 x 116,880 B = 1,402,560 B are 15 increments.
        close_to(tariff(data).cost_per_year(&month(116_880.0, 0.0)), 0.15);
    }
}
