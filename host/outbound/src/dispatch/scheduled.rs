//! SMS that waited for their time (SPEC 4.8): from when they go out their recipients answer them, and not whatever was accepted
//! meanwhile.

use base::{Context, Result};
use chrono::TimeDelta;
use domain::{clock::minted_at, ids::ClientId, inbox::InboxKind};
use storage::{PgConnection, outbound::work::DueLeg, sms::products::replies};

use super::{sender::Sender, stopped::sent_from};

/// What is due later than this after its id was minted was to wait. Of what was not, whoever takes it notes whom its recipients
/// answer.
pub const SCHEDULED_FROM: TimeDelta = TimeDelta::seconds(2);

/// Notes whom the recipients of such messages answer that are picked for the first time.
pub(super) async fn correspond(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    sender: &Sender,
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

/// Legs behind the first one note it when they are queued.
fn is_first(leg: &DueLeg) -> bool {
    leg.ordinal == 0 && leg.attempts == 0
}
