//! Checks of a send request that need only its body.

use super::{
    FallbackRequest, RequestContent, RequestMessage, SendEndpoint, SendKind, SendPayload, SendRequest, SmsRequest,
    TRACKING_ID_MAX, TemplateChoice, UnifiedSend, WireFallback, WireMessage, WireRecipient, chat_content, check::Check,
    components, conversation, sms,
};
use crate::{
    body::{self, Faults, FieldFault, extent},
    ids::ConversationId,
    phone::Msisdn,
    recipient::Recipient,
    segments,
};

#[derive(Debug, Clone)]
pub enum SendBody {
    Message(SendRequest),
    Sms(SmsRequest),
}

impl SendBody {
    /// Parses and checks a body of at most `max_recipients` (`limits.max_recipients`), in linear time. All its faults
    /// are reported together.
    pub fn parse(endpoint: SendEndpoint, body: &[u8], max_recipients: usize) -> Result<Self, Faults> {
        let layout = match endpoint {
            SendEndpoint::Whatsapp | SendEndpoint::Sms | SendEndpoint::Conversation => extent::Layout::Payload,
            SendEndpoint::Unified => extent::Layout::Unified,
        };
        extent::check(layout, body, max_recipients)?;
        let (channel, payload, prefix) = match endpoint {
            SendEndpoint::Whatsapp | SendEndpoint::Conversation => {
                (SendChannel::Whatsapp, body::parse::<SendPayload>(body)?, "")
            }
            SendEndpoint::Sms => (SendChannel::Sms, body::parse::<SendPayload>(body)?, ""),
            SendEndpoint::Unified => {
                let (channel, payload) = payload_of(body::parse::<UnifiedSend>(body)?)?;
                (channel, payload, "payload.")
            }
        };
        let mut check = Check { endpoint, prefix, faults: Faults::default() };
        let request = match channel {
            SendChannel::Whatsapp => check.payload(payload).map(Self::Message),
            SendChannel::Sms => sms::check(&mut check, payload).map(Self::Sms),
        };
        match request {
            Some(request) if check.faults.is_empty() => Ok(request),
            _ => Err(check.faults),
        }
    }

    pub fn recipient_count(&self) -> usize {
        match self {
            Self::Message(request) => request.recipient_count(),
            Self::Sms(request) => request.recipient_count(),
        }
    }
}

impl SendRequest {
    pub fn parse(endpoint: SendEndpoint, body: &[u8], max_recipients: usize) -> Result<Self, Faults> {
        match SendBody::parse(endpoint, body, max_recipients)? {
            SendBody::Message(request) => Ok(request),
            SendBody::Sms(_) => Err(FieldFault::new("channel", "must be WHATSAPP").into()),
        }
    }

    pub fn sender(&self) -> &Msisdn {
        &self.sender
    }

    pub fn endpoint(&self) -> SendEndpoint {
        self.endpoint
    }

    pub fn kind(&self) -> SendKind {
        self.kind
    }

    pub fn template(&self) -> Option<&TemplateChoice> {
        self.template.as_ref()
    }

    pub fn fallback(&self) -> Option<&FallbackRequest> {
        self.fallback.as_ref()
    }

    pub fn recipient_count(&self) -> usize {
        self.messages.iter().map(|message| message.recipients.len()).sum()
    }

    pub fn conversations(&self) -> impl Iterator<Item = ConversationId> {
        self.messages.iter().filter_map(|message| message.conversation)
    }

    /// The valid addresses of all messages. The caller loads the stored state of these.
    pub fn recipients(&self) -> impl Iterator<Item = Recipient> {
        let entries = self.messages.iter().flat_map(|message| &message.recipients);
        entries.filter_map(|entry| Recipient::parse(entry.to.as_deref(), entry.customer_user_id.as_deref()).ok())
    }

    pub fn unknown_sender(&self) -> FieldFault {
        FieldFault::new(self.field("sender"), "is not one of your WhatsApp numbers")
    }

    pub fn sender_not_lite(&self) -> FieldFault {
        let said = "is not a WhatsApp Lite number, and this host name takes sends from those only";
        FieldFault::new(self.field("sender"), said)
    }

    pub(super) fn field(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

enum SendChannel {
    Whatsapp,
    Sms,
}

fn payload_of(unified: UnifiedSend) -> Result<(SendChannel, SendPayload), Faults> {
    let mut faults = Faults::default();
    let channel = match unified.channel.as_deref() {
        Some("WHATSAPP") => Some(SendChannel::Whatsapp),
        Some("SMS") => Some(SendChannel::Sms),
        Some(other) => {
            let said = format!("`{other}` is not a channel; the allowed values are WHATSAPP and SMS");
            faults.push(FieldFault::new("channel", said));
            None
        }
        None => {
            faults.push(FieldFault::new("channel", "is required: WHATSAPP or SMS"));
            None
        }
    };
    if unified.payload.is_none() {
        faults.push(FieldFault::required("payload"));
    }
    channel.zip(unified.payload).ok_or(faults)
}

impl Check {
    fn payload(&mut self, payload: SendPayload) -> Option<SendRequest> {
        let sender = self.sender(payload.sender.as_deref());
        let kind = self.kind(payload.message_type.as_deref());
        let fallback = payload.fallback.and_then(|fallback| self.fallback(fallback));
        let template = match kind {
            Some(SendKind::Notification) => self.template(payload.template_name, payload.template_id),
            Some(SendKind::Conversation) => {
                conversation::no_template(self, payload.template_name.as_deref(), payload.template_id.as_deref());
                None
            }
            Some(SendKind::Chat) | None => None,
        };
        let messages = payload.messages.unwrap_or_default();
        if messages.is_empty() {
            self.fault("messages", "is required and must have at least one element");
        }
        let each = messages.into_iter().enumerate();
        let messages: Vec<RequestMessage> = each.filter_map(|(at, message)| self.message(at, message, kind)).collect();
        let (endpoint, prefix) = (self.endpoint, self.prefix);
        Some(SendRequest { endpoint, sender: sender?, kind: kind?, template, messages, fallback, prefix })
    }

    fn sender(&mut self, sender: Option<&str>) -> Option<Msisdn> {
        let Some(sender) = sender.filter(|text| !text.is_empty()) else {
            self.fault("sender", "is required: the business number in international format");
            return None;
        };
        Msisdn::parse(sender).map_err(|wrong| self.fault("sender", wrong.to_string())).ok()
    }

    fn kind(&mut self, kind: Option<&str>) -> Option<SendKind> {
        let in_conversations = self.endpoint == SendEndpoint::Conversation;
        let (allowed, either) = match self.endpoint {
            SendEndpoint::Conversation => ("CONVERSATION, NOTIFICATION", "CONVERSATION or NOTIFICATION"),
            SendEndpoint::Unified | SendEndpoint::Whatsapp | SendEndpoint::Sms => {
                ("NOTIFICATION, CHAT", "NOTIFICATION or CHAT")
            }
        };
        let elsewhere = |kind: &str, path: &str| {
            format!("{kind} messages go to POST /whatsapp-api-service/v2/{path}; allowed here: {allowed}")
        };
        let message = match kind {
            Some("NOTIFICATION") => return Some(SendKind::Notification),
            Some("CHAT") if !in_conversations => return Some(SendKind::Chat),
            Some("CONVERSATION") if in_conversations => return Some(SendKind::Conversation),
            Some("CONVERSATION") => elsewhere("CONVERSATION", "json"),
            Some("CHAT") => elsewhere("CHAT", "messages"),
            Some(other) => format!("`{other}` is not a message type; allowed: {allowed}"),
            None => format!("is required: {either}"),
        };
        self.fault("messageType", message);
        None
    }

    fn template(&mut self, name: Option<String>, id: Option<String>) -> Option<TemplateChoice> {
        let mut required = |field: &str, value: Option<String>| {
            let value = value.filter(|value| !value.is_empty());
            if value.is_none() {
                self.fault(field, "is required for every NOTIFICATION");
            }
            value
        };
        let (name, id) = (required("templateName", name), required("templateId", id));
        Some(TemplateChoice { name: name?, id: id? })
    }

    fn fallback(&mut self, fallback: WireFallback) -> Option<FallbackRequest> {
        let unicode = fallback.unicode.unwrap_or(false);
        let text = fallback.text.filter(|text| !text.is_empty());
        if let Some(Err(wrong)) = text.as_deref().map(|text| segments::split(text, unicode)) {
            self.fault("fallback.text", wrong.to_string());
        }
        match fallback.send_fallback {
            Some(true) => Some(FallbackRequest { text, unicode }),
            Some(false) => None,
            None => {
                self.fault("fallback.sendFallback", "is required: true or false");
                None
            }
        }
    }

    fn message(&mut self, at: usize, message: WireMessage, kind: Option<SendKind>) -> Option<RequestMessage> {
        let field = format!("messages[{at}]");
        let mut named = None;
        let content = match kind {
            Some(SendKind::Conversation) => {
                let (id, content) = conversation::check(self, &message, &field);
                named = id;
                id.and(content).map(|content| RequestContent::Chat(Box::new(content)))
            }
            Some(SendKind::Notification) => {
                if message.conversation_id.is_some_and(|id| !id.is_empty()) {
                    self.fault(&format!("{field}.conversationId"), "is not accepted on NOTIFICATION");
                }
                let components = message.components.unwrap_or_default();
                components::check(self, &components, &format!("{field}.components"));
                Some(RequestContent::Template(components))
            }
            Some(SendKind::Chat) => {
                if message.components.is_some_and(|components| !components.is_empty()) {
                    self.fault(
                        &format!("{field}.components"),
                        "is for NOTIFICATION only; CHAT takes `messageText` and `media`",
                    );
                }
                let text = message.message_text.filter(|text| !text.is_empty());
                chat_content::check(self, text, message.media, &field)
                    .map(|content| RequestContent::Chat(Box::new(content)))
            }
            None => None,
        };
        let recipients = self.recipients(message.recipients, message.recipient_numbers, &field);
        Some(RequestMessage { recipients: recipients?, conversation: named, content: content? })
    }

    pub(super) fn recipients(
        &mut self,
        recipients: Option<Vec<WireRecipient>>,
        alternate: Option<Vec<WireRecipient>>,
        field: &str,
    ) -> Option<Vec<WireRecipient>> {
        let (field, recipients) = match (recipients, alternate) {
            (Some(_), Some(_)) => {
                self.fault(
                    &format!("{field}.recipientNumbers"),
                    "is another name of `recipients`; give one of the two",
                );
                return None;
            }
            (Some(recipients), None) => (format!("{field}.recipients"), recipients),
            (None, Some(alternate)) => (format!("{field}.recipientNumbers"), alternate),
            (None, None) => (format!("{field}.recipients"), Vec::new()),
        };
        if recipients.is_empty() {
            self.fault(&field, "is required and must have at least one element");
        }
        for (at, recipient) in recipients.iter().enumerate() {
            for (name, value) in [("ctId", &recipient.ct_id), ("gstId", &recipient.gst_id)] {
                self.length(&format!("{field}[{at}].{name}"), value.as_deref(), TRACKING_ID_MAX);
            }
        }
        Some(recipients)
    }

    /// Lengths count characters.
    pub(super) fn length(&mut self, field: &str, text: Option<&str>, max: usize) {
        // A text has at least as many bytes as characters, so most texts need no counting.
        let Some(text) = text.filter(|text| text.len() > max) else { return };
        let length = text.chars().count();
        if length > max {
            self.fault(field, format!("has {length} characters; at most {max} are allowed"));
        }
    }
}
