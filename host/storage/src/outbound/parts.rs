//! What the recipients of one `messages` element share.

use domain::{
    analytics::CountedType,
    content::OutboundContent,
    ids::{BatchId, ClientId, InboxId, PartId},
    send::FallbackRequest,
};
use sqlx::PgConnection;

use crate::{
    Result,
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
    /// A free text into a long-lived conversation, sent through the API.
    Conversation,
}

impl PartOrigin {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Notification, Self::Chat, Self::Reply, Self::Conversation];

    /// What its messages are in analytics.
    pub fn counted_as(self) -> CountedType {
        match self {
            Self::Notification => CountedType::Notification,
            Self::Chat => CountedType::Chat,
            Self::Reply => CountedType::Session24Hour,
            Self::Conversation => CountedType::Conversation,
        }
    }

    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notification => "NOTIFICATION",
            Self::Chat => "CHAT",
            Self::Reply => "REPLY",
            Self::Conversation => "CONVERSATION",
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

/// Stores parts, in one statement.
pub async fn insert(db: &mut PgConnection, client: ClientId, parts: &[&NewPart]) -> Result<()> {
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content, fallback, quoted_provider_id)
         SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::jsonb[], $7::jsonb[], $8::text[])",
    )
    .bind(client.0)
    .bind(parts.iter().map(|part| part.id.0).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.batch.0).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.inbox.0).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.origin.as_str()).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| stored::write(&part.content)).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.fallback.as_ref().map(stored::write)).collect::<Vec<_>>())
    .bind(parts.iter().map(|part| part.quoted_provider_id.as_deref()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
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
