use std::time::Duration;

/// Times and bounds of the protocol. The defaults are for production.
#[derive(Debug, Clone)]
pub struct SmppSettings {
    /// Limit for name, TCP and TLS together (10 s).
    pub connect_timeout: Duration,
    /// Limit for the answer to a bind (10 s).
    pub bind_timeout: Duration,
    /// Limit for the answer to a submit (1 min). Waiting costs a place in the window; a submit that is given up may be doubled.
    pub response_timeout: Duration,
    /// Silence after which an `enquire_link` is sent (30 s).
    pub enquire_link: Duration,
    /// Longest time without an answer to it, or without reading our bytes (10 s).
    pub link_timeout: Duration,
    /// How long open answers of both sides are awaited before a session is closed with an unbind (2 s).
    pub unbind_wait: Duration,
    /// Longest time for an unbind, and for the last bytes of a session (2 s).
    pub unbind_timeout: Duration,
    /// First pause after a lost connection or a passing refusal (1 s), doubling.
    pub reconnect_first: Duration,
    /// Longest such pause (10 s).
    pub reconnect_longest: Duration,
    /// First pause after a wrong system id or password (1 min), doubling: an SMSC locks accounts that try too often.
    pub refused_first: Duration,
    /// Longest such pause (10 min).
    pub refused_longest: Duration,
    /// How long a session has to last before the pauses start again from the first one (30 s).
    pub session_proven: Duration,
    /// First pause after the SMSC said that we are too fast (1 s), doubling. After each, one submit tests if it is over.
    pub throttle_first: Duration,
    /// Longest such pause (30 s).
    pub throttle_longest: Duration,
    /// How long the acknowledgement of a single part is held back while the other parts are awaited (10 s).
    pub part_hold: Duration,
    /// How long an incomplete message is kept before it is passed on as it is (5 min).
    pub part_expiry: Duration,
    /// Pause before a message with acknowledged parts that could not be stored is tried again (5 s).
    pub part_retry: Duration,
    /// Deliveries of a session that wait; then nothing more is read from it (64).
    pub deliveries_waiting: usize,
}

impl Default for SmppSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            bind_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(60),
            enquire_link: Duration::from_secs(30),
            link_timeout: Duration::from_secs(10),
            unbind_wait: Duration::from_secs(2),
            unbind_timeout: Duration::from_secs(2),
            reconnect_first: Duration::from_secs(1),
            reconnect_longest: Duration::from_secs(10),
            refused_first: Duration::from_secs(60),
            refused_longest: Duration::from_secs(600),
            session_proven: Duration::from_secs(30),
            throttle_first: Duration::from_secs(1),
            throttle_longest: Duration::from_secs(30),
            part_hold: Duration::from_secs(10),
            part_expiry: Duration::from_secs(300),
            part_retry: Duration::from_secs(5),
            deliveries_waiting: 64,
        }
    }
}
