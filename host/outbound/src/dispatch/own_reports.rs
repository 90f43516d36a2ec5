//! Reports that a carrier makes itself, in the form of callbacks: the queue of callbacks takes each at its time.

use base::Context;
use channels::carrier::{OwnReport, TakenMessage};
use chrono::{DateTime, Utc};
use domain::{ids::CallbackId, sandbox::KeyMode};
use sha2::{Digest, Sha256};
use storage::{inbound::callbacks::NewCallback, outbound::work::DueLeg};

use super::sender::SenderInbox;
use crate::delivery::opaque;

/// The reports about a leg that the carrier has just taken, with their times. Only messages of sandboxes have some.
pub(super) fn of(
    ctx: &Context,
    sender: &SenderInbox,
    leg: &DueLeg,
    now: DateTime<Utc>,
) -> Vec<(NewCallback, DateTime<Utc>)> {
    if sender.mode == KeyMode::Live {
        return Vec::new();
    }
    let opaque = opaque(sender.inbox.client, leg.message, leg.ordinal);
    let reports = sender.carrier.own_reports(&TakenMessage {
        inbox: sender.inbox.id,
        message: leg.message,
        opaque: &opaque,
        to: leg.recipient.address(),
        content: &leg.content,
        is_of_chat: leg.chat_message.is_some(),
        at: now,
    });
    let callback = |OwnReport { item, due_at }: OwnReport| {
        let dedupe_hash = Sha256::digest(item.dedupe_key.as_bytes()).into();
        (NewCallback { id: ctx.mint::<CallbackId>(), lane: sender.inbox.id.0, dedupe_hash, item }, due_at)
    };
    reports.into_iter().map(callback).collect()
}
