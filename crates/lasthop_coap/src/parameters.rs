use lasthop_units::Duration;

use crate::BlockSize;

/// The transmission parameters of an endpoint (RFC 7252 section 4.8), and its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoapParameters {
    /// The minimum of the first acknowledgement timeout (`ACK_TIMEOUT`).
    pub ack_timeout: Duration,
    /// The ratio of the maximum to the minimum first acknowledgement timeout (`ACK_RANDOM_FACTOR`), at least 1.
    pub ack_random_factor: f64,
    /// The maximum number of retransmissions of a confirmable message (`MAX_RETRANSMIT`), at most 20.
    pub max_retransmit: u16,
    /// The maximum number of simultaneous interactions with a peer (`NSTART`), at least 1. Further ones are queued.
    pub nstart: u16,
    /// The maximum number of queued messages for each peer. Further ones fail at once.
    pub max_waiting: usize,
    /// The maximum number of resources and topics that a client observes at a server, in addition to those of devices.
    pub max_observations: usize,
    /// The maximum time that a datagram is assumed to travel (`MAX_LATENCY`).
    pub max_latency: Duration,
    /// The token length in bytes, 0 to 8. RFC 7252 section 5.3.1 requires four random bytes on the Internet.
    pub token_length: usize,
    /// The largest block that this end sends and requests (RFC 7959 section 2.2).
    pub block_size: BlockSize,
    /// The largest reassembled body, and the largest message on a stream, in bytes.
    pub max_body_size: usize,
    /// The lifetime of a representation (`Max-Age`, RFC 7252 section 5.10.5). An observer registers again after that
    /// time without a notification.
    pub max_age: Duration,
    /// Whether a confirmable request is acknowledged first and answered by a separate response (RFC 7252 section
    /// 5.2.2), as a slow server does. Otherwise the response is piggybacked (§5.2.1).
    pub separate_responses: bool,
    /// Whether a server makes a new peer prove its address before sending more than three times its bytes (RFC 9175
    /// section 2.3; datagrams only).
    pub asks_for_proof: bool,
    /// The timeout for a peer's settings and for its end of the connection (streams only). `None` is for ever.
    pub connect_timeout: Option<Duration>,
    /// The timeout for a complete message of a peer (streams only). `None` is for ever.
    pub message_timeout: Option<Duration>,
    /// The delay before a client reconnects (streams only).
    pub reconnect_delay: Duration,
}

/// The kind of transport of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    /// One datagram for each message, with a CoAP message layer (RFC 7252).
    Datagrams,
    /// A reliable byte stream (RFC 8323).
    Streams,
}

impl Default for CoapParameters {
    fn default() -> Self {
        Self {
            ack_timeout: Duration::from_secs(2),
            ack_random_factor: 1.5,
            max_retransmit: 4,
            nstart: 1,
            max_waiting: 65_536,
            max_observations: usize::MAX,
            max_latency: Duration::from_secs(100),
            token_length: 4,
            block_size: BlockSize::LARGEST,
            max_body_size: 65_536,
            max_age: Duration::from_secs(60),
            separate_responses: false,
            asks_for_proof: false,
            connect_timeout: None,
            message_timeout: None,
            reconnect_delay: Duration::from_secs(1),
        }
    }
}

impl CoapParameters {
    /// Returns the time from the first to the last transmission of a confirmable message (`MAX_TRANSMIT_SPAN`).
    #[must_use]
    pub fn max_transmit_span(&self) -> Duration {
        self.longest_first_wait() * ((1 << self.doublings()) - 1)
    }

    /// Returns the time from the first transmission of a confirmable message until it is given up
    /// (`MAX_TRANSMIT_WAIT`).
    #[must_use]
    pub fn max_transmit_wait(&self) -> Duration {
        self.longest_first_wait() * ((1 << (self.doublings() + 1)) - 1)
    }

    /// Returns the maximum processing time of a peer (`PROCESSING_DELAY`).
    #[must_use]
    pub fn processing_delay(&self) -> Duration {
        self.ack_timeout
    }

    /// Returns the maximum round-trip time with processing (`MAX_RTT`).
    #[must_use]
    pub fn max_rtt(&self) -> Duration {
        self.max_latency * 2 + self.processing_delay()
    }

    /// Returns how long the ID of a confirmable message must not be reused (`EXCHANGE_LIFETIME`).
    #[must_use]
    pub fn exchange_lifetime(&self) -> Duration {
        self.max_transmit_span() + self.max_rtt()
    }

    /// Returns how long the ID of a non-confirmable message must not be reused (`NON_LIFETIME`).
    #[must_use]
    pub fn non_lifetime(&self) -> Duration {
        self.max_transmit_span() + self.max_latency
    }

    fn longest_first_wait(&self) -> Duration {
        self.ack_timeout.scaled(self.ack_random_factor)
    }

    fn doublings(&self) -> u32 {
        u32::from(self.max_retransmit.min(20))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_times_are_those_of_the_standard() {
        // RFC 7252 section 4.8.2, table 3.
        let defaults = CoapParameters::default();
        let seconds = Duration::from_secs;
        assert_eq!(defaults.max_transmit_span(), seconds(45));
        assert_eq!(defaults.max_transmit_wait(), seconds(93));
        assert_eq!(defaults.max_rtt(), seconds(202));
        assert_eq!(defaults.exchange_lifetime(), seconds(247));
        assert_eq!(defaults.non_lifetime(), seconds(145));
    }
}
