//! A mail as the gateway reads it.

use std::{fmt, net::IpAddr};

use domain::sms_products::email::{EmailAddress, Flow};

/// The address in the header `From`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromHeader {
    Missing,
    One(EmailAddress),
    /// None that can be read, or several.
    Unclear,
}

/// The relevant content of a mail. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct MailContent {
    pub from: FromHeader,
    pub subject: String,
    /// The decoded text; if there is only HTML, the text of that.
    pub body: String,
    pub flow: Flow,
    /// The header `Message-ID`, if it can be repeated.
    pub message_id: Option<String>,
    pub automatic: bool,
    /// The address from which the last mail server took it, if its first header `Received` names one.
    pub relayed_from: Option<IpAddr>,
}

impl fmt::Debug for MailContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailContent")
    }
}
