//! An order of SMS.

use chrono::{DateTime, Utc};
use domain::{address::Address, content::SmsContent, sms_products::SmsProduct};
use outbound::dispatch::{PIN_PRIORITY, REPLY_PRIORITY, SEND_PRIORITY};
use storage::sms::products::{messages::NewSms, requests::NewRequest};

use crate::email::MailedRequest;

/// A text and its recipients.
pub(crate) struct OrderedText {
    pub(crate) content: SmsContent,
    /// Number of SMS that it needs.
    pub(crate) parts: usize,
    /// The client's tracking id. The same text is not sent to the same number twice under it.
    pub(crate) ct_id: Option<String>,
    /// Numbers in digits, each with the client's own identifier.
    pub(crate) recipients: Vec<(String, Option<String>)>,
}

pub(crate) struct SmsOrder<'a> {
    pub(crate) request: NewRequest<'a>,
    /// The source. `None` = the client's SMS inbox.
    pub(crate) source: Option<&'a str>,
    pub(crate) texts: &'a [OrderedText],
    pub(crate) mailed: Option<MailedRequest>,
}

impl SmsOrder<'_> {
    /// True if it is scheduled after `moment`.
    pub(crate) fn waits(&self, moment: DateTime<Utc>) -> bool {
        self.request.due_at.is_some_and(|due| due > moment)
    }

    /// The priority of its messages in the queue. Urgent messages of the JSON gateway are one-time pins, and those of
    /// the batch gateway are replies.
    pub(crate) fn priority(&self) -> i16 {
        let urgent = self.texts.iter().any(|text| text.content.urgent);
        match self.request.product {
            SmsProduct::Json if urgent => PIN_PRIORITY,
            SmsProduct::Batch | SmsProduct::Email if urgent => REPLY_PRIORITY,
            SmsProduct::Json | SmsProduct::Batch | SmsProduct::Email => SEND_PRIORITY,
        }
    }
}

pub(crate) struct SmsDraft {
    /// Index of its request.
    pub(crate) order: usize,
    pub(crate) text: usize,
    pub(crate) to: Address,
    pub(crate) sms: NewSms,
}
