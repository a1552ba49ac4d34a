use lasthop_units::Duration;

use crate::MONTH;

/// The prices of a cloud for messages and connections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CloudPlan {
    /// The price of a message. A large message counts as several.
    pub price_per_message: f64,
    /// The payload size in bytes that counts as one message; 0 if the size does not matter.
    pub block_bytes: u64,
    /// The kinds of messages that are charged.
    pub metered: Vec<MeteredMessage>,
    /// The price of a started minute of a connection.
    pub price_per_minute: f64,
    /// The price of a byte in either direction.
    pub price_per_byte: f64,
}

/// A kind of message that a cloud charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeteredMessage {
    /// A connection of a device.
    Connect,
    /// A message of a device.
    FromDevice,
    /// A message to a device.
    ToDevice,
    /// The acknowledgement of a message by a device.
    AcknowledgementOfDevice,
}

/// The use of a cloud by a device in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CloudUsage {
    /// Charged messages, with large ones counted in blocks.
    pub messages: f64,
    /// Started minutes of connections.
    pub minutes: f64,
    /// IP bytes in both directions.
    pub bytes: f64,
}

impl CloudPlan {
    /// Returns the number of messages as which a message with this payload is charged.
    #[must_use]
    pub fn blocks(&self, kind: MeteredMessage, payload: u64) -> u64 {
        if !self.metered.contains(&kind) {
            return 0;
        }
        match self.block_bytes {
            0 => 1,
            block => payload.div_ceil(block).max(1),
        }
    }

    pub(crate) fn cost_of_a_month(&self, usage: &CloudUsage) -> f64 {
        self.price_per_message * usage.messages
            + self.price_per_minute * usage.minutes
            + self.price_per_byte * usage.bytes
    }
}

impl CloudUsage {
    /// Extrapolates the use in this span to a month.
    #[must_use]
    pub fn month(&self, span: Duration) -> Self {
        if span == Duration::ZERO {
            return Self::default();
        }
        let months = MONTH.as_secs_f64() / span.as_secs_f64();
        Self {
            messages: self.messages * months,
            minutes: self.minutes * months,
            bytes: self.bytes * months,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_message_counts_as_several() {
        let plan = CloudPlan {
            block_bytes: 5120,
            metered: vec![MeteredMessage::FromDevice],
            ..CloudPlan::default()
        };
        let of = |payload| plan.blocks(MeteredMessage::FromDevice, payload);
        assert_eq!([0, 1, 5120, 5121].map(of), [1, 1, 1, 2]);
        assert_eq!(plan.blocks(MeteredMessage::ToDevice, 100), 0);
    }
}
