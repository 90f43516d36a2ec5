//! An SMS order: one request of a client to an SMS gateway, after its checks.

use chrono::{DateTime, Utc};
use domain::{address::Address, content::SmsContent, ids::SmsRequestId, sms_products::SmsProduct};
use outbound::dispatch::{PIN_PRIORITY, REPLY_PRIORITY, SEND_PRIORITY};
use storage::sms::products::{messages::NewSms, requests::NewRequest};

use crate::email::MailedRequest;

/// A text and its recipients.
pub(crate) struct OrderedText {
    pub(crate) content: SmsContent,
    pub(crate) parts: usize,
    /// The client's tracking id. The same text is not sent to the same number twice under it.
    pub(crate) ct_id: Option<String>,
    /// Numbers in digits, each with the client's own identifier.
    pub(crate) recipients: Vec<(String, Option<String>)>,
}

pub(crate) struct SmsOrder {
    pub(crate) id: SmsRequestId,
    pub(crate) product: SmsProduct,
    pub(crate) receipt_url: Option<String>,
    pub(crate) reply_url: Option<String>,
    /// Replies are sent to `reply_url` with POST, not with GET.
    pub(crate) posts_replies: bool,
    /// Latest time at which its texts are deleted. `None` = they are kept.
    pub(crate) forget_at: Option<DateTime<Utc>>,
    /// `batchref` and `batchid`.
    pub(crate) batch: Option<(String, String)>,
    pub(crate) wants_receipts: bool,
    pub(crate) wants_replies: bool,
    /// The answer of the batch gateway, which a repeated request gets again. `None` for other gateways.
    pub(crate) response: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) texts: Vec<OrderedText>,
    /// The time at which its messages are to be sent. `None`: at once.
    pub(crate) due: Option<DateTime<Utc>>,
    pub(crate) mailed: Option<MailedRequest>,
}

impl SmsOrder {
    pub(crate) fn recipients(&self) -> usize {
        self.texts.iter().map(|text| text.recipients.len()).sum()
    }

    pub(crate) fn request(&self) -> NewRequest<'_> {
        NewRequest {
            id: self.id,
            product: self.product,
            receipt_url: self.receipt_url.as_deref(),
            reply_url: self.reply_url.as_deref(),
            posts_replies: self.posts_replies,
            due_at: self.due,
            forget_at: self.forget_at,
            batch: self.batch.as_ref().map(|(batch_ref, batch_id)| (batch_ref.as_str(), batch_id.as_str())),
            wants_receipts: self.wants_receipts,
            wants_replies: self.wants_replies,
            response: self.response.as_deref(),
        }
    }

    /// True if its messages are to be sent later than at `moment`.
    pub(crate) fn is_due_after(&self, moment: DateTime<Utc>) -> bool {
        self.due.is_some_and(|due| due > moment)
    }

    /// The priority of its messages in the queue. Urgent messages of the JSON gateway are one-time pins, and those of
    /// the batch gateway are replies.
    pub(crate) fn priority(&self) -> i16 {
        let urgent = self.texts.iter().any(|text| text.content.urgent);
        match self.product {
            SmsProduct::Json if urgent => PIN_PRIORITY,
            SmsProduct::Batch | SmsProduct::Email if urgent => REPLY_PRIORITY,
            SmsProduct::Json | SmsProduct::Batch | SmsProduct::Email => SEND_PRIORITY,
        }
    }
}

pub(crate) struct SmsDraft {
    /// Index of its order.
    pub(crate) order: usize,
    /// Index of its text in the order.
    pub(crate) text: usize,
    pub(crate) to: Address,
    pub(crate) sms: NewSms,
}
