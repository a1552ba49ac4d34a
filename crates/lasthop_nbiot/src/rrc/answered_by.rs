use crate::config::NetworkTime;

/// The network entity that must answer before a message of a procedure is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The base station only, which needs no other entity.
    BaseStation,
    /// The MME, over S1.
    Mme,
    /// The MME, after a request for subscriber data (HSS): at an attach.
    MmeAndSubscriberData,
    /// The MME, after a request for subscriber data (HSS) and a session at the gateway: at the end of an attach.
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

    /// Returns the time between the previous message and this one, in ms.
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
