//! Scheduled SMS (SPEC 4.8). Their recipients answer them from the moment they go out, and not messages that were
//! accepted in between.

use base::Result;
use channels::carrier::CarrierInbox;
use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::minted_at;
use storage::{PgConnection, outbound::work::DueLeg, sms::products::replies};

use super::leg_source::sent_from;

/// If the due time of a message is more than this after the creation of its id, the caller scheduled it. For all
/// others, the accepting code records which message the recipient answers.
pub(crate) const SCHEDULED_FROM: TimeDelta = TimeDelta::seconds(2);

/// Records which message recipients answer, for scheduled messages that are picked for the first time.
pub(super) async fn correspond(
    db: &mut PgConnection,
    inbox: &CarrierInbox,
    picked: &[DueLeg],
    now: DateTime<Utc>,
) -> Result<()> {
    let waited = picked.iter().filter(|leg| is_first(leg) && leg.queued_at - minted_at(leg.message.0) > SCHEDULED_FROM);
    let sent: Vec<_> =
        waited.map(|leg| (sent_from(inbox, leg), leg.recipient.address().value(), leg.message)).collect();
    Ok(replies::correspond_now(db, inbox.client, &sent, now).await?)
}

/// True for the first leg. Later legs record it when they are queued.
fn is_first(leg: &DueLeg) -> bool {
    leg.ordinal == 0 && leg.attempts == 0
}
