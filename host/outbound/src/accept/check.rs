//! Judges a send request and stores nothing: by the same facts and rules as an accepted request.

use std::{iter, slice, sync::Arc};

use base::{Context, Error};
use domain::send::RejectedRecipient;

use super::{
    call::{AcceptError, PendingSend},
    facts::Facts,
    named_rows::NamedFacts,
    prepare,
};

/// The answer that a request would get now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendCheck {
    /// Number of recipients that would be accepted.
    pub accepted: usize,
    /// Number of those that the tier of the sender would count from now on.
    pub counted: usize,
    pub rejected: Vec<RejectedRecipient>,
}

/// `counted_before`: recipients of earlier requests of the same send that the tier of the sender would count.
pub(super) async fn check(ctx: &Context, pending: &PendingSend, counted_before: u32) -> Result<SendCheck, AcceptError> {
    let mut facts = load(ctx, pending).await.map_err(|error| AcceptError::Failed(Arc::new(error)))?;
    facts.standing.count_before(counted_before);
    let judged = prepare::judge(ctx, &mut facts, pending)?;
    Ok(SendCheck {
        accepted: judged.parts.iter().flat_map(|part| part.accepted()).count(),
        counted: judged.counted.len(),
        rejected: judged.parts.iter().flat_map(|part| part.rejected()).cloned().collect(),
    })
}

/// The transaction ends here without a change. It bounds the locks of named conversations.
async fn load(ctx: &Context, pending: &PendingSend) -> Result<Facts, Error> {
    let client = pending.call.client;
    let mut tx = ctx.db.begin().await?;
    let named = NamedFacts::load(&mut tx, client, slice::from_ref(pending)).await?;
    let facts = Facts::load(ctx, &mut tx, client, named, iter::once(&pending.request)).await?;
    tx.rollback().await?;
    Ok(facts)
}
