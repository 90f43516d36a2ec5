//! Messages received and written by phones. The newest 50,000 of each are kept.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

const KEPT: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum PhoneChannel {
    WhatsApp,
    Sms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageState {
    Accepted,
    Sent,
    Delivered,
    Read,
    Played,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TapEffect {
    QuickReply,
    Reply,
    Row,
    /// Opens a page, dials or copies. Nothing comes back.
    Local,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Button {
    pub(crate) kind: TapEffect,
    pub(crate) index: usize,
    pub(crate) title: String,
    /// Reply id or quick-reply payload. For a local button its URL, number or code.
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) card: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhoneRecord {
    pub(crate) id: String,
    #[serde(skip)]
    pub(crate) msisdn: String,
    pub(crate) channel: PhoneChannel,
    pub(crate) from: String,
    pub(crate) phone_number_id: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) buttons: Vec<Button>,
    #[serde(serialize_with = "as_json")]
    pub(crate) body: Bytes,
    /// Texts of the cards of a carousel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cards: Vec<String>,
    pub(crate) received_time: DateTime<Utc>,
    pub(crate) status: MessageState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parts: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data_coding: Option<u8>,
    #[serde(skip)]
    pub(crate) sender: Option<CallbackFields>,
    #[serde(skip)]
    pub(crate) device: Option<String>,
}

fn as_json<S: Serializer>(body: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_slice::<&RawValue>(body).ok().serialize(serializer)
}

#[derive(Debug, Clone)]
pub(crate) struct CallbackFields {
    pub(crate) opaque: Option<String>,
    /// Sent to a BSUID and not to a number.
    pub(crate) by_user_id: bool,
    pub(crate) category: String,
    pub(crate) priced: bool,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusContext {
    pub(crate) id: String,
    #[serde(skip)]
    pub(crate) msisdn: String,
    pub(crate) channel: PhoneChannel,
    pub(crate) to: String,
    /// Empty for SMS.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) phone_number_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) body: Value,
    pub(crate) sent_time: DateTime<Utc>,
    pub(crate) read_by_business: bool,
}

/// Messages by id and by phone. The oldest are dropped first.
#[derive(Debug)]
struct Shelf<T> {
    by_id: HashMap<String, T>,
    order: VecDeque<(String, String)>,
    by_phone: HashMap<String, VecDeque<String>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { by_id: HashMap::new(), order: VecDeque::new(), by_phone: HashMap::new() }
    }
}

impl<T> Shelf<T> {
    fn put(&mut self, msisdn: &str, id: &str, message: T) {
        self.by_id.insert(id.to_owned(), message);
        self.order.push_back((msisdn.to_owned(), id.to_owned()));
        self.by_phone.entry(msisdn.to_owned()).or_default().push_back(id.to_owned());
        while self.order.len() > KEPT {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some((msisdn, id)) = self.order.pop_front() else {
            return;
        };
        self.by_id.remove(&id);
        if let Some(ids) = self.by_phone.get_mut(&msisdn) {
            ids.pop_front();
            if ids.is_empty() {
                self.by_phone.remove(&msisdn);
            }
        }
    }

    fn of(&self, msisdn: &str) -> impl DoubleEndedIterator<Item = &T> {
        let ids = self.by_phone.get(msisdn).into_iter().flatten();
        ids.filter_map(|id| self.by_id.get(id))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    received: Shelf<PhoneRecord>,
    written: Shelf<StatusContext>,
}

impl Mailbox {
    pub(crate) fn receive(&mut self, message: PhoneRecord) {
        let (msisdn, id) = (message.msisdn.clone(), message.id.clone());
        self.received.put(&msisdn, &id, message);
    }

    pub(crate) fn write(&mut self, message: StatusContext) {
        let (msisdn, id) = (message.msisdn.clone(), message.id.clone());
        self.written.put(&msisdn, &id, message);
    }

    pub(crate) fn received_message(&self, id: &str) -> Option<&PhoneRecord> {
        self.received.by_id.get(id)
    }

    pub(crate) fn received_mut(&mut self, id: &str) -> Option<&mut PhoneRecord> {
        self.received.by_id.get_mut(id)
    }

    pub(crate) fn written_message(&self, id: &str) -> Option<&StatusContext> {
        self.written.by_id.get(id)
    }

    pub(crate) fn inbox(&self, msisdn: &str) -> impl DoubleEndedIterator<Item = &PhoneRecord> {
        self.received
            .of(msisdn)
            .filter(|message| !matches!(message.status, MessageState::Accepted | MessageState::Failed))
    }

    pub(crate) fn outbox(&self, msisdn: &str) -> impl DoubleEndedIterator<Item = &StatusContext> {
        self.written.of(msisdn)
    }

    /// Marks a message, and all earlier ones to the same business number, as read by the business.
    pub(crate) fn business_read(&mut self, id: &str) -> Option<StatusContext> {
        let marked = self.written.by_id.get(id)?.clone();
        let ids = self.written.by_phone.get(&marked.msisdn)?;
        for earlier in ids {
            let message = self.written.by_id.get_mut(earlier)?;
            if message.phone_number_id == marked.phone_number_id {
                message.read_by_business = true;
            }
            if earlier == id {
                break;
            }
        }
        Some(marked)
    }

    /// Time of the last message of the phone to the number, the start of the 24-hour window (PROVIDERS A.13).
    pub(crate) fn last_written(&self, msisdn: &str, phone_number_id: &str) -> Option<DateTime<Utc>> {
        self.written
            .of(msisdn)
            .rev()
            .find(|message| message.phone_number_id == phone_number_id)
            .map(|message| message.sent_time)
    }
}
