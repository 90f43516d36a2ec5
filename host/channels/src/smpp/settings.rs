use std::time::Duration;

/// Times and bounds of the protocol. The defaults are for production.
#[derive(Debug, Clone)]
pub struct SmppSettings {
    pub connect_timeout: Duration,
    pub bind_timeout: Duration,
    pub response_timeout: Duration,
    pub enquire_link: Duration,
    pub link_timeout: Duration,
    pub unbind_wait: Duration,
    pub unbind_timeout: Duration,
    pub reconnect_first: Duration,
    pub reconnect_longest: Duration,
    pub refused_first: Duration,
    pub refused_longest: Duration,
    pub session_proven: Duration,
    pub throttle_first: Duration,
    pub throttle_longest: Duration,
    pub part_hold: Duration,
    pub part_expiry: Duration,
    pub part_retry: Duration,
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
