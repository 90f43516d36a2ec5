//! Records which customers were reached, as soon as a provider says so (PROVIDERS A.12). If that happens before the
//! answer to the call, or instead of it, the sent template is recorded too (SPEC 6.5), because the answer may never
//! come.

use std::collections::{BTreeMap, BTreeSet};

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    chat::SentTemplate,
    content::{LegContent, OutboundContent},
    ids::{ClientId, CustomerId, InboxId, MessageId},
};
use events::record_folded;
use people::IntroducedCustomers;
use storage::{
    PgConnection, Queue,
    outbound::legs::{self, LegCustomer, MessageLeg},
    people::inbox_customers::{self, LateMessage},
};
use uuid::Uuid;

pub(crate) struct ReachedLeg {
    pub(crate) leg: MessageLeg,
    pub(crate) named: Vec<Address>,
    pub(crate) at: DateTime<Utc>,
    pub(crate) unanswered: bool,
}

impl ReachedLeg {
    fn customer(&self) -> Option<&LegCustomer> {
        let to = &self.leg.leg_address;
        let is_known =
            |known: &&LegCustomer| self.named.iter().all(|name| name == to || known.addresses.contains(name));
        self.leg.customer.as_ref().filter(is_known)
    }
}

/// Returns the known customers that are reached for the first time. They are stored with the steps.
pub(crate) fn newly_reached(seen: &[ReachedLeg]) -> BTreeSet<(InboxId, CustomerId)> {
    let known = seen.iter().filter_map(|one| Some((one.leg.inbox, one.customer()?)));
    known.filter(|(_, customer)| !customer.is_reached).map(|(inbox, customer)| (inbox, customer.id)).collect()
}

/// Stores unknown customers, new addresses, and messages without an answer to their calls. Returns the lanes to wake.
pub(crate) async fn remember(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    seen: &[ReachedLeg],
) -> Result<Vec<(Queue, Uuid)>> {
    let (known, strangers): (Vec<&ReachedLeg>, Vec<&ReachedLeg>) =
        seen.iter().partition(|one| one.customer().is_some());
    let customers = known.iter().filter_map(|one| one.customer()).map(|customer| customer.id);
    let mut met: Vec<(&ReachedLeg, CustomerId)> = known.iter().copied().zip(customers).collect();
    let mut folds = Vec::new();
    if !strangers.is_empty() {
        let sent: Vec<(&Address, &[Address])> =
            strangers.iter().map(|one| (&one.leg.leg_address, one.named.as_slice())).collect();
        let IntroducedCustomers { who, folded } = people::resolve_sent(db, client, &ctx.ids, &sent, ctx.now()).await?;
        let reached: BTreeSet<_> = strangers.iter().map(|one| one.leg.inbox).zip(who.iter().copied()).collect();
        inbox_customers::mark_reached(db, client, &reached).await?;
        met.extend(strangers.into_iter().zip(who));
        folds = folded;
    }
    met.retain(|(one, _)| one.unanswered);
    remember_templates(ctx, db, client, met).await?;
    record_folded(ctx, db, client, &folds).await
}

async fn remember_templates(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut unanswered: Vec<(&ReachedLeg, CustomerId)>,
) -> Result<()> {
    if unanswered.is_empty() {
        return Ok(());
    }
    let keys: Vec<(MessageId, i16)> = unanswered.iter().map(|(one, _)| (one.leg.id, one.leg.ordinal)).collect();
    let mut contents = legs::contents(db, client, &keys).await?;
    // In the order of the messages: if one customer got several, the last counts.
    unanswered.sort_by_key(|(one, _)| (one.leg.id, one.leg.ordinal));
    let mut last = BTreeMap::new();
    for (ReachedLeg { leg, at, .. }, customer) in unanswered {
        let Some(content) = contents.remove(&(leg.id, leg.ordinal)) else { continue };
        let outbound = LateMessage { at: ctx.clock.at(*at).min(ctx.now()), template: template(content) };
        last.insert((leg.leg_inbox, customer), outbound);
    }
    Ok(inbox_customers::record_late_outbound(db, client, &last).await?)
}

fn template(content: LegContent) -> Option<SentTemplate> {
    match content {
        LegContent::Message(content) => match *content {
            OutboundContent::Template(template) => Some(SentTemplate { id: template.id, name: template.name }),
            _ => None,
        },
        LegContent::Sms(_) => None,
    }
}
