use lasthop_tariff::{
    CloudPlan, DataPlan, MeteredMessage, Prepaid, Rounding, RoundingUnit, Tariff,
};
use serde::{Deserialize, Serialize};

use super::{SpecError, nanos};

/// What a SIM costs. Money is in one currency, which the study names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TariffSpec {
    /// What is paid in a year, whatever is sent.
    pub fee_per_year: f64,
    /// What data costs; null where nobody is paid for it.
    pub data: Option<DataPlanSpec>,
    /// What a cloud takes; null where there is none.
    pub cloud: Option<CloudPlanSpec>,
}

/// How an operator counts packets, and what a byte costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPlanSpec {
    /// Whether packets to the device are free.
    pub counts_up_only: bool,
    /// Bytes that are counted for each packet beside its own.
    pub packet_extra_bytes: u32,
    /// Each packet counts as so many bytes at least.
    pub packet_minimum_bytes: u32,
    /// How bytes are rounded up; null where each byte counts.
    pub rounding: Option<RoundingSpec>,
    /// A data session ends when nothing passed for so long; null where it stays open.
    pub session_idle_ns: Option<u64>,
    /// An open session is recorded each time that so much has passed; null where it is not.
    pub record_ns: Option<u64>,
    /// The same after so many bytes.
    pub record_bytes: Option<u64>,
    /// What a byte costs beyond what is included.
    pub price_per_byte: f64,
    /// What a started minute of a data session costs.
    pub price_per_minute: f64,
    /// Bytes of each month that cost nothing.
    pub included_bytes_per_month: f64,
    /// A volume that is paid once; null where there is none.
    pub prepaid: Option<PrepaidSpec>,
}

/// Rounding up to a multiple.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundingSpec {
    /// Of so many bytes.
    pub step_bytes: u64,
    /// What is not empty counts as so many bytes at least.
    pub minimum_bytes: u64,
    /// What is rounded.
    pub per: RoundingUnitSpec,
}

/// What is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundingUnitSpec {
    /// Each packet.
    Packet,
    /// Each data session, or each record of one.
    Session,
    /// All packets of a day.
    Day,
    /// All packets of a month.
    Month,
    /// All packets of a year.
    Year,
}

/// A volume that is paid once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepaidSpec {
    /// What it costs.
    pub fee: f64,
    /// How many bytes it is.
    pub bytes: f64,
    /// For how many years it is valid.
    pub years: f64,
}

/// What a cloud takes for messages and for connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloudPlanSpec {
    /// What a message costs.
    pub price_per_message: f64,
    /// So many bytes of payload are one message; 0 where all sizes are.
    pub block_bytes: u64,
    /// Which messages count.
    pub metered: Vec<MeteredSpec>,
    /// What a started minute of a connection costs.
    pub price_per_minute: f64,
    /// What a byte of all that passes costs.
    pub price_per_byte: f64,
}

/// A kind of message that a cloud counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeteredSpec {
    /// A device connects.
    Connect,
    /// A message of a device.
    FromDevice,
    /// A message to a device.
    ToDevice,
    /// The acknowledgement of a message by a device.
    AcknowledgementOfDevice,
}

impl TariffSpec {
    /// The tariff that it describes.
    ///
    /// # Errors
    /// If an amount is negative or not a number, or if a step is zero.
    pub fn tariff(&self) -> Result<Tariff, SpecError> {
        let data = self.data.as_ref().map(DataPlanSpec::plan).transpose()?;
        let cloud = self.cloud.as_ref().map(CloudPlanSpec::plan).transpose()?;
        amounts("fee_per_year", &[self.fee_per_year])?;
        Ok(Tariff {
            fee_per_year: self.fee_per_year,
            data,
            cloud,
        })
    }
}

impl DataPlanSpec {
    fn plan(&self) -> Result<DataPlan, SpecError> {
        amounts(
            "data",
            &[
                self.price_per_byte,
                self.price_per_minute,
                self.included_bytes_per_month,
            ],
        )?;
        let prepaid = self.prepaid.map(PrepaidSpec::prepaid).transpose()?;
        let is_empty = |it: RoundingSpec| it.step_bytes == 0;
        if self.rounding.is_some_and(is_empty) || self.record_ns == Some(0) {
            return Err(SpecError::value("tariff", "a step of nothing never ends"));
        }
        Ok(DataPlan {
            counts_up_only: self.counts_up_only,
            packet_extra: self.packet_extra_bytes,
            packet_minimum: self.packet_minimum_bytes,
            rounding: self.rounding.map(RoundingSpec::rounding),
            session_idle: self.session_idle_ns.map(nanos),
            record: self.record_ns.map(nanos),
            record_bytes: self.record_bytes,
            price_per_byte: self.price_per_byte,
            price_per_minute: self.price_per_minute,
            included_bytes: self.included_bytes_per_month,
            prepaid,
        })
    }
}

impl RoundingSpec {
    fn rounding(self) -> Rounding {
        Rounding {
            step: self.step_bytes,
            minimum: self.minimum_bytes,
            per: match self.per {
                RoundingUnitSpec::Packet => RoundingUnit::Packet,
                RoundingUnitSpec::Session => RoundingUnit::Session,
                RoundingUnitSpec::Day => RoundingUnit::Day,
                RoundingUnitSpec::Month => RoundingUnit::Month,
                RoundingUnitSpec::Year => RoundingUnit::Year,
            },
        }
    }
}

impl PrepaidSpec {
    fn prepaid(self) -> Result<Prepaid, SpecError> {
        amounts("prepaid", &[self.fee])?;
        let is_there = |amount: f64| amount.is_finite() && amount > 0.0;
        if !(is_there(self.bytes) && is_there(self.years)) {
            return Err(SpecError::value("tariff", "a prepaid volume of nothing"));
        }
        let Self { fee, bytes, years } = self;
        Ok(Prepaid { fee, bytes, years })
    }
}

impl CloudPlanSpec {
    fn plan(&self) -> Result<CloudPlan, SpecError> {
        let Self {
            price_per_message,
            price_per_minute,
            price_per_byte,
            ..
        } = *self;
        amounts(
            "cloud",
            &[price_per_message, price_per_minute, price_per_byte],
        )?;
        let kind = |metered: &MeteredSpec| match metered {
            MeteredSpec::Connect => MeteredMessage::Connect,
            MeteredSpec::FromDevice => MeteredMessage::FromDevice,
            MeteredSpec::ToDevice => MeteredMessage::ToDevice,
            MeteredSpec::AcknowledgementOfDevice => MeteredMessage::AcknowledgementOfDevice,
        };
        Ok(CloudPlan {
            price_per_message,
            block_bytes: self.block_bytes,
            metered: self.metered.iter().map(kind).collect(),
            price_per_minute,
            price_per_byte,
        })
    }
}

fn amounts(field: &str, amounts: &[f64]) -> Result<(), SpecError> {
    let is_amount = |amount: &f64| amount.is_finite() && *amount >= 0.0;
    if amounts.iter().all(is_amount) {
        return Ok(());
    }
    let field = format!("tariff.{field}");
    Err(SpecError::value(field, "is no amount of money or bytes"))
}
