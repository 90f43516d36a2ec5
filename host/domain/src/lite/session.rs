//! The state of the connection of a Lite number, and its steps (SPEC 3.3, 6.3; PROVIDERS D.1).

use serde::{Deserialize, Serialize};

use crate::event::{ConnectionStatus, SessionChanged};

/// News about a connection, from the device or from us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SessionNews {
    Initializing,
    /// WhatsApp is called, for the first time or again.
    Dialling,
    QrIssued,
    Paired,
    /// WhatsApp answers, but does not know the caller yet.
    SocketUp,
    Authenticated,
    /// The login after a pairing is done.
    LoggedInFirst,
    LoggedIn,
    /// Some data that phone and device share could not be fetched.
    SyncFailed,
    /// Messages come and go from now on.
    Synced,
    PairFailed,
    /// No phone scanned a code in time.
    QrTimeout,
    /// Another device has taken the connection over.
    Replaced,
    /// The phone, or WhatsApp, ended the pairing.
    LoggedOut,
    /// A logout that a client asked for begins.
    LoggingOut,
    LoggedOutByUs,
    /// A client asked for the connection to be ended; the pairing stays.
    DisconnectedByUs,
    /// The connection was lost, or could not be made.
    Dropped,
    /// WhatsApp has flagged the number: it may not connect for a while.
    Banned,
}

impl SessionNews {
    /// Where the connection stands after it; `None`: where it stood before.
    pub fn status(self) -> Option<ConnectionStatus> {
        Some(match self {
            Self::Initializing
            | Self::Dialling
            | Self::QrIssued
            | Self::Paired
            | Self::SocketUp
            | Self::Authenticated
            | Self::LoggedInFirst
            | Self::LoggedIn
            | Self::SyncFailed => ConnectionStatus::Connecting,
            // SPEC 3.3 has no way back to `connecting`: the connection is there until the logout is done.
            Self::LoggingOut => return None,
            Self::Synced => ConnectionStatus::Success,
            Self::PairFailed
            | Self::QrTimeout
            | Self::Replaced
            | Self::LoggedOut
            | Self::LoggedOutByUs
            | Self::DisconnectedByUs
            | Self::Dropped
            | Self::Banned => ConnectionStatus::Disconnected,
        })
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Initializing => "Initializing...",
            Self::Dialling | Self::QrIssued => "Connecting...",
            Self::Paired => "Paired Successfully",
            Self::SocketUp => "Connected",
            Self::Authenticated => "Connected (Authenticated)",
            Self::LoggedInFirst => "Logged In",
            Self::LoggedIn => "Logged In Successfully",
            Self::SyncFailed => "Syncing metadata (errors occurred)...",
            Self::Synced => "Sync Complete. You can now send messages",
            Self::PairFailed => "Paired Failed",
            Self::QrTimeout => "Disconnected: QR Code timeout",
            Self::Replaced => "Disconnected: Logged in on another device",
            Self::LoggedOut => "Logged Out",
            Self::LoggingOut => "Logging out...",
            Self::LoggedOutByUs => "Logged out from the system",
            Self::DisconnectedByUs => "Disconnected by API request",
            Self::Dropped | Self::Banned => "Disconnected",
        }
    }

    /// It begins a new connection; the others are stages of one.
    fn begins(self) -> bool {
        matches!(self, Self::Initializing | Self::Dialling | Self::QrIssued)
    }

    /// True if a new connection does not help until a person acts.
    pub fn needs_person(self) -> bool {
        matches!(self, Self::PairFailed | Self::QrTimeout | Self::Replaced | Self::LoggedOut)
    }

    /// The pairing is over: the next connection needs a QR code.
    pub fn unpairs(self) -> bool {
        matches!(self, Self::PairFailed | Self::LoggedOut | Self::LoggedOutByUs)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// `None` before the first connection.
    pub status: Option<ConnectionStatus>,
    pub words: String,
}

impl Default for SessionState {
    fn default() -> Self {
        Self { status: None, words: "No Session".to_owned() }
    }
}

impl SessionState {
    pub fn is_up(&self) -> bool {
        self.status == Some(ConnectionStatus::Success)
    }

    /// Makes a step and returns the changes to report. Only steps of SPEC 3.3 are made; missed ones are filled in.
    pub fn take(&mut self, news: SessionNews) -> Vec<SessionChanged> {
        use ConnectionStatus::{Connecting, Disconnected, Success};
        let mut changes = Vec::new();
        match (self.status, news.status()) {
            (Some(Success), Some(Connecting)) if news.begins() => self.step(SessionNews::Dropped, &mut changes),
            // A stage of a connection that is complete already.
            (Some(Success), Some(Connecting)) => return changes,
            (None | Some(Disconnected), Some(Success)) => self.step(SessionNews::Dialling, &mut changes),
            // Nothing was there that could end.
            (None | Some(Disconnected), Some(Disconnected) | None) => return changes,
            _ => {}
        }
        self.step(news, &mut changes);
        changes
    }

    fn step(&mut self, news: SessionNews, changes: &mut Vec<SessionChanged>) {
        let Some(status) = news.status().or(self.status) else { return };
        if self.status == Some(status) && self.words == news.words() {
            return;
        }
        *self = Self { status: Some(status), words: news.words().to_owned() };
        changes.push(SessionChanged { status, words: self.words.clone() });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WantedSession {
    Connected,
    /// No connection; the pairing stays.
    Disconnected,
    LoggedOut,
}

impl WantedSession {
    pub const ALL: [Self; 3] = [Self::Connected, Self::Disconnected, Self::LoggedOut];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "CONNECTED",
            Self::Disconnected => "DISCONNECTED",
            Self::LoggedOut => "LOGGED_OUT",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wanted| wanted.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{SessionNews::*, *};

    fn told(news: &[SessionNews]) -> Vec<(&'static str, String)> {
        let mut state = SessionState::default();
        let changes = news.iter().flat_map(|news| state.take(*news));
        changes.map(|change| (change.status.as_str(), change.words)).collect()
    }

    fn words(news: &[SessionNews]) -> Vec<String> {
        told(news).into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn a_first_pairing_reports_every_stage_once_and_ends_in_success() {
        let first =
            [Initializing, Dialling, QrIssued, QrIssued, Paired, SocketUp, Authenticated, LoggedInFirst, Synced];
        assert_eq!(
            told(&first),
            [
                ("connecting", "Initializing...".to_owned()),
                ("connecting", "Connecting...".to_owned()),
                ("connecting", "Paired Successfully".to_owned()),
                ("connecting", "Connected".to_owned()),
                ("connecting", "Connected (Authenticated)".to_owned()),
                ("connecting", "Logged In".to_owned()),
                ("success", "Sync Complete. You can now send messages".to_owned()),
            ]
        );
    }

    #[test]
    fn success_is_only_reached_through_connecting() {
        assert_eq!(words(&[Synced]), ["Connecting...", "Sync Complete. You can now send messages"]);
    }

    #[test]
    fn only_a_connecting_or_connected_session_is_disconnected() {
        assert_eq!(words(&[Dropped, LoggedOut, Replaced]), Vec::<String>::new());
        assert_eq!(words(&[Dialling, QrTimeout, Dropped]), ["Connecting...", "Disconnected: QR Code timeout"]);
    }

    #[test]
    fn a_new_connection_was_disconnected_before() {
        let again = words(&[Dialling, Synced, Dialling]);
        assert_eq!(again[2..], ["Disconnected", "Connecting..."]);
    }

    #[test]
    fn a_late_stage_changes_nothing() {
        assert_eq!(words(&[Dialling, Synced, LoggedIn, SyncFailed]).len(), 2);
    }

    #[test]
    fn a_logout_through_the_api_is_reported_in_two_steps() {
        let out = told(&[Dialling, Synced, LoggingOut, LoggedOutByUs]);
        assert_eq!(
            out[2..],
            [("success", "Logging out...".to_owned()), ("disconnected", "Logged out from the system".to_owned())]
        );
        let early = told(&[Dialling, LoggingOut, LoggedOutByUs]);
        assert_eq!(early[1].0, "connecting", "the status of the connection is kept");
        assert!(told(&[LoggingOut]).is_empty(), "nothing was there that could end");
        assert_eq!(words(&[Dialling, Dropped, LoggingOut, LoggedOutByUs])[2..], Vec::<String>::new());
    }

    #[test]
    fn every_reported_transition_is_one_of_the_specification() {
        let news = [
            Initializing,
            Dialling,
            QrIssued,
            Paired,
            SocketUp,
            Authenticated,
            LoggedInFirst,
            LoggedIn,
            SyncFailed,
            Synced,
            PairFailed,
            QrTimeout,
            Replaced,
            LoggedOut,
            LoggingOut,
            LoggedOutByUs,
            DisconnectedByUs,
            Dropped,
            Banned,
        ];
        for first in news {
            for second in news {
                for third in news {
                    let mut before = None;
                    for (status, words) in told(&[first, second, third]) {
                        let is_move = match (before, status) {
                            (None | Some("disconnected"), "connecting") => true,
                            (Some("connecting"), "success") | (Some("connecting" | "success"), "disconnected") => true,
                            // Another text of the same status.
                            (Some(before), after) => before == after,
                            (None, _) => false,
                        };
                        assert!(is_move, "{before:?} -> {status} {words:?} after {first:?}, {second:?}, {third:?}");
                        before = Some(status);
                    }
                }
            }
        }
    }

    #[test]
    fn the_texts_are_those_of_the_specification() {
        let spec = [
            "Connecting...",
            "Connected",
            "Connected (Authenticated)",
            "Paired Successfully",
            "Paired Failed",
            "Logged In",
            "Logged In Successfully",
            "Logged Out",
            "Logged out from the system",
            "Logging out...",
            "Disconnected",
            "Disconnected by API request",
            "Disconnected: Logged in on another device",
            "Disconnected: QR Code timeout",
            "Initializing...",
            "Sync Complete. You can now send messages",
            "Syncing metadata (errors occurred)...",
            "No Session",
        ];
        let news = [
            Initializing,
            Dialling,
            QrIssued,
            Paired,
            SocketUp,
            Authenticated,
            LoggedInFirst,
            LoggedIn,
            SyncFailed,
            Synced,
            PairFailed,
            QrTimeout,
            Replaced,
            LoggedOut,
            LoggingOut,
            LoggedOutByUs,
            DisconnectedByUs,
            Dropped,
            Banned,
        ];
        let mut ours: Vec<String> = news.iter().map(|news| news.words().to_owned()).collect();
        ours.push(SessionState::default().words);
        for text in spec {
            assert!(ours.iter().any(|own| own == text), "no status has the text {text}");
        }
        for text in &ours {
            assert!(spec.contains(&text.as_str()), "{text} is not in the specification");
        }
    }
}
