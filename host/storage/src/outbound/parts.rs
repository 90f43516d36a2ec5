//! What the recipients of one `messages` element share.

use domain::{
    analytics::CountedType,
    content::OutboundContent,
    ids::{BatchId, ClientId, InboxId, MessageId, PartId, RequestId},
    send::FallbackRequest,
};

use crate::{
    PgConnection, Result,
    stored::{self, Stored},
};

/// What the recipients of one `messages` element share.
#[derive(Debug, Clone)]
pub struct NewPart {
    /// Its id.
    pub id: PartId,
    /// The request it came with; its own id for chat replies.
    pub batch: BatchId,
    /// The sending inbox.
    pub inbox: InboxId,
    /// Where it comes from.
    pub origin: PartOrigin,
    /// What it says.
    pub content: OutboundContent,
    /// The request's fallback object.
    pub fallback: Option<FallbackRequest>,
    /// Provider id of the quoted message.
    pub quoted_provider_id: Option<String>,
    /// The send that it is part of; `None` for chat replies.
    pub send: Option<PartOfSend>,
}

/// What a part keeps of the send that it came with.
#[derive(Debug, Clone)]
pub struct PartOfSend {
    /// The HTTP request.
    pub request: RequestId,
    /// What its messages are billed as.
    pub category: String,
    /// Whether its messages have quick replies that can be tapped.
    pub quick_replies: bool,
    /// Set for the first part of a request.
    pub batch: Option<BatchHead>,
}

/// A batch as its first part keeps it.
#[derive(Debug, Clone, Copy)]
pub struct BatchHead {
    /// Recipients that are sent to.
    pub accepted: i32,
    /// Recipients that are not.
    pub rejected: i32,
    /// The last part of the request.
    pub last_part: PartId,
    /// Its first and its last message.
    pub messages: Option<(MessageId, MessageId)>,
}

/// Where a part comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartOrigin {
    /// A template that was sent through the API.
    Notification,
    /// A free-form message that was sent through the API.
    Chat,
    /// A chatbot's or agent's message of a live chat.
    Reply,
    /// A text message that was sent through the API.
    Sms,
    /// A free text into a long-lived conversation, sent through the API.
    Conversation,
    /// A message of an SMS product, which tells its client of it in its own way.
    Product,
}

impl PartOrigin {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Notification, Self::Chat, Self::Reply, Self::Sms, Self::Conversation, Self::Product];

    /// What its messages are in analytics, which are of WhatsApp.
    pub fn counted_as(self) -> Option<CountedType> {
        match self {
            Self::Notification => Some(CountedType::Notification),
            Self::Chat => Some(CountedType::Chat),
            Self::Reply => Some(CountedType::Session24Hour),
            Self::Conversation => Some(CountedType::Conversation),
            Self::Sms | Self::Product => None,
        }
    }

    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notification => "NOTIFICATION",
            Self::Chat => "CHAT",
            Self::Reply => "REPLY",
            Self::Sms => "SMS",
            Self::Conversation => "CONVERSATION",
            Self::Product => "PRODUCT",
        }
    }
}

impl From<domain::send::SendKind> for PartOrigin {
    fn from(kind: domain::send::SendKind) -> Self {
        match kind {
            domain::send::SendKind::Notification => Self::Notification,
            domain::send::SendKind::Chat => Self::Chat,
            domain::send::SendKind::Conversation => Self::Conversation,
        }
    }
}

/// What a part says.
pub async fn content(db: &mut PgConnection, client: ClientId, part: PartId) -> Result<Option<OutboundContent>> {
    let content: Option<Stored> =
        sqlx::query_scalar("SELECT content FROM outbound_part WHERE client_id = $1 AND id = $2")
            .bind(client.0)
            .bind(part.0)
            .fetch_optional(db)
            .await?;
    stored::read_optional("outbound_part", "content", content.as_ref())
}
