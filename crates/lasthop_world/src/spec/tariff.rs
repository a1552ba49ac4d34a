use lasthop_tariff::{
    CloudPlan, DataPlan, MeteredMessage, Prepaid, Rounding, RoundingUnit, Tariff,
};
use serde::{Deserialize, Serialize};

use super::{SpecError, nanos};

/// The price of a SIM: its fee, data plan and cloud plan. All amounts have the currency of the study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TariffSpec {
    /// The annual fee of the SIM, independent of usage.
    pub fee_per_year: f64,
    /// The price of data; null if data is free.
    pub data: Option<DataPlanSpec>,
    /// The price of a cloud service; null without one.
    pub cloud: Option<CloudPlanSpec>,
}

/// A data plan: how an operator counts packets, and the price of a byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPlanSpec {
    /// Whether packets to the device are free.
    pub counts_up_only: bool,
    /// The number of bytes that are counted for each packet in addition to its size.
    pub packet_extra_bytes: u32,
    /// The minimum number of bytes that are counted for a packet.
    pub packet_minimum_bytes: u32,
    /// How counted bytes are rounded up; null for no rounding.
    pub rounding: Option<RoundingSpec>,
    /// The idle time after which a data session ends, in nanoseconds; null if it never ends.
    pub session_idle_ns: Option<u64>,
    /// The time after which an open session is recorded, repeatedly, in nanoseconds; null for no such record.
    pub record_ns: Option<u64>,
    /// The number of bytes after which an open session is recorded, repeatedly; null for no such record.
    pub record_bytes: Option<u64>,
    /// The price of a byte beyond the included volume.
    pub price_per_byte: f64,
    /// The price of each started minute of a data session.
    pub price_per_minute: f64,
    /// The number of free bytes in each month.
    pub included_bytes_per_month: f64,
    /// A prepaid volume; null without one.
    pub prepaid: Option<PrepaidSpec>,
}

/// Rounding of counted bytes up to a multiple.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundingSpec {
    /// The multiple, in bytes.
    pub step_bytes: u64,
    /// The minimum for anything that is not empty, in bytes.
    pub minimum_bytes: u64,
    /// The unit that is rounded.
    pub per: RoundingUnitSpec,
}

/// A unit whose bytes are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundingUnitSpec {
    /// Each packet.
    Packet,
    /// Each data session, or each record of a session.
    Session,
    /// All packets of a day.
    Day,
    /// All packets of a month.
    Month,
    /// All packets of a year.
    Year,
}

/// A prepaid data volume.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepaidSpec {
    /// The price of the volume.
    pub fee: f64,
    /// The size of the volume, in bytes.
    pub bytes: f64,
    /// The validity of the volume, in years.
    pub years: f64,
}

/// The price of a cloud service, for messages and connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloudPlanSpec {
    /// The price of a message.
    pub price_per_message: f64,
    /// The payload size that counts as one message, in bytes; 0 if messages of any size count as one.
    pub block_bytes: u64,
    /// The kinds of messages that are charged.
    pub metered: Vec<MeteredSpec>,
    /// The price of each started minute of a connection.
    pub price_per_minute: f64,
    /// The price of each byte in either direction.
    pub price_per_byte: f64,
}

/// A kind of message that a cloud service charges for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeteredSpec {
    /// The connection of a device.
    Connect,
    /// A message from a device.
    FromDevice,
    /// A message to a device.
    ToDevice,
    /// The acknowledgement of a message by a device.
    AcknowledgementOfDevice,
}

impl TariffSpec {
    /// Creates the tariff from its settings.
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
