use crate::config::NetworkTime;

/// The entity that the network must ask before it sends a message of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// None: the base station answers itself.
    BaseStation,
    /// The MME, over S1.
    Mme,
    /// The MME, which asks for subscriber data: an attach.
    MmeAndSubscriberData,
    /// The MME, which asks for subscriber data and has the gateway make a session: the end of an attach.
    MmeSubscriberDataAndGateway,
}

impl AnsweredBy {
    /// Returns its name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BaseStation => "the base station",
            Self::Mme => "the MME",
            Self::MmeAndSubscriberData => "the MME and the subscriber data",
            Self::MmeSubscriberDataAndGateway => "the MME, the subscriber data and the gateway",
        }
    }

    /// Returns how long the previous message waits for this one.
    #[must_use]
    pub fn answer_ms(self, time: &NetworkTime) -> u64 {
        let subscriber_data = u64::from(time.subscriber_data_ms);
        match self {
            Self::BaseStation => time.base_station_ms.into(),
            Self::Mme => time.nas_answer_ms(),
            Self::MmeAndSubscriberData => time.nas_answer_ms() + subscriber_data,
            Self::MmeSubscriberDataAndGateway => {
                time.nas_answer_ms() + subscriber_data + u64::from(time.gateway_ms)
            }
        }
    }
}
