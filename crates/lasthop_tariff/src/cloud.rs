use lasthop_units::Duration;

use crate::MONTH;

/// What a cloud takes for messages and for connections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CloudPlan {
    /// What a message costs; larger ones count as several.
    pub price_per_message: f64,
    /// So many bytes of payload are one message; 0 where all sizes are.
    pub block_bytes: u64,
    /// Which messages count.
    pub metered: Vec<MeteredMessage>,
    /// What a started minute of a connection costs.
    pub price_per_minute: f64,
    /// What a byte of all that passes costs.
    pub price_per_byte: f64,
}

/// A kind of message that a cloud counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeteredMessage {
    /// A device connects.
    Connect,
    /// A message of a device.
    FromDevice,
    /// A message to a device.
    ToDevice,
    /// The acknowledgement of a message by a device.
    AcknowledgementOfDevice,
}

/// What a device has used of a cloud in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CloudUsage {
    /// Messages that count, in blocks.
    pub messages: f64,
    /// Started minutes of connections.
    pub minutes: f64,
    /// IP bytes, both ways.
    pub bytes: f64,
}

impl CloudPlan {
    /// For how many messages a message of such a payload counts.
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
    /// A month at the rate of this span.
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
