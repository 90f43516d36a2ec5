//! Who has been reached: remembered as soon as a provider says so (PROVIDERS A.12). Where it says so before it answers the call, or in
//! place of an answer, it is remembered too what they were sent (SPEC 6.5): the answer may never come.

use std::collections::{BTreeMap, BTreeSet};

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    chat::SentTemplate,
    content::{LegContent, OutboundContent},
    ids::{ClientId, CustomerId, MessageId},
};
use events::record_folded;
use storage::{
    PgConnection, Queue,
    outbound::legs::{self, MessageLeg},
    people::{
        customers::{self, Met},
        inbox_customers::{self, LateOutbound},
    },
};
use uuid::Uuid;

/// A leg that a provider has sent.
pub(crate) struct Seen {
    pub(crate) leg: MessageLeg,
    /// What it calls the recipient.
    pub(crate) named: Vec<Address>,
    /// When it did, by the provider.
    pub(crate) at: DateTime<Utc>,
    /// Nothing was heard of its call until now.
    pub(crate) unanswered: bool,
}

/// Remembers that these recipients are reached on the channels of these inboxes. Answers the lanes to wake after the commit.
pub(crate) async fn remember(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    seen: &[Seen],
) -> Result<Vec<(Queue, Uuid)>> {
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    let sent: Vec<(&Address, &[Address])> =
        seen.iter().map(|one| (&one.leg.leg_address, one.named.as_slice())).collect();
    let Met { who: known, folded } = customers::resolve_sent(db, client, &ctx.ids, &sent, ctx.now()).await?;
    let reached: BTreeSet<_> = seen.iter().map(|one| one.leg.inbox).zip(known.iter().copied()).collect();
    inbox_customers::mark_reached(db, client, &reached).await?;
    let unanswered = seen.iter().zip(known).filter(|(one, _)| one.unanswered).collect();
    remember_templates(ctx, db, client, unanswered).await?;
    record_folded(ctx, db, client, &folded).await
}

/// Remembers whether it was a template that they were sent last.
async fn remember_templates(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut unanswered: Vec<(&Seen, CustomerId)>,
) -> Result<()> {
    if unanswered.is_empty() {
        return Ok(());
    }
    let keys: Vec<(MessageId, i16)> = unanswered.iter().map(|(one, _)| (one.leg.id, one.leg.ordinal)).collect();
    let mut contents = legs::contents(db, client, &keys).await?;
    // In the order of the messages: of several to one customer the last counts.
    unanswered.sort_by_key(|(one, _)| (one.leg.id, one.leg.ordinal));
    let mut last = BTreeMap::new();
    for (Seen { leg, at, .. }, customer) in unanswered {
        let Some(content) = contents.remove(&(leg.id, leg.ordinal)) else { continue };
        let outbound = LateOutbound { at: ctx.clock.at(*at).min(ctx.now()), template: template(content) };
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
