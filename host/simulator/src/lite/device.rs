//! One Lite device: pairing, connecting, loss of the connection, and return (PROVIDERS D.1).

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::DeviceError;
use crate::clock;

/// QR codes of one pairing attempt: the first is shown for a minute, the others for 20 seconds.
const CODES: u32 = 6;
const FIRST_CODE_SECONDS: i64 = 60;
const NEXT_CODE_SECONDS: i64 = 20;
const LONGEST_BAN_SECONDS: i64 = 24 * 3600;
/// Bound on the events that are kept for a host that does not fetch them.
const EVENTS_KEPT: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LinkState {
    Off,
    Pairing,
    Up,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Device {
    pub(crate) number: String,
    paired: bool,
    link: LinkState,
    holder: Option<String>,
    banned_until: Option<DateTime<Utc>>,
    code: Option<String>,
    #[serde(skip)]
    codes: u32,
    #[serde(skip)]
    attempt: u64,
    pub(crate) lookup_fails: bool,
    /// Part of the data that phone and device share cannot be fetched.
    sync_fails: bool,
    #[serde(skip)]
    events: VecDeque<(u64, Value)>,
    #[serde(skip)]
    last_event: u64,
    /// Events that arrived while it was disconnected. They are reported after the next connection.
    #[serde(skip)]
    held: Vec<Value>,
}

impl Device {
    pub(crate) fn new(number: &str) -> Self {
        Self {
            number: number.to_owned(),
            paired: false,
            link: LinkState::Off,
            holder: None,
            banned_until: None,
            code: None,
            codes: 0,
            attempt: 0,
            lookup_fails: false,
            sync_fails: false,
            events: VecDeque::new(),
            last_event: 0,
            held: Vec::new(),
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.link == LinkState::Up
    }

    /// The pairing attempt, the number of codes, and the seconds until the code expires. `None` if no code is shown.
    pub(crate) fn code_runs_out(&self) -> Option<(u64, u32, i64)> {
        self.code.as_ref()?;
        let seconds = if self.codes == 1 { FIRST_CODE_SECONDS } else { NEXT_CODE_SECONDS };
        Some((self.attempt, self.codes, seconds))
    }

    fn queue_event(&mut self, event: Value) {
        self.last_event += 1;
        self.events.push_back((self.last_event, event));
        if self.events.len() > EVENTS_KEPT {
            self.events.pop_front();
        }
    }

    fn queue_session_events(&mut self, names: &[&str]) {
        for name in names {
            self.queue_event(json!({"type": "session", "news": name}));
        }
    }

    pub(crate) fn record_callback(&mut self, event: Value) {
        if self.is_up() { self.queue_event(event) } else { self.held.push(event) }
    }

    pub(crate) fn take_events(&mut self, seen: u64) -> (u64, Vec<Value>) {
        while self.events.front().is_some_and(|(number, _)| *number <= seen) {
            self.events.pop_front();
        }
        let events = self.events.iter().map(|(_, event)| event.clone()).collect();
        (self.last_event.max(seen), events)
    }

    /// Removes events about the connection, but not those of customers.
    fn forget_news(&mut self) {
        self.events.retain(|(_, event)| !matches!(event.get("type").and_then(Value::as_str), Some("session" | "qr")));
    }

    /// Connects for `holder`, or shows a code. Its own connection stays, and that of another process ends.
    pub(crate) fn start(&mut self, holder: &str) -> Result<(), DeviceError> {
        if let Some(seconds) = self.ban_left() {
            return Err(DeviceError::Banned(seconds));
        }
        let same = self.holder.as_deref() == Some(holder);
        self.holder = Some(holder.to_owned());
        match (self.paired, self.link) {
            (_, LinkState::Up) if same => {}
            (true, _) => {
                self.forget_news();
                self.queue_session_events(&["DIALLING", "SOCKET_UP", "AUTHENTICATED", "LOGGED_IN"]);
                self.come_up();
            }
            (false, LinkState::Pairing) if same => {}
            (false, _) => {
                self.link = LinkState::Pairing;
                self.codes = 0;
                self.attempt += 1;
                self.forget_news();
                self.queue_session_events(&["DIALLING"]);
                self.show_code();
            }
        }
        Ok(())
    }

    fn show_code(&mut self) {
        self.codes += 1;
        let secret = hex::encode(clock::random_bytes::<16>());
        let code = format!("2@{secret},{},{}", self.number, self.codes);
        let seconds = if self.codes == 1 { FIRST_CODE_SECONDS } else { NEXT_CODE_SECONDS };
        self.queue_event(json!({"type": "qr", "code": code, "seconds": seconds}));
        self.code = Some(code);
    }

    /// The code has expired: shows the next one, or ends the attempt.
    pub(crate) fn next_code(&mut self, attempt: u64, codes: u32) -> bool {
        if self.link != LinkState::Pairing || (self.attempt, self.codes) != (attempt, codes) {
            return false;
        }
        if self.codes < CODES {
            self.show_code();
            return true;
        }
        self.goes_down("QR_TIMEOUT");
        false
    }

    fn come_up(&mut self) {
        self.link = LinkState::Up;
        self.code = None;
        if self.sync_fails {
            self.queue_session_events(&["SYNC_FAILED"]);
        }
        self.queue_session_events(&["SYNCED"]);
        for event in std::mem::take(&mut self.held) {
            self.queue_event(event);
        }
    }

    pub(crate) fn scan(&mut self, scanned: Option<&str>) -> Result<(), DeviceError> {
        let shown = self.code.as_deref().ok_or(DeviceError::NoCode)?;
        if scanned.is_some_and(|scanned| scanned != shown) {
            return Err(DeviceError::OldCode);
        }
        self.paired = true;
        self.queue_session_events(&["PAIRED", "SOCKET_UP", "AUTHENTICATED", "LOGGED_IN_FIRST"]);
        self.come_up();
        Ok(())
    }

    fn goes_down(&mut self, news: &str) {
        self.link = LinkState::Off;
        self.code = None;
        self.holder = None;
        self.queue_session_events(&[news]);
    }

    /// The host ends the connection and keeps the pairing. It gets no event for that.
    pub(crate) fn disconnect(&mut self) {
        (self.link, self.code, self.holder) = (LinkState::Off, None, None);
        self.forget_news();
    }

    pub(crate) fn log_out(&mut self) {
        self.disconnect();
        self.paired = false;
    }

    fn ban_left(&self) -> Option<i64> {
        let left = (self.banned_until? - clock::now()).num_milliseconds();
        (left > 0).then_some(left.div_euclid(1000) + 1)
    }

    pub(crate) fn inject_fault(&mut self, name: &str, seconds: Option<i64>) -> Result<(), DeviceError> {
        match name {
            "ban" => {
                let seconds = seconds.unwrap_or(LONGEST_BAN_SECONDS).clamp(1, LONGEST_BAN_SECONDS);
                self.banned_until = Some(clock::now() + TimeDelta::seconds(seconds));
                self.goes_down("BANNED");
                if let Some((_, event)) = self.events.back_mut() {
                    *event = json!({"type": "session", "news": "BANNED", "seconds": seconds});
                }
            }
            "unban" => self.banned_until = None,
            "replaced" => self.goes_down("REPLACED"),
            "logged_out" => {
                self.paired = false;
                self.goes_down("LOGGED_OUT");
            }
            "pair_failed" => self.goes_down("PAIR_FAILED"),
            "qr_timeout" => self.goes_down("QR_TIMEOUT"),
            "drop" => self.goes_down("DROPPED"),
            "next_code" if self.code.is_none() => return Err(DeviceError::NoCode),
            "next_code" => {
                self.next_code(self.attempt, self.codes);
            }
            "lookup_fails" => self.lookup_fails = true,
            "lookup_works" => self.lookup_fails = false,
            "sync_fails" => self.sync_fails = true,
            "sync_works" => self.sync_fails = false,
            other => return Err(DeviceError::NoEvent(other.to_owned(), EVENTS.join(", "))),
        }
        Ok(())
    }
}

const EVENTS: [&str; 12] = [
    "ban",
    "unban",
    "replaced",
    "logged_out",
    "pair_failed",
    "qr_timeout",
    "drop",
    "next_code",
    "lookup_fails",
    "lookup_works",
    "sync_fails",
    "sync_works",
];
