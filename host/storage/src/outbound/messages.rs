//! Outbound messages are never changed; their state is that of the last leg. Statements that join a list of messages
//! also say `= ANY` of it, or a plan for nearly empty tables would read all messages of a client.

use std::collections::HashSet;

use domain::{
    channel::Channel,
    ids::{ChatMessageId, ClientId, ConversationId, InboxId, MessageId, PartId, ParticipantId},
    recipient::Recipient,
};
use uuid::Uuid;

use super::parts::PartOrigin;
use crate::{PgConnection, Result};

#[derive(Debug, Clone)]
pub struct NewMessage {
    /// Its id, and its `gstId` unless the request named one.
    pub id: MessageId,
    pub part: PartId,
    pub origin: PartOrigin,
    pub inbox: InboxId,
    pub channel: Channel,
    pub recipient: Recipient,
    pub ct_id: Option<String>,
    pub gst_id: String,
    pub order_key: i64,
    pub chat: Option<(ParticipantId, ChatMessageId)>,
    pub conversation: Option<ConversationId>,
}

pub async fn existing(db: &mut PgConnection, client: ClientId, messages: &[MessageId]) -> Result<HashSet<MessageId>> {
    let found: Vec<Uuid> = sqlx::query_scalar(
        "SELECT message.id FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN outbound_message message ON message.client_id = wanted.client_id AND message.id = wanted.id",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(MessageId).collect())
}
