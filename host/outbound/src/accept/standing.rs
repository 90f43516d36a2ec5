//! Whether the recipients of a group of requests may be written to: the client's blocklist, customers who want no more
//! marketing, and the messaging tiers of numbers. Read in one statement for the whole group, and one more for each number
//! whose tier has a limit.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::{Context, Result};
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
    recipient::Recipient,
    send::{RejectionReason, ResolvedPart},
    tier,
};
use storage::{
    PgConnection,
    outbound::{
        standing::{self, Asked, Barred},
        tiers,
    },
};

/// So close to its limit the count of a number is kept to one transaction at a time: what two groups can bring at once.
const CLOSE: u32 = 8_000;

/// A request's question.
pub(super) struct Question {
    /// Whom it would write to.
    pub(super) recipients: Vec<Recipient>,
    /// Whether with a marketing template.
    pub(super) marketing: bool,
    /// The number whose tier counts: of templates on Cloud.
    pub(super) number: Option<InboxId>,
}

/// What is known of those who were asked about.
#[derive(Default)]
pub(super) struct Standing {
    blocked: HashSet<Address>,
    stopped: HashSet<Address>,
    ledgers: HashMap<InboxId, Ledger>,
}

/// The count of a number whose tier has a limit.
struct Ledger {
    limit: u32,
    used: u32,
    /// Recipients that count already, these of the group included.
    counted: HashSet<String>,
}

impl Standing {
    pub(super) async fn load(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        questions: &[Question],
    ) -> Result<Self> {
        if questions.is_empty() {
            return Ok(Self::default());
        }
        let asked: Vec<Asked<'_>> = questions
            .iter()
            .flat_map(|one| one.recipients.iter().flat_map(Recipient::iter).map(|address| (address, one.marketing)))
            .map(|(address, marketing)| Asked { address, marketing })
            .collect();
        let numbers: Vec<InboxId> =
            questions.iter().filter_map(|one| one.number).collect::<BTreeSet<_>>().into_iter().collect();
        let since = tier::counted_after(ctx.now());
        let found = standing::load(db, client, &asked, &numbers, since).await?;
        let mut known = Self::default();
        for (at, why) in found.barred {
            let Some(asked) = asked.get(at) else { continue };
            match why {
                Barred::Blocked => known.blocked.insert(asked.address.clone()),
                Barred::MarketingStopped => known.stopped.insert(asked.address.clone()),
            };
        }
        // In the order of their ids, so that two groups do not wait for each other in a circle.
        for number in numbers {
            let Some((usage, limit)) = found.tiers.get(&number).and_then(|one| Some((one, tier::limit_of(&one.tier)?)))
            else {
                continue;
            };
            let asked: BTreeSet<&str> = questions
                .iter()
                .filter(|one| one.number == Some(number))
                .flat_map(|one| one.recipients.iter().map(|recipient| recipient.address().value()))
                .collect();
            let asked: Vec<&str> = asked.into_iter().collect();
            let count = u32::try_from(asked.len()).unwrap_or(u32::MAX);
            let mut used = usage.used;
            if used.saturating_add(count).saturating_add(CLOSE) > limit {
                used = tiers::lock(db, client, number, since).await?;
            }
            let counted = tiers::counted(db, client, number, &asked, since).await?;
            known.ledgers.insert(number, Ledger { limit, used, counted: counted.into_iter().collect() });
        }
        Ok(known)
    }

    /// Rejects those who may not be written to, and answers those who count for the tier of `number` from now on.
    pub(super) fn judge(
        &mut self,
        parts: &mut [ResolvedPart],
        marketing: bool,
        number: Option<InboxId>,
    ) -> Vec<(InboxId, String)> {
        let mut counted = Vec::new();
        let mut ledger = number.and_then(|number| Some((number, self.ledgers.get_mut(&number)?)));
        for part in parts {
            part.reject_where(|recipient| {
                if recipient.iter().any(|address| self.blocked.contains(address)) {
                    return Some(RejectionReason::Blocked);
                }
                if marketing && recipient.iter().any(|address| self.stopped.contains(address)) {
                    return Some(RejectionReason::MarketingStopped);
                }
                let (number, ledger) = ledger.as_mut()?;
                let address = recipient.address().value();
                if ledger.counted.contains(address) {
                    return None;
                }
                if ledger.used >= ledger.limit {
                    return Some(RejectionReason::TierUsedUp { limit: ledger.limit });
                }
                ledger.used += 1;
                ledger.counted.insert(address.to_owned());
                counted.push((*number, address.to_owned()));
                None
            });
        }
        counted
    }
}
