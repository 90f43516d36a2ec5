use domain::{
    analytics::CountedType,
    content::OutboundContent,
    ids::{BatchId, ClientId, InboxId, MessageId, PartId, RequestId},
    send::FallbackRequest,
};

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

#[derive(Debug, Clone)]
pub struct NewPart {
    pub id: PartId,
    /// The batch of its request; for chat replies its own id.
    pub batch: BatchId,
    pub inbox: InboxId,
    pub origin: PartOrigin,
    pub content: OutboundContent,
    pub fallback: Option<FallbackRequest>,
    pub quoted_provider_id: Option<String>,
    /// Its send; `None` for chat replies.
    pub send: Option<PartOfSend>,
}

#[derive(Debug, Clone)]
pub struct PartOfSend {
    pub request: RequestId,
    pub category: String,
    pub quick_replies: bool,
    pub batch: Option<BatchHead>,
}

#[derive(Debug, Clone, Copy)]
pub struct BatchHead {
    pub accepted: i32,
    pub rejected: i32,
    pub last_part: PartId,
    pub messages: Option<(MessageId, MessageId)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartOrigin {
    Notification,
    Chat,
    Reply,
    Sms,
    Conversation,
    /// A message of an SMS product, which has its own reports to the client.
    Product,
}

impl PartOrigin {
    pub const ALL: [Self; 6] =
        [Self::Notification, Self::Chat, Self::Reply, Self::Sms, Self::Conversation, Self::Product];

    /// Returns the type of its messages in analytics, which count WhatsApp only.
    pub fn counted_as(self) -> Option<CountedType> {
        match self {
            Self::Notification => Some(CountedType::Notification),
            Self::Chat => Some(CountedType::Chat),
            Self::Reply => Some(CountedType::Session24Hour),
            Self::Conversation => Some(CountedType::Conversation),
            Self::Sms | Self::Product => None,
        }
    }

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

pub async fn content(db: &mut PgConnection, client: ClientId, part: PartId) -> Result<Option<OutboundContent>> {
    let content: Option<UnreadJson> =
        sqlx::query_scalar("SELECT content FROM outbound_part WHERE client_id = $1 AND id = $2")
            .bind(client.0)
            .bind(part.0)
            .fetch_optional(db)
            .await?;
    column_values::read_optional("outbound_part", "content", content.as_ref())
}
