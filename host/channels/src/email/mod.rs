//! E-mail to SMS (PROVIDERS E): an SMTP listener (`smtp-proto`, `mail-parser`) and the relay for answers (`lettre`).

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
    async fn mail(&self, mail: ReceivedMail) -> MailVerdict;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailVerdict {
    /// It is on disk, or answered by a mail that is.
    Taken,
    /// It was ignored, so that programs do not answer each other for ever.
    Dropped,
    UnknownSender,
    /// Its `From` names another address than its sender.
    Forged,
    /// Its sender has sent too many wrong passwords: try later.
    TooManyPasswords,
    /// Nothing is sent, for an error with this code that no mail reports.
    Refused(u16),
    NotNow,
}

pub struct ReceivedMail {
    /// Sender of the envelope; `None` for the empty sender, which mail programs use for automatic answers.
    pub sender: Option<EmailAddress>,
    pub route: MailRoute,
    pub mailboxes: Vec<String>,
    /// The peer that delivered it, or the address from which that server took it.
    pub source: IpAddr,
    pub content: MailContent,
}

impl fmt::Debug for ReceivedMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceivedMail")
    }
}

#[derive(Clone)]
pub struct ListenerSettings {
    pub domain: EmailDomain,
    /// For STARTTLS, which is not offered without it.
    pub tls: Option<TlsAcceptor>,
    pub require_tls: bool,
    /// Networks that may connect; empty: all.
    pub allowed: Vec<IpNet>,
    pub connections: usize,
    pub connections_per_source: usize,
    /// Longest time from the beginning of a connection, or from the previous mail, to the beginning of a mail (`MAIL`).
    pub first_mail_timeout: Duration,
    pub command_timeout: Duration,
    pub data_timeout: Duration,
}

impl ListenerSettings {
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

#[derive(Clone)]
struct Shared {
    settings: Arc<ListenerSettings>,
    events: Arc<dyn MailEvents>,
}
