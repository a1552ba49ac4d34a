use lasthop_units::Duration;

use super::congestion::{CongestionLaw, OwnLaw};

/// Every constant of a TCP endpoint. A connection keeps the profile that it began with.
///
/// The fields are independent of each other; the constructors are the stacks that are modelled.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpProfile {
    /// How the congestion window grows and shrinks.
    pub congestion: CongestionControl,
    /// What a loss leaves of the window, where it is not what the law says: 0.7 of Cubic (RFC 9438 §4.6), 0.5 of Reno
    /// (RFC 5681 §3.1). From 0 up to but not including 1.
    pub beta: Option<f64>,
    /// The congestion window at the start and after idling, in segments (RFC 6928).
    pub initial_window: u32,
    /// The largest congestion window, in segments.
    pub max_window: u32,
    /// Whether slow start of Cubic looks for a rise of delay (Ha and Rhee 2011, as Linux has it).
    pub hystart: bool,
    /// Whether an idle connection falls back towards the initial window (RFC 2861, `tcp_slow_start_after_idle`).
    pub slow_start_after_idle: bool,
    /// How the retransmission timeout follows from round trips.
    pub rtt_estimator: RttEstimator,
    /// The smoothed round trip before the first sample; half of it is the first variance.
    pub initial_srtt: Option<Duration>,
    /// The retransmission timeout before the first sample (RFC 6298 §2.1).
    pub initial_rto: Duration,
    /// The retransmission timeout when the handshake gave no sample (RFC 6298 §5.7).
    pub fallback_rto: Duration,
    /// The least retransmission timeout, or the least variance part of it ([`RttEstimator::Linux`]).
    pub min_rto: Duration,
    /// The largest retransmission timeout.
    pub max_rto: Duration,
    /// When a timer that was set really fires.
    pub timer_clock: TimerClock,
    /// The largest segment that is offered to an IPv4 peer; 20 bytes less for IPv6.
    pub max_segment_size: u16,
    /// How it comes to know of hops that take less than its interface.
    pub path_mtu: PathMtu,
    /// Whether time stamps are offered and accepted (RFC 7323 §3).
    pub timestamps: bool,
    /// Whether selective acknowledgements are offered and accepted (RFC 2018).
    pub sack: bool,
    /// Whether duplicates are reported (RFC 2883).
    pub dsack: bool,
    /// The window scale that is offered (RFC 7323 §2).
    pub window_scale: Option<u8>,
    /// Whether losses are found by time (RFC 8985 §6) where there is SACK; else by counting (RFC 6675).
    pub rack: bool,
    /// Whether the tail is probed (RFC 8985 §7) where there is SACK.
    pub loss_probe: bool,
    /// Whether spurious timeouts are looked for (RFC 5682).
    pub frto: bool,
    /// Whether duplicate acknowledgements let new segments leave (RFC 3042) where there is no SACK.
    pub limited_transmit: bool,
    /// How many duplicate acknowledgements make a loss (RFC 5681 §3.2).
    pub duplicate_threshold: u32,
    /// Whether small segments that are lost together are sent again as one (`tcp_retrans_collapse`).
    pub collapse: bool,
    /// `true` switches Nagle's algorithm off (RFC 9293 §3.7.4).
    pub nodelay: bool,
    /// Whether Nagle's algorithm minds small segments alone (Minshall's variant, as Linux).
    pub minshall: bool,
    /// Whether a single segment waits for a second where an acknowledgement is near (`tcp_tso_should_defer`).
    pub defers: bool,
    /// When what arrived is acknowledged.
    pub acknowledgement: AcknowledgementPolicy,
    /// How many bytes may wait to be sent or acknowledged.
    pub send_buffer: u32,
    /// How many bytes may wait to be read: the largest window that is offered.
    pub receive_buffer: u32,
    /// Whether segments that arrive out of order are kept.
    pub keeps_out_of_order: bool,
    /// How often a SYN is sent again.
    pub syn_retries: u32,
    /// How many of the first SYN timeouts do not double (`tcp_syn_linear_timeouts`); further to `syn_retries`.
    pub syn_linear_timeouts: u32,
    /// How often a SYN with an acknowledgement is sent again.
    pub syn_ack_retries: u32,
    /// After the time that this many doublings of the least timeout take, a silent peer is given up.
    pub retries: u32,
    /// Gives a silent peer up after this time, whatever `retries` says (RFC 5482).
    pub user_timeout: Option<Duration>,
    /// Probes of an idle connection (RFC 9293 §3.8.4).
    pub keep_alive: Option<KeepAlive>,
    /// How long a closed connection answers late segments (RFC 9293 §3.6.1).
    pub time_wait: Duration,
    /// How long a finished side waits for a silent peer to finish too.
    pub fin_wait_2_timeout: Option<Duration>,
    /// The least time between two answers to segments that make no sense (RFC 5961 §7).
    pub challenge_interval: Duration,
    /// Whether `open` with early data asks for a Fast Open cookie and uses it (RFC 7413).
    pub fast_open_client: bool,
    /// Whether cookies are given and early data is taken.
    pub fast_open_server: bool,
    /// How many handshakes may wait for their last segment.
    pub max_half_open: u32,
}

/// How a sender comes to know of hops that take smaller packets than its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathMtu {
    /// By what they say (RFC 1191, RFC 8201), before anything is sent. What they say takes no bytes and no time here.
    Icmp,
    /// By silence: large segments that meet it are followed by smaller ones (RFC 4821 section 7.7, `tcp_mtu_probing` of Linux
    /// at 1).
    Probing,
    /// Not at all: such a hop is a black hole.
    Unknown,
}

/// How the congestion window grows and shrinks.
#[derive(Clone, Debug, PartialEq)]
pub enum CongestionControl {
    /// RFC 9438.
    Cubic,
    /// RFC 5681.
    Reno,
    /// By a law of one's own.
    Own(OwnLaw),
}

impl CongestionControl {
    /// By a law of one's own, which is made anew for each connection.
    #[must_use]
    pub fn own<L: CongestionLaw + 'static>(start: impl Fn() -> L + Send + Sync + 'static) -> Self {
        Self::Own(OwnLaw::new(move || Box::new(start())))
    }
}

/// How the retransmission timeout follows from round trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttEstimator {
    /// `tcp_rtt_estimator` of Linux: RFC 6298 in fixed point; the variance is the largest of a round trip, falls
    /// slowly and never below the least timeout.
    Linux,
    /// RFC 6298 §2 to the letter, the least timeout below the sum.
    Rfc6298,
    /// `tcp_receive` of lwIP: Van Jacobson's integers in ticks of 500 ms, one segment timed at once.
    Lwip,
}

/// When a timer that was set really fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerClock {
    /// At the instant.
    Exact,
    /// When the timer wheel of Linux reaches its slot: the further away, the coarser.
    LinuxWheel {
        /// A tick of the wheel: 4 ms where `CONFIG_HZ` is 250.
        tick: Duration,
    },
    /// At the next multiple, as with a periodic timer that looks at all connections.
    Periodic {
        /// The period.
        tick: Duration,
    },
}

/// When what arrived is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcknowledgementPolicy {
    /// As Linux: at once at the start, after gaps and when a small segment was read; else every second full
    /// segment or after a delay that adapts.
    Adaptive {
        /// How many segments are acknowledged at once at the start (`TCP_MAX_QUICKACKS`).
        quick: u8,
        /// The least delay (`TCP_ATO_MIN`).
        min_delay: Duration,
        /// The largest delay (`TCP_DELACK_MAX`).
        max_delay: Duration,
    },
    /// Every second segment, else at the next multiple of a period (RFC 9293 §3.8.6.3).
    EverySecond {
        /// The period.
        tick: Duration,
    },
}

/// Probes of an idle connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// How long a connection is idle before the first probe.
    pub idle: Duration,
    /// From one probe to the next.
    pub interval: Duration,
    /// How many probes without an answer end the connection.
    pub probes: u32,
}

impl TcpProfile {
    /// Linux 6 with its defaults, but for buffers that tune themselves.
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

    /// The TCP of Larmo et al. (2019): an initial window of 3 segments, a congestion window of at most 10, and a
    /// smoothed round trip that starts at 1 s, hence a retransmission timeout that starts at 3 s (RFC 6298 §2.2).
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

    /// lwIP as the ESP8266's SDK builds it: a maximum segment size of 1440 B, a window of 4 x 1436 B, no SACK, no
    /// time stamps, no window scale, nothing kept out of order, timers of 250 and 500 ms, 12 retransmissions.
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
