//! A direct SMS, which is not the fallback of a WhatsApp message: `/v2/channels/sms`, and `channel` `SMS` of the
//! unified endpoint (SPEC 2.3, 4.1).

use super::{
    AcceptedRecipient, RejectedRecipient, RejectionReason, ResolvedPart, SendPayload, WireMessage, WireRecipient,
    check::Check, resolve,
};
use crate::{
    address::AddressKind,
    body::FieldFault,
    content::{OutboundContent, SmsContent},
    recipient::Recipient,
    segments,
};

/// Longest source address, in characters. A number has 15 digits and a plus sign, a name 11 characters.
const SOURCE_MAX: usize = 16;

/// An SMS request that passed all checks of the body.
#[derive(Debug, Clone)]
pub struct SmsRequest {
    source: Option<String>,
    messages: Vec<SmsMessage>,
    prefix: &'static str,
}

#[derive(Debug, Clone)]
struct SmsMessage {
    recipients: Vec<WireRecipient>,
    content: SmsContent,
}

impl SmsRequest {
    /// The source address without a leading `+`. `None`: the client's default source.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    pub fn recipient_count(&self) -> usize {
        self.messages.iter().map(|message| message.recipients.len()).sum()
    }

    pub fn recipients(&self) -> impl Iterator<Item = Recipient> {
        let entries = self.messages.iter().flat_map(|message| &message.recipients);
        entries.filter_map(|entry| phone_of(entry).ok())
    }

    pub fn unknown_source(&self) -> FieldFault {
        let said = "is not one of your SMS source addresses; leave it out for your default one";
        FieldFault::new(format!("{}sender", self.prefix), said)
    }

    /// Returns one part for each message. A recipient without a valid phone number is in it as rejected.
    pub fn resolve(&self) -> Vec<ResolvedPart> {
        let part = |message: &SmsMessage| ResolvedPart {
            content: OutboundContent::Sms(message.content.clone()),
            conversation: None,
            recipients: message.recipients.iter().map(accept).collect(),
        };
        self.messages.iter().map(part).collect()
    }
}

pub(super) fn check(check: &mut Check, payload: SendPayload) -> Option<SmsRequest> {
    let source = payload.sender.filter(|text| !text.is_empty());
    check.length("sender", source.as_deref(), SOURCE_MAX);
    for (field, given) in [("templateName", &payload.template_name), ("templateId", &payload.template_id)] {
        if given.is_some() {
            check.fault(field, "is for WhatsApp; the text of an SMS is in `messageText`");
        }
    }
    let unicode = payload.unicode.unwrap_or(false);
    let messages = payload.messages.unwrap_or_default();
    if messages.is_empty() {
        check.fault("messages", "is required and must have at least one element");
    }
    let each = messages.into_iter().enumerate();
    let messages: Vec<SmsMessage> = each.filter_map(|(at, one)| message(check, at, one, unicode)).collect();
    let source = source.map(|text| text.strip_prefix('+').map(str::to_owned).unwrap_or(text));
    Some(SmsRequest { source, messages, prefix: check.prefix() })
}

fn message(check: &mut Check, at: usize, message: WireMessage, unicode: bool) -> Option<SmsMessage> {
    let field = format!("messages[{at}]");
    if message.media.is_some() {
        check.fault(&format!("{field}.media"), "cannot go by SMS; put its address into `messageText`");
    }
    if message.components.is_some() {
        check.fault(
            &format!("{field}.components"),
            "are for WhatsApp templates; the text of an SMS is in `messageText`",
        );
    }
    let text_field = format!("{field}.messageText");
    let text = message.message_text.filter(|text| !text.trim().is_empty());
    match text.as_deref().map(|text| segments::split(text, unicode)) {
        None => check.fault(&text_field, "is required: the text of the SMS"),
        Some(Err(wrong)) => check.fault(&text_field, wrong.to_string()),
        Some(Ok(_)) => {}
    }
    let recipients = check.recipients(message.recipients, message.recipient_numbers, &field)?;
    Some(SmsMessage { recipients, content: SmsContent { text: text?, unicode, source: None, ..SmsContent::default() } })
}

/// An SMS needs a phone number. A BSUID in the same entry is dropped.
fn phone_of(entry: &WireRecipient) -> Result<Recipient, RejectionReason> {
    let recipient = Recipient::parse(entry.to.as_deref(), entry.customer_user_id.as_deref())?;
    match recipient.of_kind(AddressKind::Phone) {
        Some(phone) => Ok(phone.clone().into()),
        None => Err(RejectionReason::NoPhone),
    }
}

fn accept(entry: &WireRecipient) -> Result<AcceptedRecipient, RejectedRecipient> {
    let number = resolve::input_text(entry);
    match phone_of(entry) {
        Ok(recipient) => Ok(resolve::accepted_recipient(entry, recipient, number)),
        Err(reason) => Err(RejectedRecipient { number, reason }),
    }
}
