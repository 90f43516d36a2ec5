//! E-mail to SMS (PROVIDERS E): a listener that speaks SMTP, what of a mail matters, and the relay that answers go to. SMTP and
//! MIME are read by `smtp-proto` and `mail-parser`, mails are written by `lettre`.

mod charset;
mod content;
mod listener;
mod places;
mod relay;
mod session;
mod verbs;
mod wire;

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::sms_products::email::{EmailAddress, EmailDomain, Flow, Route};
use ipnet::IpNet;
use tokio_rustls::TlsAcceptor;

pub use listener::listen;
pub use relay::{RelayError, RelayMail, RelayUrlError, SmtpRelay};

/// Bytes of a mail at most; the extension SIZE tells it.
pub const SIZE_MAX: usize = 65_536;

/// Who gets the mails. A mail is acknowledged with what this answers, so it must be on disk before.
#[async_trait]
pub trait MailEvents: Send + Sync + 'static {
    /// A mail to addresses of ours.
    async fn mail(&self, mail: ReceivedMail) -> Verdict;
}

/// What becomes of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is on disk, or answered by a mail that is.
    Taken,
    /// It was left, so that machines do not write to each other for ever.
    Dropped,
    /// Its sender is not registered.
    UnknownSender,
    /// Its `From` names somebody else than its sender.
    Forged,
    /// Its sender has sent too many wrong passwords: later.
    TooManyPasswords,
    /// Nothing of it is sent, with the code of the error, which no mail tells.
    Refused(u16),
    /// It could not be stored now: later.
    NotNow,
}

/// A mail to addresses of ours. `Debug` does not show it: its subject is a password.
pub struct ReceivedMail {
    /// Who sent it, as the envelope says; `None` = nobody, which is how mail programs answer by themselves.
    pub sender: Option<EmailAddress>,
    /// What becomes of it.
    pub route: Route,
    /// What stands before the @ of its recipients.
    pub mailboxes: Vec<String>,
    /// Who handed it over.
    pub peer: IpAddr,
    /// What is in it.
    pub content: MailContent,
}

impl fmt::Debug for ReceivedMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceivedMail")
    }
}

/// Whom the header `From` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// There is none.
    Missing,
    /// One address.
    One(EmailAddress),
    /// None that can be read, or several.
    Unclear,
}

/// What of a mail matters. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct MailContent {
    /// The header `From`.
    pub from: From,
    /// The header `Subject`, decoded.
    pub subject: String,
    /// The text, decoded; what HTML says where there is only HTML.
    pub body: String,
    /// How its lines belong together.
    pub flow: Flow,
    /// The header `Message-ID`, where it is fit to be repeated.
    pub message_id: Option<String>,
    /// A machine wrote it by itself, or sent it to many.
    pub automatic: bool,
}

impl fmt::Debug for MailContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailContent")
    }
}

impl MailContent {
    /// Reads a mail as it came; `None` when it is none.
    pub fn read(raw: &[u8]) -> Option<Self> {
        content::read(raw)
    }
}

/// How the listener behaves.
#[derive(Clone)]
pub struct ListenerSettings {
    /// Which addresses are ours.
    pub domain: EmailDomain,
    /// For STARTTLS; without it there is none.
    pub tls: Option<TlsAcceptor>,
    /// Mails are taken over TLS only.
    pub require_tls: bool,
    /// Who may connect; empty = anybody.
    pub allowed: Vec<IpNet>,
    /// Connections at the same time.
    pub connections: usize,
    /// Connections of one source at the same time.
    pub connections_per_source: usize,
    /// How long it may take from the beginning of a connection, or from the mail before, until a mail begins (`MAIL`).
    pub first_mail_timeout: Duration,
    /// How long a command may take.
    pub command_timeout: Duration,
    /// How long the text of a mail may take.
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

/// What all sessions share.
#[derive(Clone)]
struct Shared {
    settings: Arc<ListenerSettings>,
    events: Arc<dyn MailEvents>,
}
