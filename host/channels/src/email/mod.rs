//! E-mail to SMS (PROVIDERS E): an SMTP listener, the content of mails, and the relay for answers. `smtp-proto` and
//! `mail-parser` read SMTP and MIME; `lettre` writes mails.

mod charset;
mod content;
mod listener;
mod mail;
mod places;
mod relay;
mod session;
mod verbs;
mod wire;

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::sms_products::email::{EmailAddress, EmailDomain, MailRoute};
use ipnet::IpNet;
use tokio_rustls::TlsAcceptor;

pub use listener::listen;
pub use mail::{FromHeader, MailContent};
pub use relay::{RelayError, RelayMail, RelayUrlError, SmtpRelay};

/// Most bytes of a mail; the extension SIZE announces it.
pub const SIZE_MAX: usize = 65_536;

/// Receives mails. A mail is acknowledged with its verdict, so it must be on disk before.
#[async_trait]
pub trait MailEvents: Send + Sync + 'static {
    /// A mail to addresses of ours.
    async fn mail(&self, mail: ReceivedMail) -> MailVerdict;
}

/// The verdict on a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailVerdict {
    /// It is on disk, or answered by a mail that is.
    Taken,
    /// It was ignored, so that programs do not answer each other for ever.
    Dropped,
    /// Its sender is not registered.
    UnknownSender,
    /// Its `From` names another address than its sender.
    Forged,
    /// Its sender has sent too many wrong passwords: try later.
    TooManyPasswords,
    /// Nothing is sent, for an error with this code that no mail reports.
    Refused(u16),
    /// It could not be stored now: try later.
    NotNow,
}

/// A mail to addresses of ours. `Debug` does not show it: its subject is a password.
pub struct ReceivedMail {
    /// Sender of the envelope; `None` for the empty sender, which mail programs use for automatic answers.
    pub sender: Option<EmailAddress>,
    /// Its route: to be sent, or only checked.
    pub route: MailRoute,
    /// The parts before the @ of its recipients.
    pub mailboxes: Vec<String>,
    /// The peer that delivered it.
    pub peer: IpAddr,
    /// Its content.
    pub content: MailContent,
}

impl fmt::Debug for ReceivedMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceivedMail")
    }
}

/// Settings of the listener.
#[derive(Clone)]
pub struct ListenerSettings {
    /// Our addresses.
    pub domain: EmailDomain,
    /// For STARTTLS, which is not offered without it.
    pub tls: Option<TlsAcceptor>,
    /// Mails are taken over TLS only.
    pub require_tls: bool,
    /// Networks that may connect; empty: all.
    pub allowed: Vec<IpNet>,
    /// Connections at the same time.
    pub connections: usize,
    /// Connections of one source at the same time.
    pub connections_per_source: usize,
    /// Longest time from the beginning of a connection, or from the previous mail, to the beginning of a mail (`MAIL`).
    pub first_mail_timeout: Duration,
    /// Longest time for a command.
    pub command_timeout: Duration,
    /// Longest time for the text of a mail.
    pub data_timeout: Duration,
}

impl ListenerSettings {
    /// The usual limits (PROVIDERS E), without TLS.
    pub fn new(domain: EmailDomain) -> Self {
        Self {
            domain,
            tls: None,
            require_tls: false,
            allowed: Vec::new(),
            connections: 256,
            connections_per_source: 16,
            first_mail_timeout: Duration::from_secs(60),
            command_timeout: Duration::from_secs(300),
            data_timeout: Duration::from_secs(300),
        }
    }
}

/// Shared by all sessions.
#[derive(Clone)]
struct Shared {
    settings: Arc<ListenerSettings>,
    events: Arc<dyn MailEvents>,
}
