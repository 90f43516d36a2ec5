use base::{Context, Error, Result};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    ids::{BatchId, InboxId, MessageId, PartId},
    recipient::order_key,
    send::{FallbackRequest, NamedRecipient, RejectedRecipient, ResolvedPart, SendReceipt, SendResponse},
};
use serde_json::value::RawValue;
use storage::outbound::{
    messages::NewMessage,
    parts::{BatchHead, NewPart, PartOfSend, PartOrigin},
};

use super::{call::PendingSend, facts::Facts, prepared_request::PreparedRequest};

pub(super) struct SortedRequest {
    pub(super) inbox: InboxId,
    pub(super) channel: Channel,
    pub(super) origin: PartOrigin,
    pub(super) fallback: Option<FallbackRequest>,
    pub(super) category: String,
    pub(super) quick_replies: bool,
    pub(super) counted: Vec<(InboxId, String)>,
    pub(super) source: Option<String>,
    pub(super) parts: Vec<ResolvedPart>,
}

/// The rows of a request and its answer. Ids of parts are consecutive, and so are those of messages.
pub(super) fn rows(
    ctx: &Context,
    facts: &Facts,
    pending: &PendingSend,
    sorted: SortedRequest,
    now: DateTime<Utc>,
) -> Result<PreparedRequest> {
    let unreadable = |source| Error::Unreadable { what: "content of a send request", source };
    let ids: Vec<PartId> = sorted.parts.iter().map(|_| ctx.mint()).collect();
    let batch = BatchId(ids.first().map_or_else(|| ctx.mint::<PartId>(), |first| *first).0);
    let mut messages = Vec::new();
    for (part, id) in sorted.parts.iter().zip(&ids) {
        for accepted in part.accepted() {
            let message: MessageId = ctx.mint();
            messages.push(NewMessage {
                id: message,
                part: *id,
                origin: sorted.origin,
                inbox: sorted.inbox,
                channel: sorted.channel,
                recipient: accepted.recipient.clone(),
                ct_id: accepted.ct_id.clone(),
                gst_id: accepted.gst_id.clone().unwrap_or_else(|| message.to_string()),
                order_key: order_key(sorted.inbox, accepted.recipient.address()),
                chat: None,
                conversation: facts.conversations.of(sorted.inbox, part.conversation, &accepted.recipient),
            });
        }
    }
    let rejected: Vec<&RejectedRecipient> = sorted.parts.iter().flat_map(ResolvedPart::rejected).collect();
    let echo: &RawValue = serde_json::from_slice(&pending.call.body).map_err(unreadable)?;
    let receipt =
        SendReceipt { batch_id: batch, request_id: pending.call.request_id, accepted_at: now, channel: sorted.channel };
    let head = BatchHead {
        accepted: count(messages.len()),
        rejected: count(rejected.len()),
        last_part: ids.last().copied().unwrap_or(PartId(batch.0)),
        messages: messages.first().zip(messages.last()).map(|(first, last)| (first.id, last.id)),
    };
    let accepted = sorted.parts.iter().flat_map(ResolvedPart::accepted).zip(&messages);
    let accepted = accepted.map(|(recipient, message): (_, &NewMessage)| NamedRecipient {
        number: &recipient.number,
        ct_id: recipient.ct_id.as_deref(),
        gst_id: &message.gst_id,
    });
    let response = SendResponse::new(receipt, echo, accepted.collect(), rejected);
    let response: Bytes = serde_json::to_vec(&response).map_err(unreadable)?.into();
    let parts = ids.into_iter().zip(sorted.parts).enumerate();
    let parts = parts.map(|(at, (id, part))| NewPart {
        id,
        batch,
        inbox: sorted.inbox,
        origin: sorted.origin,
        content: part.content,
        fallback: sorted.fallback.clone(),
        quoted_provider_id: None,
        send: Some(PartOfSend {
            request: pending.call.request_id,
            category: sorted.category.clone(),
            quick_replies: sorted.quick_replies,
            batch: (at == 0).then_some(head),
        }),
    });
    Ok(PreparedRequest { parts: parts.collect(), messages, counted: sorted.counted, source: sorted.source, response })
}

pub(super) const SERVICE: &str = "SERVICE";

pub(super) const SMS: &str = "SMS";

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
