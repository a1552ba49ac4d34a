use lasthop_units::Duration;

use crate::BlockSize;

/// What an endpoint may be tuned by (RFC 7252 section 4.8), and the bounds of what it holds for others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoapParameters {
    /// The shortest wait for the first acknowledgement (`ACK_TIMEOUT`).
    pub ack_timeout: Duration,
    /// The longest is this many times the shortest (`ACK_RANDOM_FACTOR`), at least 1.
    pub ack_random_factor: f64,
    /// How often a confirmable message is sent again (`MAX_RETRANSMIT`), at most 20.
    pub max_retransmit: u16,
    /// How many interactions with one peer may be under way (`NSTART`), at least 1. The rest waits in a queue.
    pub nstart: u16,
    /// How many messages may wait for their turn, for each peer. The next one is given up at once.
    pub max_waiting: usize,
    /// How many resources and topics one client may observe at a server, beside those of devices.
    pub max_observations: usize,
    /// The longest time that a datagram is thought to travel (`MAX_LATENCY`).
    pub max_latency: Duration,
    /// How many bytes a token has, 0 to 8. RFC 7252 section 5.3.1 wants four random bytes on the Internet.
    pub token_length: usize,
    /// The largest block that this end sends, and asks for (RFC 7959 section 2.2).
    pub block_size: BlockSize,
    /// The largest body that this end puts together from blocks, and the largest message on a stream, in bytes.
    pub max_body_size: usize,
    /// For how long a representation is fresh (`Max-Age`, RFC 7252 section 5.10.5). An observer that heard nothing for
    /// that long registers again.
    pub max_age: Duration,
    /// Whether a confirmable request is acknowledged first and answered in a message of its own (RFC 7252 section 5.2.2),
    /// as a slow server does, or answered in the acknowledgement (§5.2.1).
    pub separate_responses: bool,
    /// Whether a server asks a stranger to prove its address before more than three times its bytes go there (RFC 9175
    /// §2.6; datagrams only).
    pub asks_for_proof: bool,
    /// How long a peer may take to send its settings, and to go once its connection has ended (streams only). `None` is
    /// for ever.
    pub connect_timeout: Option<Duration>,
    /// How long a message of a peer may take from its first byte to its last (streams only). `None` is for ever.
    pub message_timeout: Option<Duration>,
    /// How long after the connection is lost a client opens another (streams only).
    pub reconnect_delay: Duration,
}

/// What carries the messages of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    /// A datagram each, with a message layer of its own (RFC 7252).
    Datagrams,
    /// A byte stream, which is reliable by itself (RFC 8323).
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
    /// From the first transmission of a confirmable message to its last (`MAX_TRANSMIT_SPAN`).
    #[must_use]
    pub fn max_transmit_span(&self) -> Duration {
        self.longest_first_wait() * ((1 << self.doublings()) - 1)
    }

    /// From the first transmission of a confirmable message to the end of the wait (`MAX_TRANSMIT_WAIT`).
    #[must_use]
    pub fn max_transmit_wait(&self) -> Duration {
        self.longest_first_wait() * ((1 << (self.doublings() + 1)) - 1)
    }

    /// How long a peer may take to answer (`PROCESSING_DELAY`).
    #[must_use]
    pub fn processing_delay(&self) -> Duration {
        self.ack_timeout
    }

    /// There, processed, and back (`MAX_RTT`).
    #[must_use]
    pub fn max_rtt(&self) -> Duration {
        self.max_latency * 2 + self.processing_delay()
    }

    /// How long the number of a confirmable message means that message (`EXCHANGE_LIFETIME`).
    #[must_use]
    pub fn exchange_lifetime(&self) -> Duration {
        self.max_transmit_span() + self.max_rtt()
    }

    /// How long the number of a non-confirmable message means that message (`NON_LIFETIME`).
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
