use chrono_tz::Tz;
use domain::{lite::Throttle, phone::Msisdn};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteSender {
    pub msisdn: Msisdn,
    pub connected: bool,
    pub throttle: Throttle,
    pub time_zone: Tz,
}

impl LiteSender {
    /// A number whose client has this time zone; an unknown one counts as UTC.
    pub fn new(msisdn: Msisdn, connected: bool, throttle: Throttle, zone: &str) -> Self {
        Self { msisdn, connected, throttle, time_zone: zone.parse().unwrap_or(Tz::UTC) }
    }
}
