use std::time::Instant;

use base::{Context, Result, traces};
use domain::{
    channel::Channel,
    content::OutboundContent,
    ids::{BatchId, ChatMessageId, ClientId, InboxId, MessageId, PartId, ParticipantId},
    recipient::{Recipient, order_key},
};
use storage::{
    PgConnection, inboxes,
    outbound::{
        messages::NewMessage,
        outgoing_rows::{self, GroupRows},
        parts::{NewPart, PartOrigin},
        provider_ids,
    },
    sms::products::replies,
};

use crate::{accept::TierCount, dispatch::REPLY_PRIORITY, message_span::message_span};

pub struct ChatReply {
    pub inbox: InboxId,
    pub channel: Channel,
    pub participant: ParticipantId,
    pub chat_message: ChatMessageId,
    pub recipient: Recipient,
    pub content: OutboundContent,
    pub quoted_provider_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedReply {
    pub message: MessageId,
    /// Its id on the channel, if that is known before it is sent.
    pub provider_id: Option<String>,
}

/// Queues a reply in the caller's transaction. After the commit wake `Queue::Outbound` on the inbox's lane.
pub async fn queue(ctx: &Context, db: &mut PgConnection, client: ClientId, reply: ChatReply) -> Result<QueuedReply> {
    queue_counted(ctx, db, client, reply, &TierCount::default()).await
}

/// Like [`queue`], for a template whose recipient counts for a tier. If the error is one of
/// [`outgoing_rows::is_overtaken`], admit the recipient again in a new transaction.
pub async fn queue_counted(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    reply: ChatReply,
    counted: &TierCount,
) -> Result<QueuedReply> {
    let came = Instant::now();
    let part: PartId = ctx.mint();
    let message: MessageId = ctx.mint();
    let new_part = NewPart {
        id: part,
        batch: BatchId(part.0),
        inbox: reply.inbox,
        origin: PartOrigin::Reply,
        content: reply.content,
        fallback: None,
        quoted_provider_id: reply.quoted_provider_id,
        send: None,
    };
    let new_message = NewMessage {
        id: message,
        part,
        origin: PartOrigin::Reply,
        inbox: reply.inbox,
        channel: reply.channel,
        order_key: order_key(reply.inbox, reply.recipient.address()),
        recipient: reply.recipient,
        ct_id: None,
        gst_id: message.to_string(),
        chat: Some((reply.participant, reply.chat_message)),
        conversation: None,
    };
    let counted = counted.rows(ctx);
    let (parts, messages) = (vec![&new_part], vec![&new_message]);
    let outgoing = GroupRows { parts, messages, counted, ..GroupRows::default() };
    outgoing_rows::insert(db, client, &outgoing, REPLY_PRIORITY, ctx.now()).await?;
    // A visitor sees the message as soon as it is stored, and may answer before it is sent (ADR 0029).
    let provider_id = (new_message.channel == Channel::Web).then(|| channels::web::message_id(message));
    if let Some(provider_id) = &provider_id {
        provider_ids::remember(db, client, provider_id, message, reply.chat_message).await?;
    }
    if new_message.channel == Channel::Sms {
        let inbox = inboxes::by_id(db, client, new_message.inbox).await?;
        let source = inbox.as_ref().and_then(|inbox| inbox.address()).unwrap_or(&ctx.settings.sms.default_source);
        let subscriber = new_message.recipient.address().value();
        replies::correspond_now(db, client, &[(source, subscriber, message)], ctx.now()).await?;
    }
    if let Some(span) = message_span(client, &new_message, traces::current(), came) {
        span.end("reply");
    }
    Ok(QueuedReply { message, provider_id })
}
