//! Scheduled SMS (SPEC 4.8). Their recipients answer them from the moment they go out, and not messages that were
//! accepted in between.

use base::{Context, Result};
use chrono::TimeDelta;
use domain::{clock::minted_at, ids::ClientId, inbox::InboxKind};
use storage::{PgConnection, outbound::work::DueLeg, sms::products::replies};

use super::{sender::SenderInbox, stopped_recipients::sent_from};

/// If the due time of a message is more than this after the creation of its id, the caller scheduled it. For all
/// others, the accepting code records which message the recipient answers.
pub const SCHEDULED_FROM: TimeDelta = TimeDelta::seconds(2);

/// Records which message recipients answer, for scheduled messages that are picked for the first time.
pub(super) async fn correspond(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    picked: &[DueLeg],
) -> Result<()> {
    if sender.inbox.kind != InboxKind::Sms {
        return Ok(());
    }
    let waited = picked.iter().filter(|leg| is_first(leg) && leg.queued_at - minted_at(leg.message.0) > SCHEDULED_FROM);
    let now: Vec<_> =
        waited.map(|leg| (sent_from(sender, leg), leg.recipient.address().value(), leg.message)).collect();
    Ok(replies::correspond_now(db, client, &now, ctx.now()).await?)
}

/// True for the first leg. Later legs record it when they are queued.
fn is_first(leg: &DueLeg) -> bool {
    leg.ordinal == 0 && leg.attempts == 0
}
