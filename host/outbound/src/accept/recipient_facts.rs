//! Decides whether the recipients of a group of requests may be written to. It checks the client's blocklist, refusals
//! of marketing and SMS, the windows of chats, and the messaging tiers of numbers. One statement reads all of it for
//! the group.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    chat::chat_allowed,
    ids::{ClientId, InboxId},
    recipient::Recipient,
    send::{RejectionReason, ResolvedPart},
    tier,
};
use storage::{
    PgConnection,
    outbound::recipient_facts::{self, Questions, RecipientQuestion, SendBar},
    sms::products::opt_outs::StoppedSources,
};

/// With fewer places left in a tier, groups that count for it run one after the other. Two groups may have so many.
const CLOSE: u32 = 8_000;

#[derive(Default)]
pub(super) struct RequestQuestions {
    pub(super) recipients: Vec<Recipient>,
    pub(super) marketing: bool,
    /// The number with the tier that counts the recipients (templates on Cloud only).
    pub(super) number: Option<InboxId>,
    /// The inbox that the recipients must have written to (free-form messages on Cloud only).
    pub(super) window: Option<InboxId>,
    pub(super) source: Option<String>,
}

#[derive(Default)]
pub(super) struct RecipientFacts {
    blocked: HashSet<Address>,
    stopped_marketing: HashSet<Address>,
    stopped_sms: StoppedSources,
    wrote_at: HashMap<(InboxId, Address), DateTime<Utc>>,
    ledgers: BTreeMap<InboxId, Ledger>,
}

struct Ledger {
    limit: u32,
    used: u32,
    /// Recipients that count already, including those of this group.
    counted: HashSet<String>,
    /// The version of the count, if it is close to the limit.
    close: Option<i64>,
}

impl RecipientFacts {
    pub(super) async fn load(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        asked: &[RequestQuestions],
    ) -> Result<Self> {
        let questions = questions(asked);
        if questions.is_empty() {
            return Ok(Self::default());
        }
        let found = recipient_facts::load(db, client, &questions, tier::counted_after(ctx.now())).await?;
        let mut known = Self { wrote_at: found.wrote_at, stopped_sms: found.stopped, ..Self::default() };
        for (at, why) in found.barred {
            let Some(asked) = questions.recipients.get(at) else { continue };
            match why {
                SendBar::Blocked => known.blocked.insert(asked.address.clone()),
                SendBar::MarketingStopped => known.stopped_marketing.insert(asked.address.clone()),
            };
        }
        for (number, usage) in found.tiers {
            let Some(limit) = tier::limit_of(&usage.tier) else { continue };
            let asked = questions.counted.iter().filter(|(of, _)| *of == number).count();
            let most = usage.used.saturating_add(u32::try_from(asked).unwrap_or(u32::MAX)).saturating_add(CLOSE);
            let close = (most > limit).then_some(usage.version);
            known.ledgers.insert(number, Ledger { limit, used: usage.used, counted: usage.counted, close });
        }
        Ok(known)
    }

    /// Counts recipients that are not among those of the group.
    pub(super) fn count_before(&mut self, recipients: u32) {
        for ledger in self.ledgers.values_mut() {
            ledger.used = ledger.used.saturating_add(recipients);
        }
    }

    /// Rejects recipients that may not be written to. Returns those that the tier of `number` counts from now on.
    pub(super) fn judge(
        &mut self,
        parts: &mut [ResolvedPart],
        marketing: bool,
        number: Option<InboxId>,
    ) -> Vec<(InboxId, String)> {
        let mut counted = Vec::new();
        for part in parts {
            part.reject_where(|recipient| match self.admit(recipient, marketing, number) {
                Ok(newly) => {
                    counted.extend(newly);
                    None
                }
                Err(reason) => Some(reason),
            });
        }
        counted
    }

    /// Admits a recipient, or returns the reason against it. Returns the recipient if the tier of `number` counts it from
    /// now on.
    pub(super) fn admit(
        &mut self,
        recipient: &Recipient,
        marketing: bool,
        number: Option<InboxId>,
    ) -> std::result::Result<Option<(InboxId, String)>, RejectionReason> {
        if recipient.iter().any(|address| self.blocked.contains(address)) {
            return Err(RejectionReason::Blocked);
        }
        if marketing && recipient.iter().any(|address| self.stopped_marketing.contains(address)) {
            return Err(RejectionReason::MarketingStopped);
        }
        let Some((number, ledger)) = number.and_then(|number| Some((number, self.ledgers.get_mut(&number)?))) else {
            return Ok(None);
        };
        let address = recipient.address().value();
        if ledger.counted.contains(address) {
            return Ok(None);
        }
        if ledger.used >= ledger.limit {
            return Err(RejectionReason::TierUsedUp { limit: ledger.limit });
        }
        ledger.used += 1;
        ledger.counted.insert(address.to_owned());
        Ok(Some((number, address.to_owned())))
    }

    /// True if a recipient wrote to an inbox recently enough to get free-form messages.
    pub(super) fn window_is_open(&self, inbox: InboxId, recipient: &Recipient, now: DateTime<Utc>) -> bool {
        recipient.iter().any(|address| chat_allowed(self.wrote_at.get(&(inbox, address.clone())).copied(), now))
    }

    pub(super) fn stopped_sms(&self, source: &str, subscriber: &str) -> bool {
        self.stopped_sms.contains(source, subscriber)
    }

    pub(super) fn close(&self, counting: &BTreeSet<InboxId>) -> Vec<(InboxId, i64)> {
        let counting = self.ledgers.iter().filter(|(number, _)| counting.contains(number));
        counting.filter_map(|(number, ledger)| Some((*number, ledger.close?))).collect()
    }
}

fn questions(asked: &[RequestQuestions]) -> Questions<'_> {
    let mut questions = Questions::default();
    let (mut numbers, mut counted) = (BTreeSet::new(), BTreeSet::new());
    for one in asked {
        numbers.extend(one.number);
        for recipient in &one.recipients {
            let addresses = recipient.iter().map(|address| RecipientQuestion { address, marketing: one.marketing });
            questions.recipients.extend(addresses);
            counted.extend(one.number.map(|number| (number, recipient.address().value())));
            let windows =
                one.window.into_iter().flat_map(|inbox| recipient.iter().map(move |address| (inbox, address)));
            questions.windows.extend(windows);
            questions.texts.extend(one.source.as_deref().map(|source| (source, recipient.address().value())));
        }
    }
    questions.numbers.extend(numbers);
    questions.counted.extend(counted);
    questions
}
