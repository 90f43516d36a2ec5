//! Takes queued legs to their provider. A lane is one business number (WhatsApp) or one client (SMS): whoever holds it
//! keeps the pace and the order.

mod lane;
mod settle;

use domain::{
    content::OutboundContent,
    ids::{BatchId, ChatMessageId, ClientId, CustomerId, InboxId, MessageId, PartId, ParticipantId},
    recipient::order_key,
};
use storage::{
    PgConnection,
    outbound::messages::{self, NewMessage, NewPart},
};

use base::{Context, Error, Result, lanes::Lease};

/// Queue position of a chat reply: before any batch of API sends.
const REPLY_PRIORITY: i16 = 0;
/// Queue position of an API send.
pub(crate) const SEND_PRIORITY: i16 = 1;

/// Works off a lane of the outbound queue until nothing in it is due.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    if lease.lane == lease.client.0 {
        crate::sms::work(ctx, lease).await
    } else {
        lane::run(ctx, lease, InboxId(lease.lane)).await
    }
}

/// A message of a live chat that goes out to the customer.
pub struct Reply {
    /// The business number of the chat.
    pub number: InboxId,
    /// The chat.
    pub participant: ParticipantId,
    /// The chat message it delivers.
    pub chat_message: ChatMessageId,
    /// The customer.
    pub customer: CustomerId,
    /// Customer's phone number in digits; wins over the BSUID.
    pub phone: Option<String>,
    /// Customer's BSUID.
    pub bsuid: Option<String>,
    /// What it says.
    pub content: OutboundContent,
    /// Provider id of the message it quotes.
    pub quoted_provider_id: Option<String>,
}

/// Queues a reply inside the caller's transaction. The caller wakes `Queue::Outbound` on the number's lane after the
/// commit.
pub async fn queue_reply(ctx: &Context, db: &mut PgConnection, client: ClientId, reply: Reply) -> Result<MessageId> {
    let part: PartId = ctx.mint();
    let message: MessageId = ctx.mint();
    let content = serde_json::to_value(&reply.content)
        .map_err(|source| Error::Unreadable { what: "content of a reply", source })?;
    let new_part = NewPart {
        id: part,
        batch: BatchId(part.0),
        number: reply.number,
        message_type: "REPLY",
        content,
        fallback: None,
        quoted_provider_id: reply.quoted_provider_id,
    };
    let address = reply.phone.as_deref().or(reply.bsuid.as_deref()).unwrap_or_default();
    let new_message = NewMessage {
        id: message,
        part,
        number: reply.number,
        order_key: order_key(reply.number, address),
        to_phone: reply.phone,
        to_bsuid: reply.bsuid,
        ct_id: None,
        gst_id: message.to_string(),
        chat: Some((reply.participant, reply.chat_message)),
        customer: Some(reply.customer),
    };
    messages::insert_parts(db, client, &[&new_part]).await?;
    messages::insert_messages(db, client, &[&new_message], REPLY_PRIORITY, ctx.now()).await?;
    Ok(message)
}
