use lasthop_units::Duration;

use super::congestion::{CongestionLaw, OwnLaw};

/// The settings of a TCP endpoint. A connection keeps the profile that it began with.
///
/// The fields are independent of each other; the constructors are the stacks that are modelled.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpProfile {
    /// The congestion control algorithm.
    pub congestion: CongestionControl,
    /// The window factor after a loss, if it differs from the algorithm's: 0.7 for Cubic (RFC 9438 section 4.6), 0.5
    /// for Reno (RFC 5681 section 3.1).
    ///
    /// It is at least 0 and below 1.
    pub beta: Option<f64>,
    /// The congestion window at the start and after idling, in segments (RFC 6928).
    pub initial_window: u32,
    /// The largest congestion window, in segments.
    pub max_window: u32,
    /// Whether slow start of Cubic ends when the delay rises (HyStart, Ha and Rhee 2011, as in Linux).
    pub hystart: bool,
    /// Whether the window of an idle connection is reduced towards the initial window (RFC 2861,
    /// `tcp_slow_start_after_idle`).
    pub slow_start_after_idle: bool,
    /// The RTT estimator that sets the retransmission timeout.
    pub rtt_estimator: RttEstimator,
    /// The smoothed RTT before the first sample. The first RTT variance is half of it.
    pub initial_srtt: Option<Duration>,
    /// The retransmission timeout before the first sample (RFC 6298 section 2.1).
    pub initial_rto: Duration,
    /// The retransmission timeout when the handshake gave no sample (RFC 6298 section 5.7).
    pub fallback_rto: Duration,
    /// The minimum retransmission timeout, or the minimum of its variance part ([`RttEstimator::Linux`]).
    pub min_rto: Duration,
    /// The maximum retransmission timeout.
    pub max_rto: Duration,
    /// How exactly timers fire.
    pub timer_clock: TimerClock,
    /// The maximum segment size advertised to an IPv4 peer; 20 bytes less for IPv6.
    pub max_segment_size: u16,
    /// The path MTU discovery method.
    pub path_mtu: PathMtu,
    /// Whether timestamps are offered and accepted (RFC 7323 section 3).
    pub timestamps: bool,
    /// Whether selective acknowledgements are offered and accepted (RFC 2018).
    pub sack: bool,
    /// Whether duplicate segments are reported by D-SACK (RFC 2883).
    pub dsack: bool,
    /// The window scale that is offered (RFC 7323 section 2).
    pub window_scale: Option<u8>,
    /// Whether RACK detects losses by time (RFC 8985 section 6) if SACK is in use. Otherwise duplicate acknowledgements
    /// are counted (RFC 6675).
    pub rack: bool,
    /// Whether tail loss probes are sent (RFC 8985 section 7) if SACK is in use.
    pub loss_probe: bool,
    /// Whether spurious retransmission timeouts are detected by F-RTO (RFC 5682).
    pub frto: bool,
    /// Whether duplicate acknowledgements release new segments (limited transmit, RFC 3042) without SACK.
    pub limited_transmit: bool,
    /// The number of duplicate acknowledgements that indicates a loss (RFC 5681 section 3.2).
    pub duplicate_threshold: u32,
    /// Whether adjacent small lost segments are retransmitted as one (`tcp_retrans_collapse`).
    pub collapse: bool,
    /// Whether Nagle's algorithm is off (RFC 9293 section 3.7.4).
    pub nodelay: bool,
    /// Whether Nagle's algorithm delays a small segment only while another small one is unacknowledged (Minshall's
    /// variant, as in Linux).
    pub minshall: bool,
    /// Whether a single segment is deferred to be sent with a second when an acknowledgement is expected soon
    /// (`tcp_tso_should_defer`).
    pub defers: bool,
    /// The acknowledgement policy.
    pub acknowledgement: AcknowledgementPolicy,
    /// The send buffer in bytes: unsent and unacknowledged data.
    pub send_buffer: u32,
    /// The receive buffer in bytes, which is also the largest advertised window.
    pub receive_buffer: u32,
    /// Whether out-of-order segments are kept.
    pub keeps_out_of_order: bool,
    /// The maximum number of SYN retransmissions.
    pub syn_retries: u32,
    /// The number of first SYN timeouts that do not double (`tcp_syn_linear_timeouts`). They are in addition to
    /// `syn_retries`.
    pub syn_linear_timeouts: u32,
    /// The maximum number of SYN-ACK retransmissions.
    pub syn_ack_retries: u32,
    /// The number of timeout doublings after which a connection to a silent peer is aborted.
    pub retries: u32,
    /// The time after which a connection to a silent peer is aborted, regardless of `retries` (RFC 5482).
    pub user_timeout: Option<Duration>,
    /// Keep-alive probes of an idle connection (RFC 9293 section 3.8.4); `None` for none.
    pub keep_alive: Option<KeepAlive>,
    /// The TIME-WAIT duration (RFC 9293 section 3.6.1).
    pub time_wait: Duration,
    /// The timeout of FIN-WAIT-2.
    pub fin_wait_2_timeout: Option<Duration>,
    /// The minimum time between two challenge ACKs (RFC 5961 section 7).
    pub challenge_interval: Duration,
    /// Whether `open` with early data requests a Fast Open cookie and uses it (RFC 7413).
    pub fast_open_client: bool,
    /// Whether a listener gives Fast Open cookies and accepts early data (RFC 7413).
    pub fast_open_server: bool,
    /// The maximum number of half-open connections.
    pub max_half_open: u32,
}

/// A path MTU discovery method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathMtu {
    /// By ICMP messages (RFC 1191, RFC 8201) before data is sent. The messages take no bytes and no time in this model.
    Icmp,
    /// By probing: large segments without an acknowledgement are followed by smaller ones (RFC 4821 section 7.7,
    /// `tcp_mtu_probing=1` of Linux).
    Probing,
    /// No discovery: a hop with a smaller MTU is a black hole.
    Unknown,
}

/// A congestion control algorithm.
#[derive(Clone, Debug, PartialEq)]
pub enum CongestionControl {
    /// Cubic (RFC 9438).
    Cubic,
    /// Reno (RFC 5681).
    Reno,
    /// A user-defined algorithm.
    Own(OwnLaw),
}

impl CongestionControl {
    /// Creates a user-defined algorithm. `start` is called for each connection.
    #[must_use]
    pub fn own<L: CongestionLaw + 'static>(start: impl Fn() -> L + Send + Sync + 'static) -> Self {
        Self::Own(OwnLaw::new(move || Box::new(start())))
    }
}

/// An RTT estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttEstimator {
    /// `tcp_rtt_estimator` of Linux: RFC 6298 in fixed point.
    ///
    /// The variance is the largest of a round trip, falls slowly and is never below the least timeout.
    Linux,
    /// RFC 6298 section 2 to the letter: the minimum applies to the whole timeout.
    Rfc6298,
    /// `tcp_receive` of lwIP: Van Jacobson's integer arithmetic in ticks of 500 ms. One segment is timed at a time.
    Lwip,
}

/// How exactly timers fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerClock {
    /// Timers fire at the exact instant.
    Exact,
    /// The timer wheel of Linux: later timers are coarser.
    LinuxWheel {
        /// The tick of the wheel: 4 ms for a `CONFIG_HZ` of 250.
        tick: Duration,
    },
    /// A periodic timer that checks all connections: timers fire at the next multiple of its period.
    Periodic {
        /// The period of the timer.
        tick: Duration,
    },
}

/// An acknowledgement policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcknowledgementPolicy {
    /// The policy of Linux: quick acknowledgements first, then an adaptive delay.
    ///
    /// It acknowledges at once at the start, after gaps and when a small segment was read. Otherwise it acknowledges
    /// every second full segment, or after an adaptive delay.
    Adaptive {
        /// The number of segments at the start that are acknowledged at once (`TCP_MAX_QUICKACKS`).
        quick: u8,
        /// The minimum acknowledgement delay (`TCP_ATO_MIN`).
        min_delay: Duration,
        /// The maximum acknowledgement delay (`TCP_DELACK_MAX`).
        max_delay: Duration,
    },
    /// Every second segment is acknowledged at once, others at the next multiple of a period (RFC 9293 section
    /// 3.8.6.3).
    EverySecond {
        /// The period.
        tick: Duration,
    },
}

/// Keep-alive settings for an idle connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// The idle time before the first probe.
    pub idle: Duration,
    /// The interval between probes.
    pub interval: Duration,
    /// The number of unanswered probes that ends the connection.
    pub probes: u32,
}

impl TcpProfile {
    /// Returns the default profile of Linux 6, with buffers of fixed size.
    ///
    /// Sources: `Documentation/networking/ip-sysctl.rst`, `include/net/tcp.h`, and a running Linux 6.18.
    #[must_use]
    pub fn linux() -> Self {
        Self {
            congestion: CongestionControl::Cubic,
            beta: None,
            initial_window: 10,
            max_window: u32::MAX,
            hystart: true,
            slow_start_after_idle: true,
            rtt_estimator: RttEstimator::Linux,
            initial_srtt: None,
            initial_rto: Duration::from_secs(1),
            fallback_rto: Duration::from_secs(3),
            min_rto: Duration::from_millis(200),
            max_rto: Duration::from_secs(120),
            timer_clock: TimerClock::LinuxWheel {
                tick: Duration::from_millis(4),
            },
            max_segment_size: 1460,
            path_mtu: PathMtu::Icmp,
            timestamps: true,
            sack: true,
            dsack: true,
            window_scale: Some(7),
            rack: true,
            loss_probe: true,
            frto: true,
            limited_transmit: true,
            duplicate_threshold: 3,
            collapse: true,
            nodelay: false,
            minshall: true,
            defers: true,
            acknowledgement: AcknowledgementPolicy::Adaptive {
                quick: 16,
                min_delay: Duration::from_millis(40),
                max_delay: Duration::from_millis(200),
            },
            send_buffer: 87_040,
            receive_buffer: 65_536,
            keeps_out_of_order: true,
            syn_retries: 6,
            syn_linear_timeouts: 4,
            syn_ack_retries: 5,
            retries: 15,
            user_timeout: None,
            keep_alive: None,
            time_wait: Duration::from_secs(60),
            fin_wait_2_timeout: Some(Duration::from_secs(60)),
            challenge_interval: Duration::from_millis(500),
            fast_open_client: true,
            fast_open_server: false,
            max_half_open: 4096,
        }
    }

    /// How long so many retries take at least (`tcp_model_timeout`).
    pub(crate) fn time_of_retries(&self, retries: u32) -> Duration {
        let base = self.min_rto.as_nanos().max(1);
        let most = self.max_rto.as_nanos();
        let doublings = u64::from((most / base).max(1).ilog2());
        let retries = u64::from(retries);
        let doubled = retries.min(doublings);
        Duration::from_nanos(((2 << doubled) - 1) * base + (retries - doubled) * most)
    }

    /// Returns the TCP profile of Larmo et al. (2019).
    ///
    /// The initial window is 3 segments, and the congestion window is at most 10. The smoothed RTT starts at 1 s, so
    /// the retransmission timeout starts at 3 s (RFC 6298 section 2.2).
    ///
    /// What the paper does not say is as in Linux, Reno for Cubic.
    #[must_use]
    pub fn larmo_2019() -> Self {
        Self {
            congestion: CongestionControl::Reno,
            initial_window: 3,
            max_window: 10,
            rtt_estimator: RttEstimator::Rfc6298,
            initial_srtt: Some(Duration::from_secs(1)),
            initial_rto: Duration::from_secs(3),
            timer_clock: TimerClock::Exact,
            ..Self::linux()
        }
    }

    /// Returns the profile of lwIP in the ESP8266's SDK.
    ///
    /// It has an MSS of 1440 B, a window of 4 x 1436 B, timers of 250 and 500 ms and 12 retransmissions. It has no
    /// SACK, timestamps or window scaling, and keeps nothing out of order.
    ///
    /// Sources: options in captured SYNs, `lwipopts.h` of the ESP8266_RTOS_SDK, `tcp.c` and `tcp_in.c` of lwIP 2.
    #[must_use]
    pub fn lwip_esp8266() -> Self {
        Self {
            congestion: CongestionControl::Reno,
            initial_window: 3,
            hystart: false,
            slow_start_after_idle: false,
            rtt_estimator: RttEstimator::Lwip,
            initial_rto: Duration::from_secs(3),
            min_rto: Duration::from_millis(500),
            max_rto: Duration::from_secs(384),
            timer_clock: TimerClock::Periodic {
                tick: Duration::from_millis(500),
            },
            max_segment_size: 1440,
            path_mtu: PathMtu::Unknown,
            timestamps: false,
            sack: false,
            dsack: false,
            window_scale: None,
            rack: false,
            loss_probe: false,
            frto: false,
            limited_transmit: false,
            collapse: false,
            minshall: false,
            defers: false,
            acknowledgement: AcknowledgementPolicy::EverySecond {
                tick: Duration::from_millis(250),
            },
            send_buffer: 2 * 1460,
            receive_buffer: 4 * 1436,
            keeps_out_of_order: false,
            syn_retries: 0,
            syn_linear_timeouts: 6,
            syn_ack_retries: 6,
            retries: 12,
            time_wait: Duration::from_secs(120),
            fin_wait_2_timeout: Some(Duration::from_secs(20)),
            fast_open_client: false,
            max_half_open: 8,
            ..Self::linux()
        }
    }
}
