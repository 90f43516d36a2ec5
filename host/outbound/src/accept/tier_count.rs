//! Counts recipients of templates for the messaging tiers of numbers.

use std::collections::BTreeSet;

use base::Context;
use domain::{ids::InboxId, tier};
use storage::outbound::outgoing_rows::TierRecipients;

/// Rows over which the count of a tier is spread, so that groups rarely wait for each other.
const TIER_SHARDS: u64 = 8;

/// The recipients that the tiers of numbers count from now on, and the numbers that are close to their limit.
#[derive(Debug, Clone, Default)]
pub struct TierCount {
    pub(super) recipients: Vec<(InboxId, String)>,
    /// With the version of the count that was read.
    pub(super) close: Vec<(InboxId, i64)>,
}

impl TierCount {
    pub(crate) fn rows(&self, ctx: &Context) -> TierRecipients<'_> {
        let recipients = self.recipients.iter().map(|(inbox, recipient)| (*inbox, recipient.as_str()));
        rows(ctx, recipients.collect(), self.close.clone())
    }
}

pub(super) fn rows<'a>(
    ctx: &Context,
    recipients: BTreeSet<(InboxId, &'a str)>,
    close: Vec<(InboxId, i64)>,
) -> TierRecipients<'a> {
    TierRecipients {
        close,
        recipients: recipients.into_iter().collect(),
        quarter: tier::quarter_of(ctx.now()),
        shard: i16::try_from(ctx.ids.random() % TIER_SHARDS).unwrap_or(0),
    }
}
