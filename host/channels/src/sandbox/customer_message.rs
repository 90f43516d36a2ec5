use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    inbound::{InboundContent, InboundMessage},
};
use serde_json::{Value, json};

/// The name of a test customer.
pub const NAME: &str = "Test Customer";

/// A message that a test customer writes.
pub struct SandboxMessage<'a> {
    pub provider_id: String,
    pub from: &'a Address,
    pub name: &'a str,
    pub at: DateTime<Utc>,
    pub quoted_provider_id: Option<String>,
    pub content: InboundContent,
    /// The content as WhatsApp writes it.
    pub raw: Value,
}

impl SandboxMessage<'_> {
    /// The address of a test customer on a channel. `None` if the digits are no test number, or if customers of the channel
    /// are not simulated.
    pub fn address(channel: Channel, digits: &str) -> Option<Address> {
        let kind = match channel {
            Channel::Whatsapp => AddressKind::Phone,
            Channel::Facebook => AddressKind::Psid,
            Channel::Telegram => AddressKind::Telegram,
            Channel::Sms | Channel::Web => return None,
        };
        Address::of_kind(kind, digits)
    }

    /// A text in the form of a callback.
    pub fn raw_text(text: &str) -> Value {
        json!({ "type": "text", "text": { "body": text } })
    }

    /// The message as the provider of a channel would report it.
    pub fn in_channel(mut self, channel: Channel) -> InboundMessage {
        let phone = self.from.as_kind(AddressKind::Phone).map(str::to_owned);
        if let (Channel::Whatsapp, Some(raw)) = (channel, self.raw.as_object_mut()) {
            raw.insert("from".to_owned(), self.from.value().into());
            raw.insert("id".to_owned(), self.provider_id.clone().into());
            raw.insert("timestamp".to_owned(), self.at.timestamp().to_string().into());
        }
        InboundMessage {
            provider_id: self.provider_id,
            from_address: phone.is_none().then(|| self.from.clone()),
            from: phone,
            from_user_id: None,
            from_parent_user_id: None,
            profile_name: Some(self.name.to_owned()),
            username: None,
            sent_at: self.at,
            quoted_provider_id: self.quoted_provider_id,
            content: self.content,
            raw: self.raw,
            referral: None,
        }
    }
}
